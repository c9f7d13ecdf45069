"""How one connection to the database file is set up; every thread that uses the file opens its own."""

import sqlite3
from pathlib import Path
from typing import Any

from pausepoint.storage.errors import StorageError

BUSY_SECONDS = 30.0
"""How long a writer waits for a writer of another process."""

_WAL_LIMIT_BYTES = 64 * 1024 * 1024
_CACHE_KIB = 16 * 1024
_CHECKPOINT_PAGES = 2000


def open_writer(path: Path) -> sqlite3.Connection:
    """Open the connection that writes, creating the file when there is none.

    Raises:
        sqlite3.Error: The file cannot be opened, is no database, or cannot be written.
    """
    conn = _connect(str(path))
    try:
        _pragma(conn, "auto_vacuum=INCREMENTAL")
        _use_wal(conn, path)
        _pragma(conn, "synchronous=FULL")
        _pragma(conn, "foreign_keys=ON")
        _pragma(conn, f"wal_autocheckpoint={_CHECKPOINT_PAGES}")
        _pragma(conn, f"journal_size_limit={_WAL_LIMIT_BYTES}")
        _pragma(conn, f"cache_size=-{_CACHE_KIB}")
        _pragma(conn, "temp_store=MEMORY")
        # SQLite opens a read-only file without a word; better to know now.
        conn.execute("BEGIN IMMEDIATE")
        conn.execute("ROLLBACK")
    except BaseException:
        conn.close()
        raise
    return conn


def open_reader(path: Path) -> sqlite3.Connection:
    """Open a connection that can only read."""
    conn = _connect(f"{path.as_uri()}?mode=rw", uri=True)
    _pragma(conn, "query_only=ON")
    _pragma(conn, "temp_store=MEMORY")
    return conn


def _use_wal(conn: sqlite3.Connection, path: Path) -> None:
    mode = conn.execute("PRAGMA journal_mode=WAL").fetchone()[0]
    if mode != "wal":
        raise StorageError(
            f"The file system of {str(path)!r} cannot share memory between processes (journal mode {mode!r} "
            "instead of 'wal'): put the data folder on a local disk."
        )


def _connect(target: str, **options: Any) -> sqlite3.Connection:
    conn = sqlite3.connect(
        target,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=512,
        **options,
    )
    conn.row_factory = sqlite3.Row
    return conn


def _pragma(conn: sqlite3.Connection, setting: str) -> None:
    conn.execute(f"PRAGMA {setting}").fetchall()
