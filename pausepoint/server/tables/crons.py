"""Crons: runs to be repeated."""

import sqlite3
import uuid
from collections.abc import Mapping
from typing import Any

from pausepoint.server.clock import now
from pausepoint.server.errors import NotFound
from pausepoint.server.serialize import from_json, to_json
from pausepoint.server.tables.filters import Where

SORTABLE = ("cron_id", "assistant_id", "thread_id", "created_at", "updated_at", "next_run_date", "end_time")


def show(row: sqlite3.Row) -> dict[str, Any]:
    """A row as the API shows it."""
    found = dict(row)
    found["payload"] = from_json(found["payload"])
    found["metadata"] = from_json(found["metadata"])
    found["enabled"] = bool(found["enabled"])
    return found


def insert(conn: sqlite3.Connection, values: Mapping[str, Any]) -> dict[str, Any]:
    """Store a new cron."""
    moment = now()
    row = {
        "cron_id": str(uuid.uuid4()),
        "thread_id": None,
        "timezone": None,
        "end_time": None,
        "user_id": None,
        "on_run_completed": None,
        **values,
        "created_at": moment,
        "updated_at": moment,
        "payload": to_json(values["payload"]).decode(),
        "metadata": to_json(values.get("metadata") or {}).decode(),
    }
    conn.execute(
        "INSERT INTO crons (cron_id, assistant_id, thread_id, schedule, timezone, end_time, payload, metadata, user_id,"
        " on_run_completed, enabled, next_run_date, created_at, updated_at) VALUES (:cron_id, :assistant_id, :thread_id,"
        " :schedule, :timezone, :end_time, :payload, :metadata, :user_id, :on_run_completed, :enabled, :next_run_date,"
        " :created_at, :updated_at)",
        row,
    )
    return get(conn, str(row["cron_id"]), None)


def get(conn: sqlite3.Connection, cron_id: str, filters: Mapping[str, Any] | None) -> dict[str, Any]:
    """One cron the caller may see.

    Raises:
        NotFound: There is none.
    """
    where = Where()
    where.add("cron_id = ?", cron_id)
    where.allowed("metadata", filters)
    row = conn.execute(f"SELECT * FROM crons WHERE {where.sql()}", where.values).fetchone()  # noqa: S608
    if row is None:
        raise NotFound("Cron", cron_id)
    return show(row)


def write(conn: sqlite3.Connection, cron: Mapping[str, Any]) -> dict[str, Any]:
    """Store a changed cron."""
    conn.execute(
        "UPDATE crons SET schedule = :schedule, timezone = :timezone, end_time = :end_time, payload = :payload,"
        " metadata = :metadata, on_run_completed = :on_run_completed, enabled = :enabled,"
        " next_run_date = :next_run_date, updated_at = :updated_at WHERE cron_id = :cron_id",
        {
            **cron,
            "payload": to_json(cron["payload"]).decode(),
            "metadata": to_json(cron["metadata"]).decode(),
            "enabled": int(cron["enabled"]),
            "updated_at": now(),
        },
    )
    return get(conn, cron["cron_id"], None)


def delete(conn: sqlite3.Connection, cron_id: str, filters: Mapping[str, Any] | None) -> None:
    """Delete a cron the caller may see."""
    get(conn, cron_id, filters)
    conn.execute("DELETE FROM crons WHERE cron_id = ?", (cron_id,))


def due(conn: sqlite3.Connection) -> list[dict[str, Any]]:
    """The crons whose time has come."""
    rows = conn.execute(
        "SELECT * FROM crons WHERE enabled = 1 AND next_run_date <= ? ORDER BY next_run_date LIMIT 100",
        (now(),),
    )
    return [show(row) for row in rows]


def advance(conn: sqlite3.Connection, cron: Mapping[str, Any], following: str | None) -> bool:
    """Set the next time unless somebody else has; a cron without one is through."""
    return (
        conn.execute(
            "UPDATE crons SET next_run_date = ?, enabled = ? WHERE cron_id = ? AND next_run_date = ? AND enabled = 1",
            (following, int(following is not None), cron["cron_id"], cron["next_run_date"]),
        ).rowcount
        == 1
    )


def search(
    conn: sqlite3.Connection, query: Mapping[str, Any], filters: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Crons, sorted, one more than the limit to tell whether there are more."""
    where = _where(query, filters)
    column = query.get("sort_by") or "created_at"
    order = "ASC" if query.get("sort_order") == "asc" else "DESC"
    rows = conn.execute(
        f"SELECT * FROM crons WHERE {where.sql()} ORDER BY {column} {order}, cron_id LIMIT ? OFFSET ?",  # noqa: S608
        [*where.values, query["limit"] + 1, query["offset"]],
    )
    return [show(row) for row in rows]


def count(conn: sqlite3.Connection, query: Mapping[str, Any], filters: Mapping[str, Any] | None) -> int:
    """How many crons a search would find."""
    where = _where(query, filters)
    return conn.execute(f"SELECT count(*) FROM crons WHERE {where.sql()}", where.values).fetchone()[0]  # noqa: S608


def _where(query: Mapping[str, Any], filters: Mapping[str, Any] | None) -> Where:
    where = Where()
    for key in ("assistant_id", "thread_id"):
        if query.get(key):
            where.add(f"{key} = ?", str(query[key]))
    if query.get("enabled") is not None:
        where.add("enabled = ?", int(query["enabled"]))
    where.contains("metadata", query.get("metadata"))
    where.allowed("metadata", filters)
    return where
