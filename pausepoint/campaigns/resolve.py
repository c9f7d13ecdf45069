"""Which campaign a person means: by UUID, by name, or by a part of its name."""

from typing import TYPE_CHECKING

from pausepoint.errors import PausepointError

if TYPE_CHECKING:
    from pausepoint.campaigns.store import CampaignRow, CampaignStore


class NoSuchCampaign(PausepointError):
    """Nothing, or too much, fits what was asked for; the message lists what is loaded."""


async def resolve_campaign(store: "CampaignStore", wanted: str) -> "CampaignRow":
    """The one campaign that fits; with nothing asked for, the only one loaded.

    Args:
        store: where campaigns are kept.
        wanted: UUID, name, or part of a name (case ignored); may be empty.

    Raises:
        NoSuchCampaign: none or several fit.
    """
    found = await store.look_up(wanted) if wanted else None
    if found is not None:
        return found
    rows = await store.all()
    key = wanted.casefold()
    exact = [r for r in rows if r.campaign.name.casefold() == key]
    near = exact or [r for r in rows if key in r.campaign.name.casefold()]
    if len(near) == 1:
        return near[0]
    loaded = ", ".join(f"{r.campaign.name!r} ({r.uuid})" for r in rows) or "none"
    what = f"{wanted!r} fits {len(near)} campaigns" if near else f"there is no campaign {wanted!r}"
    raise NoSuchCampaign(f"Which campaign? {what}; loaded: {loaded}.")
