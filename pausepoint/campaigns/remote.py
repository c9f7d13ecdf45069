"""Loads a campaign through the campaign routes of a server that holds the data folder."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from pausepoint.campaigns.ingest import Change
from pausepoint.campaigns.model import Campaign, PointType
from pausepoint.campaigns.records import Item
from pausepoint.errors import PausepointError

if TYPE_CHECKING:
    import httpx

_NAMES: dict[PointType, str] = {"note": "title", "artifact": "name", "relation": "label"}


class ServerRefused(PausepointError):
    """The server did not do what it was asked; says what it answered."""


class HttpTarget:
    """A campaign on a server."""

    def __init__(self, client: "httpx.AsyncClient", uuid: str) -> None:
        """Load the campaign `uuid` over a client whose base URL is the server's."""
        self._client = client
        self._path = f"/api/campaigns/{uuid}"

    async def open(self, campaign: Campaign) -> None:
        """Create or update the campaign."""
        await self._send("PUT", "", json=campaign.model_dump(exclude={"uuid"}))

    async def upsert(self, kind: PointType, items: Sequence[Item]) -> Change:
        """Write items of one kind."""
        return Change(
            **await self._send("POST", f"/{kind}s", json=[i.model_dump(mode="json") for i in items])
        )

    async def names(self, kind: PointType) -> dict[str, str]:
        """What is stored: names by id."""
        found: list[dict[str, Any]] = await self._send("GET", f"/{kind}s")
        return {item["id"]: item[_NAMES[kind]] for item in found}

    async def delete(self, kind: PointType, ids: Sequence[str]) -> None:
        """Remove items."""
        await self._send("DELETE", f"/{kind}s", params={"id": list(ids)})

    async def finish(self, digest: str) -> None:
        """Note that everything was written."""
        await self._send("PUT", "/source", json={"digest": digest})

    async def _send(self, method: str, path: str, **options: Any) -> Any:
        return await send(self._client, method, self._path + path, **options)


async def send(client: "httpx.AsyncClient", method: str, path: str, **options: Any) -> Any:
    """One request; its JSON answer, None when there is none.

    Raises:
        ServerRefused: the server cannot be reached or refused.
    """
    import httpx

    try:
        response = await client.request(method, path, **options)
    except httpx.HTTPError as error:
        raise ServerRefused(
            f"The server at {client.base_url} cannot be reached ({type(error).__name__}: {error}); "
            "is it still running? `pausepoint status` tells. What was loaded is kept."
        ) from error
    if response.is_error:
        raise ServerRefused(
            f"The server at {client.base_url} answered {method} {path} with {response.status_code}: "
            f"{_reason(response)}"
        )
    return response.json() if response.content else None


def _reason(response: "httpx.Response") -> str:
    try:
        detail: Any = response.json().get("detail")
    except (ValueError, AttributeError):
        return response.text[:500]
    if isinstance(detail, list):
        faults = cast("list[dict[str, Any]]", detail)
        return "; ".join(f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}" for each in faults[:5])
    return str(detail)
