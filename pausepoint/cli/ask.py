"""`pausepoint ask`: a question about a campaign, answered as it is written, with the subgraph as a small table."""

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pausepoint.cli.plain import plain
from pausepoint.errors import PausepointError

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient
    from rich.table import Table

Values = dict[str, Any]
_ROWS = 12


def ask(
    question: Annotated[str, typer.Argument(help="The question, in any language; at most 500 characters.")],
    campaign: Annotated[
        str, typer.Option("--campaign", "-c", help="UUID or name (a part of it will do).")
    ] = "",
    thread: Annotated[str | None, typer.Option(help="Continue this conversation (its thread id).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole answer object.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the answer as a Markdown document.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Include debugInfo: plan, Cypher, evidence.")
    ] = False,
    cache: Annotated[bool, typer.Option(help="Use the answer cache.")] = True,
) -> None:
    """Ask about a campaign. The answer cites its notes; what was found in the graph follows as a table.

    A vague question is asked back: in a terminal you choose, in a script the exit code is 3 and the printed
    handle can be answered later (see docs/assistant.md).

    Example: pausepoint ask "Jakie są relacje Adama?" --campaign "Sól i popiół"
    """
    asked = Asked(question, campaign, thread, as_json or markdown, debug, cache)
    values, thread_id = asyncio.run(_answered(asked))
    code = _finish(values, thread_id, as_json, markdown, question)
    if code:
        raise typer.Exit(code)


async def _answered(asked: "Asked") -> tuple[Values, str]:
    """Run it; what the server refuses (an unknown thread, one that waits) is said in its words."""
    from langgraph_sdk.errors import APIStatusError

    try:
        return await asked.run()
    except APIStatusError as error:
        raise PausepointError(f"The server refused: {error}") from error


class Asked:
    """One question on its way: opens a thread, streams, answers clarifications with the person."""

    def __init__(
        self, question: str, campaign: str, thread: str | None, quiet: bool, debug: bool, cache: bool
    ) -> None:
        """`quiet`: print nothing while it is answered."""
        self.question, self.campaign, self.thread, self.quiet = question, campaign, thread, quiet
        self.context = {"debug": debug, "use_cache": cache}

    async def run(self) -> tuple[Values, str]:
        """The final values and the thread."""
        from pausepoint.cli.campaign_access import find_campaign
        from pausepoint.cli.connect import connect
        from pausepoint.settings import get_settings

        if not self.question.strip():
            raise PausepointError("The question is empty; ask something.")
        async with connect(get_settings(), Path("langgraph.json")) as client:
            campaign = await find_campaign(client, self.campaign)
            thread = (
                self.thread or (await client.threads.create(metadata={"campaign": campaign}))["thread_id"]
            )
            context = {**self.context, "campaign": campaign}
            start: Values = {"input": {"question": self.question, "campaign": campaign}, "context": context}
            values = await self._stream(client, thread, start)
            while waiting := _waiting(values):
                if self.quiet or not sys.stdin.isatty():
                    break
                resume = {waiting["id"]: _choose(waiting["value"])}
                values = await self._stream(
                    client, thread, {"command": {"resume": resume}, "context": context}
                )
            return values, thread

    async def _stream(self, client: "LangGraphClient", thread: str, start: Values) -> Values:
        values: Values = {}
        shown = False
        async for part in client.runs.stream(thread, "assistant", stream_mode=["custom", "values"], **start):
            if part.event == "error":
                raise PausepointError(f"The run failed: {part.data.get('error')}: {part.data.get('message')}")
            if part.event == "values":
                values = {**values, **part.data}
            elif part.event == "custom" and part.data.get("type") == "text" and not self.quiet:
                sys.stdout.write(plain(part.data["text"]))
                sys.stdout.flush()
                shown = True
            elif part.event == "custom" and shown and not self.quiet:
                sys.stdout.write("\n---\n")
        answer = values.get("answer") or {}
        if not self.quiet and not _waiting(values):
            sys.stdout.write("\n" if shown else f"{plain(answer.get('textResponse', ''))}\n")
        return values


def _waiting(values: Values) -> Values | None:
    return (values.get("__interrupt__") or [None])[0]


def _choose(envelope: Values) -> str:
    for error in envelope.get("errors") or []:
        typer.secho(error["message"], fg="red", err=True)
    _show_choice(envelope)
    return typer.prompt("Number or question")


def _show_choice(envelope: Values) -> None:
    typer.echo(plain(envelope["message"]))
    for number, option in enumerate(envelope["options"], 1):
        typer.echo(f"  {number}. {plain(option)}")


def _finish(values: Values, thread: str, as_json: bool, markdown: bool, question: str) -> int:
    """Print what is due at the end; the exit code."""
    waiting = _waiting(values)
    if waiting:
        return _handle(waiting, thread, as_json)
    answer = values["answer"]
    if as_json:
        typer.echo(json.dumps({**answer, "threadId": thread}, ensure_ascii=False, indent=2))
    elif markdown:
        typer.echo(plain(as_markdown(question, answer)), nl=False)
    else:
        _tables(answer, thread)
    return 1 if answer["responseType"] == "error" else 0


def _handle(waiting: Values, thread: str, as_json: bool) -> int:
    envelope = waiting["value"]
    handle = {
        "threadId": thread,
        "interruptId": waiting["id"],
        **{k: envelope[k] for k in ("message", "options")},
    }
    if as_json:
        shown = {
            "responseType": "clarification_needed",
            "textResponse": envelope["message"],
            "clarification": handle,
        }
        typer.echo(json.dumps(shown, ensure_ascii=False, indent=2))
    else:
        _show_choice(envelope)
        typer.echo(f"waiting: thread {thread}, interrupt {waiting['id']}")
    return 3


def as_markdown(question: str, answer: Values) -> str:
    """An answer as a Markdown document: text, relations, sources."""
    parts = [f"# {question}", answer["textResponse"]]
    graph = answer.get("graphData")
    if graph and graph["edges"]:
        names = {n["id"]: n["name"] for n in graph["nodes"]}
        rows = [f"| {names[e['source']]} | {e['label']} | {names[e['target']]} |" for e in graph["edges"]]
        parts.append("\n".join(["| from | relation | to |", "|---|---|---|", *rows]))
    if answer["sources"]:
        parts.append("\n".join(f"- {s['noteTitle']}" for s in answer["sources"]))
    return "\n\n".join(parts) + "\n"


def _tables(answer: Values, thread: str) -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    whole = not console.is_terminal  # in a pipe, a line is a line
    graph = answer.get("graphData")
    if graph and graph["edges"]:
        console.print(_subgraph(graph))
    if answer["sources"]:
        titles = "; ".join(s["noteTitle"] for s in answer["sources"])
        console.print(plain(f"Sources: {titles}"), soft_wrap=whole)
    if answer.get("debugInfo"):
        console.print_json(data=answer["debugInfo"])
    console.print(f"thread {thread} (continue with --thread)", style="dim", soft_wrap=True)


def _subgraph(graph: Values) -> "Table":
    from rich.table import Table
    from rich.text import Text

    names = {n["id"]: n["name"] for n in graph["nodes"]}
    edges: list[Values] = graph["edges"]
    count = f"{len(names)} nodes, {len(edges)} relations"
    more = f"and {len(edges) - _ROWS} more relations (--json has all)" if len(edges) > _ROWS else None
    table = Table(title=f"Subgraph: {count}", caption=more)
    for heading in ("from", "relation", "to"):
        table.add_column(heading, overflow="fold")
    for edge in edges[:_ROWS]:
        row = (names[edge["source"]], edge["label"], names[edge["target"]])
        table.add_row(*(Text(plain(cell)) for cell in row))  # names are data: "[/b]" in one is no markup
    return table
