"""`pausepoint answer`: fills a form in the terminal, field by field, checking each as it is typed."""

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pausepoint.cli.inbox import Refused, find, request, speaking
from pausepoint.errors import PausepointError

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient

Json = dict[str, Any]
_YES = frozenset({"y", "yes", "true", "1", "t", "tak", "ja", "j"})
_NO = frozenset({"n", "no", "false", "0", "nie", "nein"})
REFUSED = 4
"""Exit code when the answer was refused (wrong, or too late)."""


def answer(
    pause: Annotated[str, typer.Argument(help="The id, or its first characters, from `pausepoint inbox`.")],
    given: Annotated[
        str | None, typer.Option("--answer", "-a", help="The answer as JSON; - reads it from stdin.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Only check it.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the receipt, or the errors, as JSON.")
    ] = False,
) -> None:
    """Answer something that waits; the run goes on. Exit code 4: the answer was refused, the question stays.

    Example: pausepoint answer 3f2a --answer '{"decision": "approve"}'
    """
    code = asyncio.run(_answered(pause, given, check, as_json))
    if code:
        raise typer.Exit(code)


async def _answered(pause: str, given: str | None, check: bool, as_json: bool) -> int:
    async with speaking() as client:
        key = await find(client, pause)
        shown = await request(client, "GET", f"/inbox/{key}")
        if given is None and not sys.stdin.isatty():
            raise PausepointError("There is no terminal to ask in; give the answer with --answer JSON.")
        value = _parsed(given) if given is not None else await asyncio.to_thread(_ask_all, shown, [])
        while True:
            try:
                return await _send(client, key, value, check, as_json)
            except Refused as refused:
                wrong = refused.body.get("errors")
                if given is not None or not wrong:
                    return _refusal(refused, as_json)
                value = await asyncio.to_thread(_ask_all, shown, wrong, value)


async def _send(client: "LangGraphClient", key: str, value: Any, check: bool, as_json: bool) -> int:
    if check:
        found = (await request(client, "POST", f"/inbox/{key}/check", json={"answer": value}))["errors"]
        if found:
            raise Refused(422, {"detail": "The answer would not be accepted.", "errors": found})
        typer.echo(json.dumps({"errors": []}) if as_json else "It would be accepted.")
        return 0
    receipt = await request(client, "POST", f"/inbox/{key}/answer", json={"answer": value, "wait": True})
    if as_json:
        typer.echo(json.dumps(receipt, ensure_ascii=False, indent=2))
        return 0
    decision = receipt.get("decision") or {}
    typer.echo(f"Answered; decision {decision.get('seq')}, hash {str(decision.get('hash'))[:12]}.")
    for item in receipt.get("waiting") or []:
        typer.echo(f"Now waiting: {item['title']} ({item['pause_id'][:8]})")
    return 0


def _refusal(refused: Refused, as_json: bool) -> int:
    if as_json:
        typer.echo(json.dumps({"status": refused.status, **refused.body}, ensure_ascii=False, indent=2))
        return REFUSED
    typer.echo(f"error: {refused}", err=True)
    for error in refused.body.get("errors") or []:
        typer.echo(f"  {error['field'] or 'answer'}: {error['message']}", err=True)
    receipt = refused.body.get("receipt")
    if receipt:
        typer.echo(
            f"  it was {receipt['status']} by {receipt['answered_by']} at {receipt['closed_at']}", err=True
        )
    return REFUSED


def _parsed(given: str) -> Any:
    text = sys.stdin.read() if given == "-" else given
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise PausepointError(f"The answer is no JSON: {error}. A text needs quotes: '\"yes\"'.") from error


def _ask_all(shown: Json, wrong: list[Json], before: Any = None) -> Any:
    """Ask for every field of an object, or for the one value there is."""
    schema: Json = shown["schema"] or {}
    value: Any = shown["value"]
    envelope: Json = value if isinstance(value, dict) else {}
    typer.secho(shown["title"], bold=True)
    if envelope.get("message") and envelope["message"] != shown["title"]:
        typer.echo(envelope["message"])
    if not envelope.get("title"):
        typer.echo(json.dumps(value, ensure_ascii=False, indent=2) if not isinstance(value, str) else "")
    for error in [*(envelope.get("errors") or []), *wrong]:
        typer.secho(f"  {error.get('field') or 'answer'}: {error['message']}", fg="red")
    properties: Json = schema.get("properties") or {}
    if not properties:
        return _ask_one("answer", schema, required=True, default=None, language=shown["language"])
    filled = before or (shown["draft"] or {}).get("values") or envelope.get("values") or {}
    order = [n for n in (envelope.get("ui") or {}).get("order", []) if n in properties]
    required = schema.get("required") or []
    found: Json = {}
    for name in [*order, *(n for n in properties if n not in order)]:
        answer = _ask_one(name, properties[name], name in required, filled.get(name), shown["language"])
        if answer is not None:
            found[name] = answer
    return found


def _ask_one(name: str, schema: Json, required: bool, default: Any, language: str) -> Any:
    """Ask until the one value is right; None when it is left out."""
    from pausepoint.pauses.check import field_errors

    options: list[Any] = schema.get("enum") or []
    label = schema.get("title") or name
    hint = f" [{' / '.join(str(o) for o in options)}]" if options else f" ({_hint(schema)})"
    while True:
        text = typer.prompt(
            label + hint + ("" if required else ", optional"),
            default=_typed(default),
            show_default=bool(default),
        )
        if text == "" and not required:
            return None
        value = _read(text, schema)
        errors = field_errors(value, schema or None, language)
        if not errors:
            return value
        for error in errors:
            typer.secho(f"  {error.message}", fg="red")


def _hint(schema: Json) -> str:
    kind = schema.get("type")
    if kind in ("object", "array"):
        return "JSON"
    return str(schema.get("format") or kind or "text or JSON")


def _typed(default: Any) -> str:
    return "" if default is None else default if isinstance(default, str) else json.dumps(default)


def _read(text: str, schema: Json) -> Any:
    """What was typed, as the type the field wants."""
    kind = schema.get("type")
    if kind == "string":
        return text
    if kind == "boolean" and text.lower() in _YES | _NO:
        return text.lower() in _YES
    if kind == "array" and not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
