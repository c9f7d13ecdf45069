"""Reads what an interrupt asks: our envelope, an inbox client's shape, or anything else a graph passed to `interrupt()`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import orjson

from pausepoint.pauses.check import check_schema
from pausepoint.server.clock import stamp

MARK = "pausepoint"
"""Envelopes of ours carry this key with their version."""
KINDS = ("form", "clarification", "review", "approval", "choice")
_TITLE = 120
_SEARCH = 4000
_TEXTS = ("title", "question", "message", "description", "prompt", "text", "name")


@dataclass(frozen=True)
class Question:
    """What waits for an answer."""

    kind: str
    title: str
    value: Any
    schema: Any
    schema_problem: str | None
    """Why answers cannot be checked; None when they can."""
    language: str = "en"
    assignee: str | None = None
    due_at: str | None = None
    remind_at: str | None = None
    on_expiry: dict[str, Any] | None = None
    webhook: str | None = None
    search: str = ""
    ours: bool = False
    extra: dict[str, Any] = field(default_factory=dict[str, Any])


def read_question(interrupt: Mapping[str, Any], opened: datetime | None = None) -> Question:
    """Read an interrupt as the API shows it: `value`, `id`, perhaps `response_schema`.

    Args:
        interrupt: The interrupt.
        opened: Since when it waits; relative deadlines count from here.
    """
    value = interrupt.get("value")
    envelope = _envelope(value)
    schema = interrupt.get("response_schema")
    if schema is None and MARK in envelope:
        schema = envelope.get("schema")
    problem = "The graph gave no response schema." if schema is None else check_schema(schema)
    due, remind, on_expiry = _deadline(envelope, opened or datetime.now(UTC))
    return Question(
        kind=_kind(value, envelope),
        title=_title(value, envelope),
        value=value,
        schema=None if problem else schema,
        schema_problem=problem,
        language=_text(envelope.get("language")) or "en",
        assignee=_text(envelope.get("assignee")),
        due_at=due,
        remind_at=remind,
        on_expiry=on_expiry,
        webhook=_text(envelope.get("webhook")),
        search=_searchable(value),
        ours=MARK in envelope,
    )


def _envelope(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _kind(value: Any, envelope: Mapping[str, Any]) -> str:
    if envelope.get("kind") in KINDS:
        return str(envelope["kind"])
    if "action_requests" in envelope or "action_request" in envelope:
        return "approval"
    items = cast("list[Any]", value) if isinstance(value, list) else []
    if items and isinstance(items[0], dict) and "action_request" in items[0]:
        return "approval"
    return "question"


def _title(value: Any, envelope: Mapping[str, Any]) -> str:
    found = next((t for key in _TEXTS if (t := _text(envelope.get(key)))), None)
    if found is None:
        actions = _actions(value, envelope)
        found = ", ".join(actions) or (value if isinstance(value, str) else _dump(value))
    found = " ".join(found.split())
    return found if len(found) <= _TITLE else found[: _TITLE - 1] + "…"


def _actions(value: Any, envelope: Mapping[str, Any]) -> list[str]:
    """The names of the tool calls that an inbox client's shape asks about."""
    asked: Any = envelope.get("action_requests") or [envelope.get("action_request")]
    if isinstance(value, list):
        asked = [_envelope(item).get("action_request") for item in cast("list[Any]", value)]
    names = [_envelope(a) for a in cast("Sequence[Any]", asked)] if isinstance(asked, list) else []
    return [str(a.get("name") or a.get("action")) for a in names if a.get("name") or a.get("action")]


def _deadline(
    envelope: Mapping[str, Any], opened: datetime
) -> tuple[str | None, str | None, dict[str, Any] | None]:
    found = _envelope(envelope.get("deadline"))
    due = _moment(found.get("due"), opened)
    if due is None:
        return None, None, None
    before = found.get("remind_before")
    seconds = isinstance(before, (int, float)) and not isinstance(before, bool) and before > 0
    remind = due - timedelta(seconds=float(cast("float", before))) if seconds else None
    action = _envelope(found.get("on_expiry"))
    return stamp(due), None if remind is None else stamp(remind), action or None


def _moment(given: Any, opened: datetime) -> datetime | None:
    """A time: ISO 8601, or seconds from the opening."""
    if isinstance(given, bool) or given is None:
        return None
    try:
        if isinstance(given, (int, float)):
            return opened + timedelta(seconds=float(given))
        moment = datetime.fromisoformat(str(given))
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _searchable(value: Any) -> str:
    return (value if isinstance(value, str) else _dump(value))[:_SEARCH].casefold()


def _dump(value: Any) -> str:
    return orjson.dumps(value, default=repr, option=orjson.OPT_NON_STR_KEYS).decode()
