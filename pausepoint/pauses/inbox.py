"""The inbox: what waits, over all threads and graphs, read from one table by its indexes."""

import base64
import binascii
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from pausepoint.pauses import rows
from pausepoint.pauses.question import read_question
from pausepoint.server.clock import now
from pausepoint.server.errors import Invalid, NotFound
from pausepoint.server.tables.filters import Where

_LISTED = (
    "p.number, p.pause_id, p.thread_id, p.interrupt_id, p.kind, p.title, p.graph_id, p.assistant_id, p.node, p.status,"
    " p.assignee, p.due_at, p.snoozed_until, p.opened_at, p.updated_at, p.closed_at, p.answered_by, p.hold_reason,"
    " p.language, p.schema IS NOT NULL AS checked, p.draft IS NOT NULL AS has_draft, p.reason"
)
_DUE = "coalesce(p.due_at, '9999')"


@dataclass(frozen=True)
class Query:
    """What somebody wants to see."""

    status: str = "open"
    kind: str | None = None
    graph_id: str | None = None
    assistant_id: str | None = None
    thread_id: str | None = None
    assignee: str | None = None
    due_before: str | None = None
    text: str | None = None
    metadata: Mapping[str, Any] | None = None
    snoozed: bool = False
    order: str = "newest"
    limit: int = 50
    cursor: str | None = None


def listing(
    conn: sqlite3.Connection, query: Query, filters: Mapping[str, Any] | None
) -> tuple[list[dict[str, Any]], str | None]:
    """A page of the inbox and the cursor of the next one, None at the end."""
    where = _where(query)
    where.contains("t.metadata", query.metadata)
    where.allowed("t.metadata", filters)
    _after(where, query)
    order = f"{_DUE}, p.number" if query.order == "due" else "p.number DESC"
    index = "pauses_inbox_due" if query.order == "due" else "pauses_inbox"
    hint = "" if query.thread_id is not None else f"INDEXED BY {index}"
    needs_thread = bool(query.metadata or filters)
    join = "CROSS JOIN threads t ON t.thread_id = p.thread_id" if needs_thread else ""
    found = conn.execute(
        f"SELECT {_LISTED} FROM pauses p {hint} {join} WHERE {where.sql()} ORDER BY {order} LIMIT ?",  # noqa: S608
        [*where.values, query.limit + 1],
    ).fetchall()
    shown = [show(row) for row in found[: query.limit]]
    more = len(found) > query.limit
    return shown, _cursor(found[query.limit - 1], query.order) if more else None


def count(conn: sqlite3.Connection, query: Query, filters: Mapping[str, Any] | None) -> int:
    """How many a query finds."""
    where = _where(query)
    where.contains("t.metadata", query.metadata)
    where.allowed("t.metadata", filters)
    return conn.execute(
        f"SELECT count(*) FROM pauses p JOIN threads t ON t.thread_id = p.thread_id WHERE {where.sql()}",  # noqa: S608
        where.values,
    ).fetchone()[0]


def find(conn: sqlite3.Connection, pause_id: str, filters: Mapping[str, Any] | None) -> sqlite3.Row:
    """A pause the caller may see.

    Raises:
        NotFound: There is none.
    """
    where = Where()
    where.add("p.pause_id = ?", pause_id)
    where.allowed("t.metadata", filters)
    row = conn.execute(
        f"SELECT p.* FROM pauses p JOIN threads t ON t.thread_id = p.thread_id WHERE {where.sql()}",  # noqa: S608
        where.values,
    ).fetchone()
    if row is None:
        raise NotFound("Pause", pause_id)
    return row


def show(row: sqlite3.Row) -> dict[str, Any]:
    """A pause in a list."""
    found = {key: row[key] for key in row.keys() if key not in ("number", "hold_reason")}  # noqa: SIM118
    found["checked"], found["has_draft"] = bool(found["checked"]), bool(found["has_draft"])
    found["held"] = row["hold_reason"]
    return found


def detail(conn: sqlite3.Connection, row: sqlite3.Row) -> dict[str, Any]:
    """A pause with its question, the schema of its answer, its draft, and what became of it."""
    listed = conn.execute(f"SELECT {_LISTED} FROM pauses p WHERE p.number = ?", (row["number"],)).fetchone()  # noqa: S608
    value = orjson.loads(row["value"])
    schema = None if row["schema"] is None else orjson.loads(row["schema"])
    problem = None if schema is not None else read_question({"value": value}).schema_problem
    return {
        **show(listed),
        "value": value,
        "schema": schema,
        "unchecked_because": problem,
        "on_expiry": None if row["on_expiry"] is None else orjson.loads(row["on_expiry"]),
        "draft": None
        if row["draft"] is None
        else {"values": orjson.loads(row["draft"]), "by": row["draft_by"], "at": row["draft_at"]},
        "receipt": None if row["status"] == "open" else rows.receipt(conn, row),
    }


def _where(query: Query) -> Where:
    where = Where()
    where.add("p.status = ?", query.status)
    for name in ("kind", "graph_id", "assistant_id", "thread_id", "assignee"):
        value = getattr(query, name)
        if value is not None:
            where.add(f"p.{name} = ?", value)
    if query.due_before is not None:
        where.add("p.due_at <= ?", query.due_before)
    if query.text:
        where.add("instr(p.search, ?) > 0", query.text.casefold())
    if query.status == "open" and not query.snoozed:
        where.add("(p.snoozed_until IS NULL OR p.snoozed_until <= ?)", now())
    return where


def _after(where: Where, query: Query) -> None:
    if query.cursor is None:
        return
    try:
        due, number = orjson.loads(base64.urlsafe_b64decode(query.cursor))
        number = int(number)
    except (binascii.Error, ValueError, TypeError) as error:
        raise Invalid(
            f"The cursor {query.cursor!r} is none of ours; use 'next' of the page before."
        ) from error
    if query.order == "due":
        where.add(f"({_DUE}, p.number) > (?, ?)", str(due), number)
    else:
        where.add("p.number < ?", number)


def _cursor(row: sqlite3.Row, order: str) -> str:
    due = row["due_at"] or "9999" if order == "due" else ""
    return base64.urlsafe_b64encode(orjson.dumps([due, row["number"]])).decode()
