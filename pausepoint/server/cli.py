"""`pausepoint serve`: the command line of the server."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pausepoint.errors import PausepointError

app = typer.Typer(add_completion=False)


@app.command()
def serve(
    config: Annotated[Path, typer.Option(help="The project's langgraph.json.")] = Path("langgraph.json"),
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65535)] = 2024,
    data: Annotated[Path | None, typer.Option(help="Data folder; default: PAUSEPOINT_DATA or .data.")] = None,
    jobs: Annotated[int, typer.Option(help="How many runs may be at work at once.", min=1)] = 256,
    reload: Annotated[bool, typer.Option("--reload", help="Restart when a source file changes.")] = False,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen beyond loopback without authentication.")
    ] = False,
    max_body: Annotated[int, typer.Option(help="Largest request body in bytes.", min=1024)] = 32
    * 1024
    * 1024,
    max_queue: Annotated[int, typer.Option(help="Runs that may wait or work.", min=1)] = 20_000,
    max_events: Annotated[int, typer.Option(help="Events one run may stream.", min=100)] = 200_000,
    max_streams: Annotated[int, typer.Option(help="Streams that may be open.", min=1)] = 5_000,
    drain_seconds: Annotated[
        float, typer.Option(help="How long a run may take for its step at shutdown.")
    ] = 20.0,
) -> None:
    """Serve the graphs of a langgraph.json: the LangGraph API on SQLite, durable."""
    from pausepoint.server.limits import Limits
    from pausepoint.server.serve import serve as run
    from pausepoint.settings import get_settings

    folder = data or get_settings().data
    limits = Limits(
        body_bytes=max_body, queue_length=max_queue, events_per_run=max_events, streams=max_streams
    )
    try:
        if reload:
            from pausepoint.server.reload import supervise

            supervise(config, port)
            return
        run(config, host, port, folder, jobs, insecure=insecure, limits=limits, grace=drain_seconds)
    except PausepointError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None


if __name__ == "__main__":
    sys.exit(app())
