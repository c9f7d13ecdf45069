"""What commands ask of the campaign routes: which campaign is meant, is it loaded, its note titles."""

from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pausepoint.errors import PausepointError

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient


async def find_campaign(client: "LangGraphClient", wanted: str) -> str:
    """The UUID of a campaign given by UUID, or by name or a part of it (case ignored); nothing means the only one.

    Raises:
        PausepointError: none or several match; lists what is loaded.
    """
    known = await _campaigns(client)
    key = wanted.casefold()
    exact = [c for c in known if c["uuid"] == key or c["name"].casefold() == key]
    near = exact or [c for c in known if key in c["name"].casefold()]
    if len(near) == 1:
        return near[0]["uuid"]
    loaded = (
        ", ".join(f"{c['name']} ({c['uuid']})" for c in known)
        or "none; load one: pausepoint load campaign DIR"
    )
    if not wanted:
        raise PausepointError(f"Which campaign? Name one with --campaign. Loaded: {loaded}.")
    found = "fits several campaigns" if near else "is not loaded"
    raise PausepointError(f"Campaign {wanted!r} {found}. Loaded: {loaded}.")


async def loaded_campaign(client: "LangGraphClient", wanted: str, folder: Path) -> str:
    """The campaign's UUID, after loading it from `folder` when it is not there yet."""
    known = await _campaigns(client)
    if not any(wanted in (c["uuid"], c["name"]) for c in known) and (folder / "campaign.yaml").exists():
        from pausepoint.cli.load import load_folder

        await load_folder(folder, client)
    return await find_campaign(client, wanted)


async def note_titles(client: "LangGraphClient", campaign: str) -> set[str]:
    """Every note title of a campaign, as it may be cited."""
    notes: Any = await client.http.get(f"/api/campaigns/{UUID(campaign)}/notes")
    return {" ".join(n["title"].replace("[", "(").replace("]", ")").split()) for n in notes}


async def _campaigns(client: "LangGraphClient") -> list[dict[str, Any]]:
    return await client.http.get("/api/campaigns")  # type: ignore[return-value]
