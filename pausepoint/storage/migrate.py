"""Brings a database file to the schema this code knows: all pending migrations in one transaction.

A file that already holds tables is backed up beside itself first.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

from pausepoint.storage.connection import open_reader
from pausepoint.storage.errors import DatabaseTooNew, StorageError

_TABLE = (
    "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) WITHOUT ROWID"
)


def known_migrations() -> dict[str, str]:
    """The packaged migrations: name → SQL, in the order in which they apply."""
    folder = resources.files("pausepoint.storage") / "migrations"
    if not folder.is_dir():
        return {}
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return {f.name.removesuffix(".sql"): f.read_text(encoding="utf-8") for f in files}


def migrate(conn: sqlite3.Connection, path: Path, known: dict[str, str] | None = None) -> Path | None:
    """Apply what is missing; a crash at any instant leaves the old schema or the new one, never a mixture.

    Args:
        conn: The writer's connection, outside a transaction.
        path: The file, for the backup's name and for messages.
        known: Name → SQL; the packaged migrations when not given.

    Returns:
        The backup, when there was something to back up.

    Raises:
        DatabaseTooNew: The file has migrations this code does not know.
        StorageError: A migration failed; the file is unchanged.
    """
    known = known_migrations() if known is None else known
    if not _pending(conn, path, known):
        return None
    conn.execute("BEGIN IMMEDIATE")
    backup: Path | None = None
    try:
        # Another process may have migrated while this one waited for the lock.
        pending = _pending(conn, path, known)
        backup = _back_up(conn, path, pending[0]) if pending else None
        for name in pending:
            _apply(conn, path, name, known[name])
        conn.execute("COMMIT")
    except BaseException:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        if backup is not None:
            backup.unlink(missing_ok=True)
        raise
    return backup


def _pending(conn: sqlite3.Connection, path: Path, known: dict[str, str]) -> list[str]:
    applied = _applied(conn)
    unknown = sorted(applied - known.keys())
    if unknown:
        raise DatabaseTooNew(
            f"The database {str(path)!r} was written by a newer version: it has the migrations {unknown!r}, "
            "which this version does not know. Upgrade pausepoint, or restore the backup beside it (*.bak)."
        )
    return [name for name in known if name not in applied]


def _applied(conn: sqlite3.Connection) -> set[str]:
    if not conn.execute("SELECT 1 FROM sqlite_master WHERE type='table' AND name='migrations'").fetchone():
        return set()
    return {row[0] for row in conn.execute("SELECT name FROM migrations")}


def _apply(conn: sqlite3.Connection, path: Path, name: str, script: str) -> None:
    conn.execute(_TABLE)
    for statement in statements(script):
        try:
            conn.execute(statement)
        except (sqlite3.OperationalError, sqlite3.IntegrityError) as error:
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT):
                raise
            raise StorageError(
                f"Migration {name!r} of {str(path)!r} failed: {error}. The database is unchanged. "
                f"Statement: {statement.strip()[:200]}"
            ) from error
    now = datetime.now(UTC).isoformat()
    conn.execute("INSERT INTO migrations (name, applied_at) VALUES (?, ?)", (name, now))


def statements(script: str) -> Iterator[str]:
    """Split a script; `executescript` would commit before the script has ended."""
    buffer = ""
    for piece in script.split(";"):
        buffer += piece + ";"
        if sqlite3.complete_statement(buffer):
            yield buffer.strip()
            buffer = ""
    if buffer.rstrip(";").strip():
        yield buffer.strip()


def _back_up(conn: sqlite3.Connection, path: Path, first: str) -> Path | None:
    if not conn.execute(
        "SELECT 1 FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ).fetchone():
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    target = path.with_name(f"{path.name}.before-{first}.{stamp}.bak")
    partial = target.with_name(target.name + ".partial")
    try:
        # A second connection: it sees exactly what is committed, while `conn` keeps writers out.
        with closing(open_reader(path)) as source, closing(sqlite3.connect(partial)) as copy:
            source.backup(copy)
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        return partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
