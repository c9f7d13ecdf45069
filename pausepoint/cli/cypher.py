"""`pausepoint cypher check`: what the guard says about a query, for people and, line by line, for programs."""

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

if TYPE_CHECKING:
    from pausepoint.cypher import CypherRefused, GuardedQuery, GuardRules

app = typer.Typer(
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    help="Check Cypher before it runs.",
)


@app.callback()
def cypher() -> None:
    """Check Cypher before it runs."""


@app.command()
def check(
    query: Annotated[str | None, typer.Argument(help="The query to check.")] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='Read {"query", "params"?} a line from stdin, answer a line each.')
    ] = False,
    labels: Annotated[str | None, typer.Option(help="Labels that may be named, separated by commas.")] = None,
    no_tenant: Annotated[bool, typer.Option("--no-tenant", help="Check without tenancy.")] = False,
) -> int:
    """Tell whether a query may run, why not and where, and what would run in its place."""
    rules = _rules(labels, no_tenant)
    if jsonl:
        for line in sys.stdin:
            if line.strip():
                typer.echo(json.dumps(_answer(line, rules)))
        return 0
    if query is None:
        raise typer.BadParameter("give a query, or --jsonl and queries on stdin")
    return _explain(query, rules)


def _rules(labels: str | None, no_tenant: bool) -> "GuardRules":
    from pausepoint.cypher import GuardRules

    known = frozenset(label.strip() for label in labels.split(",") if label.strip()) if labels else None
    if no_tenant:
        return GuardRules(tenant_key=None, labels=known, open_paths="lower")
    return GuardRules(labels=known)


def _explain(query: str, rules: "GuardRules") -> int:
    from pausepoint.cypher import CypherRefused, guard

    try:
        guarded = guard(query, rules)
    except CypherRefused as refused:
        _write(_refusal(query, refused))
        return 1
    _write(_acceptance(guarded))
    return 0


def _refusal(query: str, refused: "CypherRefused") -> Iterator[str]:
    lines = query.replace("\t", " ").split("\n")
    yield f"Refused ({refused.rule}), line {refused.line}, column {refused.column}: {refused.reason}"
    yield f"  {lines[refused.line - 1].rstrip()}"
    yield f"  {' ' * (refused.column - 1)}^"
    if refused.hint:
        yield refused.hint


def _acceptance(guarded: "GuardedQuery") -> Iterator[str]:
    yield "Accepted. This would run:"
    yield f"  {guarded.cypher}"
    for name, value in guarded.params.items():
        yield f"  ${name} = {value!r}"
    for change in guarded.changes:
        yield f"- {change}"


def _write(lines: Iterator[str]) -> None:
    for line in lines:
        typer.echo(line)


def _answer(line: str, rules: "GuardRules") -> dict[str, Any]:
    from pausepoint.cypher import CypherRefused, guard

    try:
        query, params = _read(line)
        guarded = guard(query, rules, params)
    except CypherRefused as refused:
        return _row(False, str(refused), refused.position, None, {})
    except ValueError as wrong:
        return _row(False, f"The line is not a query: {wrong}.", 0, None, {})
    return _row(True, None, None, guarded.cypher, guarded.params)


def _row(
    accept: bool, reason: str | None, position: int | None, text: str | None, params: dict[str, Any]
) -> dict[str, Any]:
    return {"accept": accept, "reason": reason, "position": position, "cypher": text, "params": params}


def _read(line: str) -> tuple[str, dict[str, Any]]:
    """Take a line apart; `params` may also be a list of names whose values are not known yet."""
    row: Any = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError('not an object with "query"')
    fields = cast("dict[str, Any]", row)
    query: Any = fields.get("query")
    params: Any = fields.get("params") or {}
    if not isinstance(query, str):
        raise ValueError('"query" is not a text')
    if isinstance(params, list):
        return query, {str(name): None for name in cast("list[Any]", params)}
    if not isinstance(params, dict):
        raise ValueError('"params" is not an object')
    return query, cast("dict[str, Any]", params)
