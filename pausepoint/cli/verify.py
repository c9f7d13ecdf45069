"""`pausepoint verify`: walks the chain of decisions, names the first broken entry, exports it as JSON Lines."""

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from pausepoint.errors import PausepointError

BROKEN = 5
"""Exit code when the chain is broken."""


def verify(
    expect: Annotated[
        str | None, typer.Option(help="A hash noted earlier, which must still be in the chain.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write all entries as JSON Lines; - for stdout.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Data folder; default: PAUSEPOINT_DATA or .data.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Verify that no decision was changed, removed or inserted. Works beside a running server.

    Keep the printed head somewhere else: with --expect it also proves that nothing was cut off at the end.
    """
    from pausepoint.pauses.decisions import verify as walk
    from pausepoint.settings import get_settings

    path = (data or get_settings().data) / "pausepoint.sqlite"
    if not path.exists():
        raise PausepointError(f"There is no database at {str(path)!r}; name the data folder with --data.")
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as conn:
        conn.execute("BEGIN")
        found = walk(conn, expect)
        if export is not None:
            _export(conn, export)
    outcome = {
        "entries": found.entries,
        "head": found.head,
        "broken_at": found.broken_at,
        "reason": found.reason,
    }
    if as_json:
        typer.echo(json.dumps(outcome), err=export is not None)
    elif found.intact:
        typer.echo(f"{found.entries} decisions, intact; head {found.head}", err=export is not None)
    else:
        typer.echo(f"error: {found.reason} {found.entries} entries before it are sound.", err=True)
    if not found.intact:
        raise typer.Exit(BROKEN)


def _export(conn: sqlite3.Connection, target: Path) -> None:
    from pausepoint.pauses.decisions import export

    lines = (json.dumps(entry, ensure_ascii=False) + "\n" for entry in export(conn))
    if str(target) == "-":
        sys.stdout.writelines(lines)
        return
    with target.open("w", encoding="utf-8") as file:
        file.writelines(lines)
