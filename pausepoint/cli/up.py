"""`pausepoint up`, what `make run` calls: load the samples if need be, serve them, say what to try."""

import asyncio
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pausepoint.errors import PausepointError

if TYPE_CHECKING:
    from pausepoint.settings import Settings

_ROOT = Path(__file__).parents[2]
_EXAMPLES = {
    "sol-i-popiol": ("Sól i popiół", "Jakie są relacje Adama?"),
    "long-ebb": ("The Long Ebb", "What actually happened on the Night of Lamps?"),
}


class PortTaken(PausepointError):
    """Another program listens where the server should."""


def up(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where to serve on 127.0.0.1.")] = 2024,
) -> None:
    """Load the sample campaigns if need be, serve on 127.0.0.1, and say what to try."""
    from pausepoint.settings import get_settings
    from pausepoint.storage.folder import holder

    settings = get_settings()
    held = holder(settings.data)
    if held and held.url:
        typer.echo(f"Pausepoint is already serving at {held.url} (process {held.pid}).")
        _say_what_to_try(held.url)
        return
    _check_port(port)
    folders = sample_folders()
    missing = [folder for folder in folders if not _loaded(settings, folder)]
    if missing:
        asyncio.run(_load(missing, settings))
    _say_what_to_try(f"http://127.0.0.1:{port}")
    _serve(port)


def sample_folders() -> list[Path]:
    """The sample campaigns of the project."""
    return sorted(path.parent for path in (_ROOT / "samples").glob("*/campaign.yaml"))


def _check_port(port: int) -> None:
    with closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise PortTaken(
                f"Port {port} on 127.0.0.1 cannot be used ({error.strerror}): stop the program that uses it, or "
                f"choose another port: pausepoint up --port {port % 65535 + 1}"
            ) from error


def _loaded(settings: "Settings", folder: Path) -> bool:
    """Whether the folder was loaded completely as it is now; looks at nothing but one row."""
    from pausepoint.campaigns.folder import folder_digest

    path = settings.data / "pausepoint.sqlite"
    if not path.exists():
        return False
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as conn:
        try:
            query = "SELECT 1 FROM campaigns WHERE source_digest = ? AND loading = 0"
            return conn.execute(query, (folder_digest(folder),)).fetchone() is not None
        except sqlite3.Error:
            return False


async def _load(folders: list[Path], settings: "Settings") -> None:
    from pausepoint.campaigns.folder import read_folder
    from pausepoint.campaigns.load import load_campaign
    from pausepoint.cli.show import LoadProgress, show_problems, show_report
    from pausepoint.services import open_services

    services = await open_services(settings)
    try:
        for folder in folders:
            source = await asyncio.to_thread(read_folder, folder)
            show_problems(source)
            typer.echo(f"Loading {source.campaign.name} ...", err=True)
            with LoadProgress(source.campaign.name) as progress:
                report = await load_campaign(source, services, progress.update)
            show_report(report, as_json=False)
    finally:
        await services.close()


def _say_what_to_try(url: str) -> None:
    typer.echo("\nTry in another terminal:")
    for folder in sample_folders():
        if example := _EXAMPLES.get(folder.name):
            name, question = example
            typer.echo(f'  .venv/bin/pausepoint ask "{question}" --campaign "{name}"')
    typer.echo(f"  curl -s {url}/api/campaigns\n")


def _serve(port: int) -> None:
    from pausepoint.server.cli import serve

    serve(config=_ROOT / "langgraph.json", host="127.0.0.1", port=port)
