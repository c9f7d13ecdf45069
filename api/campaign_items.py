"""From request bodies to items: ids derived, names resolved, every fault named with its item and field."""

from collections.abc import Iterable, Sequence
from typing import Any

from fastapi import HTTPException

from api.campaign_bodies import ArtifactBody, NoteBody, RelationBody
from pausepoint.campaigns.ids import fold, item_id
from pausepoint.campaigns.model import Artifact, Note, Relation
from pausepoint.campaigns.records import Item
from pausepoint.campaigns.references import Ambiguous, References
from pausepoint.campaigns.store import CampaignStore


class Faults:
    """Collected faults of a batch; raised together as one 422, before anything is written."""

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []

    def add(self, position: int, field: str, message: str, value: Any) -> None:
        """Note one fault."""
        self.found.append(
            {"type": "value_error", "loc": ["body", position, field], "msg": message, "input": value}
        )

    def raise_any(self) -> None:
        """Raise a 422 when there are faults."""
        if self.found:
            raise HTTPException(422, self.found)


class Reader:
    """Makes items of one campaign from bodies."""

    def __init__(self, store: CampaignStore, campaign: str) -> None:
        """`campaign` is the uuid of a campaign that exists."""
        self.store = store
        self.uuid = campaign
        self.faults = Faults()

    async def notes(self, bodies: Sequence[NoteBody]) -> list[Item]:
        """Notes; an id that is no UUID is mapped to one."""
        keys = [item_id(self.uuid, "note", body.id or body.title) for body in bodies]
        self._unique(keys, [body.id for body in bodies])
        self.faults.raise_any()
        return [
            Note(
                id=key,
                title=body.title,
                content=body.content.replace("\r\n", "\n"),
                created_at=body.created_at,
            )
            for key, body in zip(keys, bodies, strict=True)
        ]

    async def artifacts(self, bodies: Sequence[ArtifactBody]) -> list[Item]:
        """Artifacts whose notes exist."""
        keys = [item_id(self.uuid, "artifact", body.id or body.name) for body in bodies]
        self._unique(keys, [body.id for body in bodies])
        notes = await self._note_ids(bodies)
        self.faults.raise_any()
        return [
            Artifact(
                id=key,
                name=body.name,
                type=body.type,
                description=body.description,
                aliases=tuple(dict.fromkeys(body.aliases)),
                note_ids=known,
            )
            for key, body, known in zip(keys, bodies, notes, strict=True)
        ]

    async def relations(self, bodies: Sequence[RelationBody]) -> list[Item]:
        """Relations whose ends and notes exist."""
        known = await self._artifacts(end for body in bodies for end in (body.source, body.target))
        ends = [
            (self._end(known, at, "source", body.source), self._end(known, at, "target", body.target))
            for at, body in enumerate(bodies)
        ]
        notes = await self._note_ids(bodies)
        keys = [
            item_id(self.uuid, "relation", body.id or f"{source}|{fold(body.label)}|{target}")
            for body, (source, target) in zip(bodies, ends, strict=True)
        ]
        self._unique(keys, [body.id for body in bodies])
        self.faults.raise_any()
        return [
            Relation(
                id=key,
                source=source,
                target=target,
                label=body.label,
                description=body.description,
                reasoning=body.reasoning,
                note_ids=cited,
            )
            for key, body, (source, target), cited in zip(keys, bodies, ends, notes, strict=True)
        ]

    async def _artifacts(self, wanted: Iterable[str]) -> References:
        """The campaign's artifacts by id; by name, too, when something wanted is no known id."""
        known = References(self.uuid, "artifact")
        ids = {item_id(self.uuid, "artifact", each) for each in wanted}
        known.ids |= (await self.store.stored(self.uuid, "artifact", sorted(ids))).keys()
        if not ids <= known.ids:
            for artifact in await self.store.artifacts(self.uuid):
                known.add(artifact.id, artifact.name, artifact.aliases)
        return known

    def _end(self, known: References, position: int, field: str, text: str) -> str:
        try:
            found = known.find(text)
        except Ambiguous as error:
            self.faults.add(position, field, str(error), text)
            return ""
        if found is None:
            self.faults.add(position, field, f"the campaign has no artifact {text!r}", text)
        return found or ""

    async def _note_ids(self, bodies: Sequence[ArtifactBody | RelationBody]) -> list[tuple[str, ...]]:
        made = [[item_id(self.uuid, "note", each) for each in body.note_ids] for body in bodies]
        wanted = sorted({key for keys in made for key in keys})
        known = await self.store.stored(self.uuid, "note", wanted) if wanted else {}
        for at, (body, keys) in enumerate(zip(bodies, made, strict=True)):
            for text, key in zip(body.note_ids, keys, strict=True):
                if key not in known:
                    self.faults.add(at, "noteIds", f"the campaign has no note {text!r}", text)
        return [tuple(dict.fromkeys(keys)) for keys in made]

    def _unique(self, keys: Sequence[str], given: Sequence[str | None]) -> None:
        first: dict[str, int] = {}
        for at, key in enumerate(keys):
            if key in first:
                self.faults.add(at, "id", f"the same as item {first[key]} of this batch", given[at])
            first.setdefault(key, at)
