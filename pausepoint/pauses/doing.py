"""What can be done with a pause: answer, cancel, migrate, assign, snooze, draft. The routes and the clock both use it."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson

from pausepoint.pauses import rows
from pausepoint.pauses.accepting import check_open
from pausepoint.pauses.rows import Actor
from pausepoint.server import states
from pausepoint.server.accept import Draft
from pausepoint.server.changes import Change
from pausepoint.server.clock import later, now, stamp
from pausepoint.server.errors import Conflict, Invalid, NotFound
from pausepoint.server.schemas import RunBody, StateWrite
from pausepoint.server.serialize import to_json
from pausepoint.server.tables import threads as threads_table
from pausepoint.server.tables.runs import Run

if TYPE_CHECKING:
    from pausepoint.server.engine import Engine

_DISCARD = {"x-on-pause": "discard"}


async def answer(
    engine: "Engine",
    row: sqlite3.Row,
    given: Any,
    *,
    actor: Mapping[str, Any] | None,
    filters: Mapping[str, Any] | None = None,
    idempotency_key: str | None = None,
    also: Callable[[sqlite3.Connection], bool] | None = None,
) -> Run:
    """Answer a pause; the run goes on as whoever started it.

    Args:
        engine: The server.
        row: The pause.
        given: The answer.
        actor: Who decides (user data).
        filters: What the caller may see.
        idempotency_key: As the header.
        also: Looked at first in the transaction.

    Raises:
        ApiError: 404, 409, 410, 422 as on every road.
    """
    draft = _draft(row, {"resume": {row["interrupt_id"]: given}}, engine.graph_ids)
    draft.actor = None if actor is None else dict(actor)
    draft.thread_filters = filters
    draft.idempotency_key = idempotency_key
    return await engine.submit(draft, also=also)


async def migrate(engine: "Engine", row: sqlite3.Row, node: str, user: Mapping[str, Any] | None) -> Run:
    """Go on at a node of the changed graph; what a held pause asked is given up, and the new node asks anew.

    Raises:
        Conflict: The pause is not held.
        Invalid: The graph cannot go on there.
    """
    if row["status"] != "open" or not row["hold_reason"]:
        raise Conflict(f"{row['title']!r} is not held; answer it, or cancel it.")
    thread = await _thread(engine, row)
    async with states.graph_of(engine, thread, "threads.read", None) as graph:
        before = {} if graph is None else _only_ways(graph.get_graph().edges)
    if node not in before:
        raise Invalid(
            f"The graph {row['graph_id']!r} cannot go on at {node!r}; it can at {', '.join(sorted(before)) or 'no node'}."
        )
    given = None if user is None else dict(user)
    change = Change("update", row["thread_id"], given, _DISCARD, reason=f"migrated to the node {node!r}")
    # As if the node before it had just ended: a jump would not outlive a pause in its first step.
    await states.update(engine, thread, given, StateWrite(values={}, as_node=before[node]), change)
    draft = _draft(row, None, engine.graph_ids)
    draft.actor = given
    return await engine.submit(draft)


def _only_ways(edges: Iterable[Any]) -> dict[str, str]:
    """Node → a node that always leads to it and to nothing else."""
    found: dict[str, list[Any]] = {}
    for edge in edges:
        found.setdefault(edge.source, []).append(edge)
    return {
        ways[0].target: source for source, ways in found.items() if len(ways) == 1 and not ways[0].conditional
    }


async def cancel(
    engine: "Engine",
    row: sqlite3.Row,
    user: dict[str, Any] | None,
    reason: str | None,
    closes_as: str = "cancelled",
) -> None:
    """End the wait without an answer: the graph ends here, and everything that waits on the thread is closed.

    Raises:
        ApiError: It does not wait any more.
    """
    await engine.database.read(lambda conn: _check_waits(conn, row))
    change = Change(
        "update", row["thread_id"], user, _DISCARD, closes_as=closes_as, reason=reason or "cancelled"
    )
    body = StateWrite(values=None, as_node="__end__")
    await states.update(engine, await _thread(engine, row), user, body, change)


def assign(conn: sqlite3.Connection, row: sqlite3.Row, assignee: str | None, actor: Actor) -> None:
    """Say who shall answer."""
    _check_waits(conn, row)
    conn.execute(
        "UPDATE pauses SET assignee = ?, updated_at = ? WHERE number = ?", (assignee, now(), row["number"])
    )
    rows.record(conn, row, "assigned", actor, reason=assignee)
    rows.note_event(conn, "assigned", row["pause_id"], row["thread_id"])


def snooze(conn: sqlite3.Connection, row: sqlite3.Row, until: str | None, seconds: float | None) -> None:
    """Put a pause out of sight for a while; its deadline goes on."""
    _check_waits(conn, row)
    moment = later(seconds) if seconds is not None else None if until is None else parsed_time(until)
    conn.execute(
        "UPDATE pauses SET snoozed_until = ?, updated_at = ? WHERE number = ?", (moment, now(), row["number"])
    )
    rows.note_event(conn, "snoozed", row["pause_id"], row["thread_id"])


def keep_draft(conn: sqlite3.Connection, row: sqlite3.Row, values: Any, actor: Actor) -> None:
    """Keep a half-filled form; it is not checked and not an answer."""
    _check_waits(conn, row)
    text = None if values is None else to_json(values).decode()
    conn.execute(
        "UPDATE pauses SET draft = ?, draft_by = ?, draft_at = ?, updated_at = ? WHERE number = ?",
        (text, actor.identity, now(), now(), row["number"]),
    )
    rows.note_event(conn, "drafted", row["pause_id"], row["thread_id"])


def parsed_time(text: str) -> str:
    """A caller's time, as this server writes times.

    Raises:
        Invalid: It is none.
    """
    try:
        return stamp(datetime.fromisoformat(text))
    except ValueError as error:
        raise Invalid(f"{text!r} is no time; write 2026-01-31T12:00:00+00:00.") from error


def _check_waits(conn: sqlite3.Connection, row: sqlite3.Row) -> None:
    current = rows.by_id(conn, row["pause_id"])
    if current is None:
        raise NotFound("Pause", row["pause_id"])
    if current["status"] != "open":
        check_open(conn, current)


def _draft(row: sqlite3.Row, command: dict[str, Any] | None, graph_ids: Mapping[str, str]) -> Draft:
    more = orjson.loads(row["resume_with"])
    user, headers = more.pop("user", None), more.pop("headers", {})
    body = RunBody.model_validate(
        {**more, "assistant_id": row["assistant_id"] or row["graph_id"], "command": command}
    )
    return Draft(body=body, thread_id=row["thread_id"], graph_ids=graph_ids, user=user, headers=headers)


async def _thread(engine: "Engine", row: sqlite3.Row) -> sqlite3.Row:
    return await engine.database.read(lambda conn: threads_table.row_of(conn, row["thread_id"], None))
