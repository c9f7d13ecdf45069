"""What is due: reminders, default answers, cancellations, escalations. Rows say what; nothing is kept in memory."""

import sqlite3
from typing import TYPE_CHECKING, Any

import orjson
import structlog

from pausepoint.errors import PausepointError
from pausepoint.pauses import doing, rows
from pausepoint.server.clock import now
from pausepoint.server.errors import ApiError

if TYPE_CHECKING:
    from pausepoint.server.engine import Engine

log = structlog.get_logger("pausepoint.pauses")

NOTHING = '{"action": "none"}'
"""What is left to do at a deadline that has been dealt with."""
_UNFINISHED = "status = 'open' AND hold_reason IS NULL"
_ACTS = "coalesce(json_extract(on_expiry, '$.action'), '') != 'none'"
_SHUTTING_DOWN = 503


async def deal_with_due(engine: "Engine") -> None:
    """Do everything that is due now, each in a transaction of its own."""
    await engine.database.write(_remind)
    for row in await engine.database.read(_due):
        await _expire(engine, row)


def next_moment(conn: sqlite3.Connection) -> str | None:
    """When something is due next."""
    found = [
        conn.execute(f"SELECT min(remind_at) FROM pauses WHERE {_UNFINISHED}").fetchone()[0],  # noqa: S608
        conn.execute(f"SELECT min(due_at) FROM pauses WHERE {_UNFINISHED} AND {_ACTS}").fetchone()[0],  # noqa: S608
    ]
    return min((moment for moment in found if moment), default=None)


def _remind(conn: sqlite3.Connection) -> None:
    for row in conn.execute(
        "UPDATE pauses SET remind_at = NULL WHERE status = 'open' AND remind_at <= ? RETURNING pause_id, thread_id",
        (now(),),
    ).fetchall():
        rows.note_event(conn, "reminded", row["pause_id"], row["thread_id"])


def _due(conn: sqlite3.Connection) -> list[sqlite3.Row]:
    return conn.execute(
        f"SELECT * FROM pauses WHERE {_UNFINISHED} AND {_ACTS} AND due_at <= ? ORDER BY due_at LIMIT 100",  # noqa: S608
        (now(),),
    ).fetchall()


async def _expire(engine: "Engine", row: sqlite3.Row) -> None:
    action: dict[str, Any] = orjson.loads(row["on_expiry"] or "{}")
    actor = rows.DEADLINE.show()
    try:
        match action.get("action"):
            case "answer":
                await doing.answer(engine, row, action.get("value"), actor=actor)
            case "cancel":
                await doing.cancel(engine, row, actor, "its time is up", closes_as="expired")
            case "escalate":
                await engine.database.write(lambda conn: _escalate(conn, row, action.get("assignee")))
            case _:
                await engine.database.write(lambda conn: _settle(conn, row, "overdue", "its time is up"))
    except PausepointError as error:
        if isinstance(error, ApiError) and error.status == _SHUTTING_DOWN:
            return
        log.warning("a deadline could not be kept", pause_id=row["pause_id"], reason=str(error))
        reason = f"the deadline's action failed: {error}"
        await engine.database.write(lambda conn: _settle(conn, row, "overdue", reason))


def _escalate(conn: sqlite3.Connection, row: sqlite3.Row, assignee: Any) -> None:
    conn.execute("UPDATE pauses SET assignee = ? WHERE number = ?", (assignee, row["number"]))
    _settle(conn, row, "escalated", str(assignee))


def _settle(conn: sqlite3.Connection, row: sqlite3.Row, event: str, reason: str) -> None:
    """The question waits on; its deadline has been dealt with."""
    changed = conn.execute(
        "UPDATE pauses SET on_expiry = ?, updated_at = ? WHERE number = ? AND status = 'open'",
        (NOTHING, now(), row["number"]),
    )
    if changed.rowcount:
        rows.record(conn, row, event, rows.DEADLINE, reason=reason)
        rows.note_event(conn, event, row["pause_id"], row["thread_id"])
