"""`pausepoint status`: who holds the data folder, since when, and where it can be reached."""

import json
from typing import Annotated

import typer


def status(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tell who holds the data folder, and where it serves."""
    from pausepoint.settings import get_settings
    from pausepoint.storage.folder import holder

    folder = get_settings().data.expanduser().resolve()
    held = holder(folder)
    if as_json:
        about = {"pid": held.pid, "role": held.role, "url": held.url, "since": held.since} if held else None
        typer.echo(json.dumps({"data": str(folder), "exists": folder.exists(), "holder": about}))
        return
    if held is None:
        typer.echo(f"{folder}: nobody holds it" + ("" if folder.exists() else " (it does not exist yet)"))
        return
    where = f", serving at {held.url}" if held.url else ""
    typer.echo(f"{folder}: held by process {held.pid} ({held.role}{where}) since {held.since}")
