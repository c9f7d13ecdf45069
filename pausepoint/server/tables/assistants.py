"""Assistants and their versions."""

import sqlite3
import uuid
from collections.abc import Mapping
from typing import Any

from pausepoint.server.clock import now
from pausepoint.server.errors import Conflict, NotFound
from pausepoint.server.serialize import from_json, to_json
from pausepoint.server.tables.filters import Where

_JSON = ("config", "context", "metadata")
SORTABLE = ("assistant_id", "graph_id", "name", "created_at", "updated_at")


def show(row: sqlite3.Row) -> dict[str, Any]:
    """A row as the API shows it."""
    found = dict(row)
    for key in _JSON:
        found[key] = from_json(found[key])
    return found


def ensure_system(
    conn: sqlite3.Connection, assistant_id: str, graph_id: str, description: str | None
) -> None:
    """Create a graph's own assistant unless it exists."""
    found = conn.execute("SELECT 1 FROM assistants WHERE assistant_id = ?", (assistant_id,)).fetchone()
    if not found:
        insert(
            conn,
            {
                "assistant_id": assistant_id,
                "graph_id": graph_id,
                "name": graph_id,
                "description": description,
                "metadata": {"created_by": "system"},
            },
        )


def insert(conn: sqlite3.Connection, values: Mapping[str, Any]) -> dict[str, Any]:
    """Store a new assistant as version 1."""
    moment = now()
    row = {
        "assistant_id": values.get("assistant_id") or str(uuid.uuid4()),
        "graph_id": values["graph_id"],
        "name": values.get("name") or "Untitled",
        "description": values.get("description"),
        "config": _text(values.get("config")),
        "context": _text(values.get("context")),
        "metadata": _text(values.get("metadata")),
        "version": 1,
        "created_at": moment,
        "updated_at": moment,
    }
    conn.execute(
        "INSERT INTO assistants VALUES (:assistant_id, :graph_id, :name, :description, :config, :context, :metadata,"
        " :version, :created_at, :updated_at)",
        row,
    )
    _keep_version(conn, row)
    return get(conn, str(row["assistant_id"]), None)


def create(
    conn: sqlite3.Connection, values: Mapping[str, Any], if_exists: str, filters: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Create an assistant, or return the one there is when the caller asked for that.

    Raises:
        Conflict: The id is taken and `if_exists` is not `do_nothing`.
    """
    wanted = values.get("assistant_id")
    if wanted and conn.execute("SELECT 1 FROM assistants WHERE assistant_id = ?", (wanted,)).fetchone():
        if if_exists != "do_nothing":
            raise Conflict(f"Assistant {wanted!r} already exists; pass if_exists='do_nothing' to get it.")
        return get(conn, wanted, filters)
    return insert(conn, values)


def get(conn: sqlite3.Connection, assistant_id: str, filters: Mapping[str, Any] | None) -> dict[str, Any]:
    """One assistant the caller may see.

    Raises:
        NotFound: There is none.
    """
    where = Where()
    where.add("assistant_id = ?", assistant_id)
    where.allowed("metadata", filters)
    row = conn.execute(f"SELECT * FROM assistants WHERE {where.sql()}", where.values).fetchone()  # noqa: S608
    if row is None:
        raise NotFound("Assistant", assistant_id)
    return show(row)


def search(
    conn: sqlite3.Connection,
    query: Mapping[str, Any],
    filters: Mapping[str, Any] | None,
) -> list[dict[str, Any]]:
    """Assistants by metadata, graph and name, sorted, one more than the limit to tell whether there are more."""
    where = _where(query, filters)
    column = query.get("sort_by") or "created_at"
    order = "ASC" if query.get("sort_order") == "asc" else "DESC"
    rows = conn.execute(
        f"SELECT * FROM assistants WHERE {where.sql()} ORDER BY {column} {order}, assistant_id LIMIT ? OFFSET ?",  # noqa: S608
        [*where.values, query["limit"] + 1, query["offset"]],
    )
    return [show(row) for row in rows]


def count(conn: sqlite3.Connection, query: Mapping[str, Any], filters: Mapping[str, Any] | None) -> int:
    """How many assistants a search would find."""
    where = _where(query, filters)
    return conn.execute(f"SELECT count(*) FROM assistants WHERE {where.sql()}", where.values).fetchone()[0]  # noqa: S608


def update(
    conn: sqlite3.Connection, assistant_id: str, changes: Mapping[str, Any], filters: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Store the changes as a new version and make it the current one; metadata is merged."""
    current = get(conn, assistant_id, filters)
    latest = conn.execute(
        "SELECT max(version) FROM assistant_versions WHERE assistant_id = ?", (assistant_id,)
    ).fetchone()[0]
    row = {
        **current,
        **{k: v for k, v in changes.items() if v is not None and k != "metadata"},
        "metadata": {**current["metadata"], **(changes.get("metadata") or {})},
        "version": (latest or 0) + 1,
        "updated_at": now(),
    }
    for key in _JSON:
        row[key] = _text(row[key])
    _write(conn, row)
    _keep_version(conn, {**row, "created_at": row["updated_at"]})
    return get(conn, assistant_id, None)


def set_latest(
    conn: sqlite3.Connection, assistant_id: str, version: int, filters: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Make an earlier version the current one.

    Raises:
        NotFound: No such assistant or version.
    """
    current = get(conn, assistant_id, filters)
    row = conn.execute(
        "SELECT * FROM assistant_versions WHERE assistant_id = ? AND version = ?", (assistant_id, version)
    ).fetchone()
    if row is None:
        raise NotFound(f"Version {version} of assistant", assistant_id)
    _write(conn, {**dict(row), "created_at": current["created_at"], "updated_at": now()})
    return get(conn, assistant_id, None)


def versions(
    conn: sqlite3.Connection, assistant_id: str, query: Mapping[str, Any], filters: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """The versions, newest first."""
    get(conn, assistant_id, filters)
    where = Where()
    where.add("assistant_id = ?", assistant_id)
    where.contains("metadata", query.get("metadata"))
    rows = conn.execute(
        f"SELECT * FROM assistant_versions WHERE {where.sql()} ORDER BY version DESC LIMIT ? OFFSET ?",  # noqa: S608
        [*where.values, query["limit"], query["offset"]],
    )
    return [show(row) for row in rows]


def delete(conn: sqlite3.Connection, assistant_id: str, filters: Mapping[str, Any] | None) -> None:
    """Delete an assistant with its versions."""
    get(conn, assistant_id, filters)
    conn.execute("DELETE FROM assistant_versions WHERE assistant_id = ?", (assistant_id,))
    conn.execute("DELETE FROM crons WHERE assistant_id = ?", (assistant_id,))
    conn.execute("DELETE FROM assistants WHERE assistant_id = ?", (assistant_id,))


def _where(query: Mapping[str, Any], filters: Mapping[str, Any] | None) -> Where:
    where = Where()
    if query.get("graph_id"):
        where.add("graph_id = ?", query["graph_id"])
    if query.get("name"):
        pattern = str(query["name"]).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        where.add("name LIKE ? ESCAPE '\\'", f"%{pattern}%")
    where.contains("metadata", query.get("metadata"))
    where.allowed("metadata", filters)
    return where


def _write(conn: sqlite3.Connection, row: Mapping[str, Any]) -> None:
    conn.execute(
        "UPDATE assistants SET graph_id = :graph_id, name = :name, description = :description, config = :config,"
        " context = :context, metadata = :metadata, version = :version, updated_at = :updated_at"
        " WHERE assistant_id = :assistant_id",
        row,
    )


def _keep_version(conn: sqlite3.Connection, row: Mapping[str, Any]) -> None:
    conn.execute(
        "INSERT INTO assistant_versions VALUES (:assistant_id, :version, :graph_id, :name, :description, :config,"
        " :context, :metadata, :created_at)",
        row,
    )


def _text(value: Any) -> str:
    return to_json(value or {}).decode()
