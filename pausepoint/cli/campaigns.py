"""`pausepoint campaigns`: what is loaded, from the server that holds the data folder or from the folder itself."""

import asyncio
import json
from typing import Annotated, Any

import typer

from pausepoint.cli.plain import plain


def campaigns(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """List the loaded campaigns with what they hold."""
    found = asyncio.run(loaded_campaigns())
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    if not found:
        typer.echo("No campaigns yet. Load one: pausepoint load campaign DIR")
    for each in found:
        counts = ", ".join(f"{count} {kind}" for kind, count in each["counts"].items())
        typer.echo(plain(f"{each['uuid']}  {each['name']} ({each['language']}): {counts}"))


async def loaded_campaigns() -> list[dict[str, Any]]:
    """Uuid, name, language and counts of every campaign, by name."""
    from pausepoint.settings import get_settings
    from pausepoint.storage.folder import holder

    settings = get_settings()
    held = holder(settings.data)
    if held and held.url:
        return await _over_http(held.url)
    path = settings.data / "pausepoint.sqlite"
    return await _from_file(path) if path.exists() else []


async def _over_http(url: str) -> list[dict[str, Any]]:
    import httpx

    from pausepoint.campaigns.remote import send

    async with httpx.AsyncClient(base_url=url, timeout=30, trust_env=False) as client:
        found: list[dict[str, Any]] = await send(client, "GET", "/api/campaigns")
    return [{key: each[key] for key in ("uuid", "name", "language", "counts")} for each in found]


async def _from_file(path: Any) -> list[dict[str, Any]]:
    from pausepoint.campaigns.store import CampaignStore
    from pausepoint.storage.database import Database

    async with await Database.open(path) as database:
        store = CampaignStore(database)
        return [
            _shown(row.uuid, row.name, row.language, await store.counts(row.uuid))
            for row in await store.all()
        ]


def _shown(uuid: str, name: str, language: str, counts: Any) -> dict[str, Any]:
    held = {"notes": counts.notes, "artifacts": counts.artifacts, "relations": counts.relations}
    return {"uuid": uuid, "name": name, "language": language, "counts": held}
