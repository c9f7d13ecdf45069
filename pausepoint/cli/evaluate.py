"""`pausepoint eval`: measure answers against labelled questions."""

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pausepoint.errors import PausepointError

if TYPE_CHECKING:
    from pausepoint.evaluation.run import Report

app = typer.Typer(
    help="Measure answers against labelled questions (format: docs/formats.md).", no_args_is_help=False
)


@app.callback(invoke_without_command=True)
def samples(context: typer.Context) -> None:
    """Without a command: evaluate every sample campaign and print one table each."""
    if context.invoked_subcommand:
        return
    files = sorted(Path("samples").glob("*/questions.yaml"))
    if not files:
        raise PausepointError("No samples/*/questions.yaml here; name a file: pausepoint eval campaign FILE.")
    for file in files:
        campaign(file)


@app.command()
def campaign(
    file: Annotated[
        Path, typer.Argument(help="A questions.yaml; its campaign's folder is loaded if need be.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object with every outcome.")
    ] = False,
    failures: Annotated[bool, typer.Option("--failures", help="List what was judged wrong.")] = False,
    at_once: Annotated[int, typer.Option(min=1, max=32, help="Questions asked at the same time.")] = 1,
) -> None:
    """Ask every question of FILE and compare actions, first sources, names and citations with the labels.

    Exit code 0 when the file was evaluated, whatever the result; 1 when it could not be.

    Example: pausepoint eval campaign samples/sol-i-popiol/questions.yaml --failures
    """
    report = asyncio.run(_evaluate(file, at_once))
    if as_json:
        typer.echo(json.dumps(report.plain(), ensure_ascii=False, indent=2))
    else:
        _print(report, file, failures)


async def _evaluate(file: Path, at_once: int) -> "Report":
    from rich.console import Console
    from rich.progress import Progress

    from pausepoint.cli.campaign_access import loaded_campaign, note_titles
    from pausepoint.cli.connect import connect
    from pausepoint.evaluation.questions import read_questions
    from pausepoint.evaluation.run import evaluate
    from pausepoint.settings import get_settings

    questions = read_questions(file)
    async with connect(get_settings()) as client:
        uuid = await loaded_campaign(client, questions.campaign, file.parent)
        titles = await note_titles(client, uuid)
        with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
            task = bar.add_task("questions", total=len(questions.questions))
            return await evaluate(
                client, uuid, questions.questions, titles, lambda: bar.advance(task), at_once
            )


def _print(report: "Report", file: Path, failures: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("measure", "right", "of", "share", title=f"{file} ({len(report.outcomes)} questions)")
    for name, share in report.shares().items():
        shown = "–" if share.share is None else f"{share.share:.1%}"
        table.add_row(name, str(share.right), str(share.of), shown)
    console = Console()
    console.print(table)
    latency = report.latency()
    console.print(f"question to answer: p50 {latency['p50']} ms, p95 {latency['p95']} ms")
    if failures:
        for outcome in report.outcomes:
            _print_failure(console, asdict(outcome))


def _print_failure(console: Any, o: dict[str, Any]) -> None:
    wrong = [
        k for k in ("action_right", "evidence_right", "entities_right", "citations_valid") if o[k] is False
    ]
    if wrong:
        console.print(
            f"{o['id']}  {o['question']}\n    wrong: {', '.join(wrong)}; action {o['action']} "
            f"(accepted {', '.join(o['accepted'])}); first source {o['first_source']}",
            highlight=False,
            markup=False,
        )
