"""Campaigns over REST: create them, fill and change them in batches, read the note behind a citation.

A batch is written entirely or, when an item in it is faulty, not at all: 422 names the item and the field.
"""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.routing import APIRoute
from pydantic import Field

from api.campaign_bodies import (
    MAX_ITEMS,
    ArtifactBody,
    CampaignBody,
    NoteBody,
    RelationBody,
    SourceBody,
    campaign_from,
    shown_campaign,
    shown_item,
)
from api.campaign_items import Reader
from pausepoint.campaigns.campaignfile import default_categories
from pausepoint.campaigns.ids import item_id
from pausepoint.campaigns.ingest import Change
from pausepoint.campaigns.model import PointType
from pausepoint.campaigns.render import MissingArtifact
from pausepoint.campaigns.store import UnknownCampaign
from pausepoint.errors import PausepointError
from pausepoint.services import get_services

Kinds = Literal["notes", "artifacts", "relations"]
_SINGULAR: dict[str, PointType] = {"notes": "note", "artifacts": "artifact", "relations": "relation"}
Notes = Annotated[list[NoteBody], Field(min_length=1, max_length=MAX_ITEMS)]
Artifacts = Annotated[list[ArtifactBody], Field(min_length=1, max_length=MAX_ITEMS)]
Relations = Annotated[list[RelationBody], Field(min_length=1, max_length=MAX_ITEMS)]


class ExplainedRoute(APIRoute):
    """Turns the project's errors into responses a client can act on."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the handler."""
        handle = super().get_route_handler()

        async def explained(request: Request) -> Response:
            try:
                return await handle(request)
            except UnknownCampaign as error:
                raise HTTPException(404, str(error)) from error
            except MissingArtifact as error:
                fault = {
                    "type": "value_error",
                    "loc": ["body", error.position, error.field],
                    "msg": str(error),
                }
                raise HTTPException(422, [fault]) from error
            except PausepointError as error:
                full = "full" in type(error).__name__.lower()
                raise HTTPException(507 if full else 503, str(error)) from error

        return explained


router = APIRouter(prefix="/api/campaigns", tags=["campaigns"], route_class=ExplainedRoute)


@router.get("")
async def list_campaigns() -> list[dict[str, Any]]:
    """Every campaign with its counts, by name."""
    store = (await get_services()).campaigns
    return [shown_campaign(row, await store.counts(row.uuid)) for row in await store.all()]


@router.get("/{campaign_uuid}")
async def get_campaign(campaign_uuid: str) -> dict[str, Any]:
    """One campaign with its counts."""
    store = (await get_services()).campaigns
    row = await store.find(campaign_uuid)
    return shown_campaign(row, await store.counts(row.uuid))


@router.put("/{campaign_uuid}")
async def put_campaign(campaign_uuid: UUID, body: CampaignBody) -> dict[str, Any]:
    """Create or change a campaign; what it holds stays."""
    services = await get_services()
    row = await services.ingest.open(campaign_from(str(campaign_uuid), body, default_categories()))
    return shown_campaign(row, await services.campaigns.counts(row.uuid))


@router.put("/{campaign_uuid}/source", status_code=204)
async def put_source(campaign_uuid: str, body: SourceBody) -> None:
    """Note which state of its folder the campaign was loaded from completely."""
    store = (await get_services()).campaigns
    await store.set_source((await store.find(campaign_uuid)).uuid, body.digest)


@router.delete("/{campaign_uuid}", status_code=204)
async def delete_campaign(campaign_uuid: str) -> None:
    """Remove a campaign with everything it holds."""
    services = await get_services()
    await services.ingest.drop((await services.campaigns.find(campaign_uuid)).uuid)


@router.post("/{campaign_uuid}/notes")
async def post_notes(campaign_uuid: str, body: Notes) -> dict[str, int]:
    """Create or replace notes."""
    reader = await _reader(campaign_uuid)
    return await _written(reader, await reader.notes(body))


@router.post("/{campaign_uuid}/artifacts")
async def post_artifacts(campaign_uuid: str, body: Artifacts) -> dict[str, int]:
    """Create or replace artifacts."""
    reader = await _reader(campaign_uuid)
    return await _written(reader, await reader.artifacts(body))


@router.post("/{campaign_uuid}/relations")
async def post_relations(campaign_uuid: str, body: Relations) -> dict[str, int]:
    """Create or replace relations."""
    reader = await _reader(campaign_uuid)
    return await _written(reader, await reader.relations(body))


@router.get("/{campaign_uuid}/notes")
async def list_notes(campaign_uuid: str) -> list[dict[str, Any]]:
    """Every note without its text, by title."""
    store = (await get_services()).campaigns
    uuid = (await store.find(campaign_uuid)).uuid
    return [shown_item(note, without=("content",)) for note in await store.notes(uuid)]


@router.get("/{campaign_uuid}/artifacts")
async def list_artifacts(campaign_uuid: str) -> list[dict[str, Any]]:
    """Every artifact, by name."""
    store = (await get_services()).campaigns
    uuid = (await store.find(campaign_uuid)).uuid
    return [shown_item(artifact) for artifact in await store.artifacts(uuid)]


@router.get("/{campaign_uuid}/relations")
async def list_relations(campaign_uuid: str) -> list[dict[str, Any]]:
    """Every relation, by label."""
    store = (await get_services()).campaigns
    uuid = (await store.find(campaign_uuid)).uuid
    return [shown_item(relation) for relation in await store.relations(uuid)]


@router.get("/{campaign_uuid}/{kinds}/{key}")
async def get_item(campaign_uuid: str, kinds: Kinds, key: str) -> dict[str, Any]:
    """One note (whole: the one behind a citation), artifact or relation."""
    store = (await get_services()).campaigns
    uuid = (await store.find(campaign_uuid)).uuid
    wanted = [item_id(uuid, _SINGULAR[kinds], key)]
    read = {"notes": store.notes, "artifacts": store.artifacts, "relations": store.relations}[kinds]
    if found := await read(uuid, wanted):
        return shown_item(found[0])
    raise HTTPException(404, f"Campaign {uuid!r} has no {_SINGULAR[kinds]} {key!r}.")


@router.delete("/{campaign_uuid}/{kinds}/{key}", status_code=204)
async def delete_item(campaign_uuid: str, kinds: Kinds, key: str) -> None:
    """Remove one item; an artifact takes its relations along."""
    if not (await _delete(campaign_uuid, kinds, [key]))["removed"]:
        raise HTTPException(404, f"Campaign {campaign_uuid!r} has no {_SINGULAR[kinds]} {key!r}.")


@router.delete("/{campaign_uuid}/{kinds}")
async def delete_items(
    campaign_uuid: str,
    kinds: Kinds,
    key: Annotated[list[str], Query(alias="id", min_length=1, max_length=MAX_ITEMS)],
) -> dict[str, int]:
    """Remove several items (`?id=…&id=…`); those that are not there are not counted."""
    return await _delete(campaign_uuid, kinds, key)


async def _delete(campaign: str, kinds: Kinds, keys: list[str]) -> dict[str, int]:
    services = await get_services()
    uuid = (await services.campaigns.find(campaign)).uuid
    kind = _SINGULAR[kinds]
    removed = await services.ingest.delete(uuid, kind, [item_id(uuid, kind, key) for key in keys])
    return {"removed": len(removed)}


async def _reader(campaign: str) -> Reader:
    store = (await get_services()).campaigns
    return Reader(store, (await store.find(campaign)).uuid)


async def _written(reader: Reader, items: list[Any]) -> dict[str, int]:
    change: Change = await (await get_services()).ingest.upsert(reader.uuid, items)
    return {"added": change.added, "changed": change.changed, "unchanged": change.unchanged}
