"""`pausepoint load campaign DIR`: into the data folder, or through the server that holds it."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pausepoint.cli.show import LoadProgress, show_problems, show_report

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient

    from pausepoint.campaigns.folder import ParsedFolder
    from pausepoint.campaigns.load import LoadReport, Progress

app = typer.Typer(
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    help="Load a campaign from a folder.",
)


@app.callback()
def group() -> None:
    """Load a campaign from a folder."""


@app.command()
def campaign(
    folder: Annotated[Path, typer.Argument(help="The campaign's folder (docs/formats.md).")],
    prune: Annotated[bool, typer.Option("--prune", help="Remove what the folder no longer has.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only read the folder; exit 1 on errors.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Load a folder of Markdown notes and YAML artifacts and relations.

    Files that cannot be read are named with line and reason; the rest is loaded. Stop it whenever you like
    and start it again: it goes on where it was. Loading twice changes nothing.
    """
    from pausepoint.campaigns.folder import read_folder

    source = read_folder(folder)
    show_problems(source)
    if dry_run:
        _show_plan(source, as_json)
        raise typer.Exit(1 if source.errors else 0)
    with LoadProgress(source.campaign.name) as progress:
        try:
            report = asyncio.run(_load(source, progress.update, prune))
        except KeyboardInterrupt:
            progress.stopped(f"pausepoint load campaign {folder}")
            raise typer.Exit(130) from None
    show_report(report, as_json)


@app.command()
def vectors(
    folder: Annotated[Path, typer.Argument(help="The campaign's folder (docs/formats.md).")],
) -> None:
    """Write the vectors of a folder's texts into it (vectors.npz), so that others load it without embedding.

    The file is good for the embedding model it was made with; texts that change later are embedded as ever.
    """
    from pausepoint.campaigns.folder import read_folder

    source = read_folder(folder)
    show_problems(source)
    with LoadProgress(source.campaign.name) as progress:
        count = asyncio.run(_write_vectors(source, folder, progress.update))
    typer.echo(f"{folder / 'vectors.npz'}: vectors of {count} texts")


async def _write_vectors(source: "ParsedFolder", folder: Path, progress: "Progress") -> int:
    """Load the folder into stores that are thrown away, and keep the vectors."""
    from tempfile import TemporaryDirectory

    from pausepoint.campaigns.load import load_campaign
    from pausepoint.models.embeddings.prepared import FILE, Prepared
    from pausepoint.services import open_services
    from pausepoint.settings import get_settings

    with TemporaryDirectory() as data:
        services = await open_services(get_settings().model_copy(update={"data": Path(data)}))
        try:
            services.ingest.prepared = prepared = Prepared(remember=True)
            await load_campaign(source, services, progress)
            return prepared.write(folder / FILE, services.embedder.name)
        finally:
            await services.close()


async def _load(source: "ParsedFolder", progress: "Progress", prune: bool) -> "LoadReport":
    """Load here; through the server when one holds the data folder."""
    from pausepoint.campaigns.load import load_campaign
    from pausepoint.services import open_services
    from pausepoint.settings import get_settings
    from pausepoint.storage.folder import DataFolderHeld

    try:
        services = await open_services(get_settings())
    except DataFolderHeld as held:
        if held.holder is None or not held.holder.url:
            raise
        return await _load_through(held.holder.url, source, progress, prune)
    try:
        return await load_campaign(source, services, progress, prune=prune)
    finally:
        await services.close()


async def _load_through(url: str, source: "ParsedFolder", progress: "Progress", prune: bool) -> "LoadReport":
    import httpx

    from pausepoint.campaigns.load import load_into
    from pausepoint.campaigns.remote import HttpTarget

    async with httpx.AsyncClient(base_url=url, timeout=300, trust_env=False) as client:
        return await load_into(source, HttpTarget(client, source.campaign.uuid), progress, prune=prune)


async def load_folder(folder: Path, client: "LangGraphClient") -> "LoadReport":
    """Load a folder over a client of the server, with progress on stderr."""
    from pausepoint.campaigns.folder import read_folder
    from pausepoint.campaigns.load import load_into
    from pausepoint.campaigns.remote import HttpTarget

    source = await asyncio.to_thread(read_folder, folder)
    show_problems(source)
    target = HttpTarget(client.http.client, source.campaign.uuid)
    with LoadProgress(source.campaign.name) as progress:
        return await load_into(source, target, progress.update)


def _show_plan(source: "ParsedFolder", as_json: bool) -> None:
    counts = {
        "notes": len(source.notes),
        "artifacts": len(source.artifacts),
        "relations": len(source.relations),
    }
    if as_json:
        about = {"uuid": source.campaign.uuid, "name": source.campaign.name}
        problems = [
            {"file": p.file, "line": p.line, "reason": p.reason, "severity": p.severity}
            for p in source.problems
        ]
        typer.echo(
            json.dumps({"campaign": about, **counts, "problems": problems}, ensure_ascii=False, indent=2)
        )
        return
    listed = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    typer.echo(f"{source.campaign.name}: {listed} can be loaded; {len(source.errors)} errors")
