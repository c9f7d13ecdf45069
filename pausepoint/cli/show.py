"""How commands show a load: progress and problems on stderr, the outcome on stdout."""

import json
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

import typer

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from pausepoint.campaigns.folder import ParsedFolder
    from pausepoint.campaigns.load import LoadReport
    from pausepoint.campaigns.model import PointType

_MOST = 50


class LoadProgress:
    """A bar per kind of item on a terminal, nothing elsewhere; remembers how far it came."""

    def __init__(self, name: str) -> None:
        """`name` is the campaign's."""
        self._name = name
        self._done: dict[PointType, tuple[int, int]] = {}
        self._bars: Progress | None = None
        self._tasks: dict[PointType, TaskID] = {}

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            self._bars = Progress(
                TextColumn("{task.description:>10}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
            )
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars:
            self._bars.stop()

    def update(self, kind: "PointType", done: int, total: int) -> None:
        """So many of a kind's items are written."""
        self._done[kind] = (done, total)
        if self._bars:
            if kind not in self._tasks:
                self._tasks[kind] = self._bars.add_task(f"{kind}s", total=total)
            self._bars.update(self._tasks[kind], completed=done)

    def stopped(self, again: str) -> None:
        """Say what is kept after Ctrl-C, and how to go on."""
        kept = ", ".join(f"{done} of {total} {kind}s" for kind, (done, total) in self._done.items())
        typer.echo(f"stopped; kept: {kept or 'nothing yet'}. Go on with: {again}", err=True)


def show_problems(source: "ParsedFolder") -> None:
    """Every problem on a line of stderr, the errors first."""
    ordered = sorted(source.problems, key=lambda problem: problem.severity)
    for problem in ordered[:_MOST]:
        word = typer.style(problem.severity, fg="red" if problem.severity == "error" else "yellow")
        typer.echo(f"{word if sys.stderr.isatty() else problem.severity}: {problem}", err=True)
    if len(ordered) > _MOST:
        typer.echo(f"... and {len(ordered) - _MOST} more problems (--json lists all)", err=True)


def show_report(report: "LoadReport", as_json: bool) -> None:
    """The outcome of a load."""
    if as_json:
        typer.echo(json.dumps(report.as_json(), ensure_ascii=False, indent=2))
        return
    typer.echo(f"{report.campaign.name} ({report.campaign.uuid})")
    for kind, counts in report.kinds.items():
        parts = [f"{counts.added} new", f"{counts.changed} changed", f"{counts.unchanged} unchanged"]
        if counts.removed:
            parts.append(f"{counts.removed} removed")
        typer.echo(f"  {kind + 's':<10} {', '.join(parts)}")
        if counts.gone:
            named = ", ".join(repr(name) for name in counts.gone[:5]) + (
                ", ..." if len(counts.gone) > 5 else ""
            )
            typer.echo(f"  {'':<10} {len(counts.gone)} not in the folder any more: {named} (--prune removes)")
    if report.prune_skipped:
        typer.echo(f"  not pruned: {report.prune_skipped}")
    errors = sum(problem.severity == "error" for problem in report.problems)
    typer.echo(f"  {report.changes} changes, {errors} errors, {report.seconds:.1f} s")
