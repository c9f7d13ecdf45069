"""What can go wrong with the database file, each with what to do about it."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pausepoint.errors import PausepointError


class StorageError(PausepointError):
    """The database file cannot be used as asked."""


class DatabaseCorrupt(StorageError):
    """The file is damaged or is no SQLite database."""


class DatabaseReadOnly(StorageError):
    """The file, its folder or its file system cannot be written."""


class DatabaseFull(StorageError):
    """The disk, a quota or a page limit leaves no room; nothing of the failed write was kept."""


class DatabaseIOFailed(StorageError):
    """The operating system refused to read or write; nothing of the failed write was kept."""


class DatabaseBusy(StorageError):
    """Another process kept the file locked for too long."""


class DatabaseTooNew(StorageError):
    """A newer version of this program wrote the file."""


class TextNotStorable(StorageError):
    """A text holds half of a surrogate pair, which no encoding can represent."""


class DatabaseClosed(StorageError):
    """The handle was closed before or while it was used."""


_KINDS: dict[int, tuple[type[StorageError], str]] = {
    sqlite3.SQLITE_CORRUPT: (
        DatabaseCorrupt,
        "is damaged; restore a backup, or save what is left with `sqlite3 FILE .recover`",
    ),
    sqlite3.SQLITE_NOTADB: (
        DatabaseCorrupt,
        "is not a SQLite database; move it away or point the data setting at another folder",
    ),
    sqlite3.SQLITE_READONLY: (
        DatabaseReadOnly,
        "cannot be written; check the permissions of file and folder",
    ),
    sqlite3.SQLITE_PERM: (DatabaseReadOnly, "cannot be used; check the permissions of file and folder"),
    sqlite3.SQLITE_CANTOPEN: (
        DatabaseReadOnly,
        "cannot be opened; check that the folder exists and that this user may write in it",
    ),
    sqlite3.SQLITE_FULL: (DatabaseFull, "has no room left; free disk space and try again (nothing was lost)"),
    sqlite3.SQLITE_IOERR: (
        DatabaseIOFailed,
        "could not be read or written; check the disk, its quota and the file size limit",
    ),
    sqlite3.SQLITE_BUSY: (DatabaseBusy, "is locked by another process; end that process and try again"),
    sqlite3.SQLITE_LOCKED: (DatabaseBusy, "is locked by another connection; try again"),
}


def explain(error: BaseException, path: Path) -> BaseException:
    """Turn a failure of the file into an error a user can act on; any other error is returned as it is.

    Args:
        error: What SQLite raised; a constraint violation, for example, stays what it is.
        path: The database file to name.
    """
    if isinstance(error, UnicodeEncodeError):
        unstorable = TextNotStorable(f"The text {error.object[:80]!a} cannot be stored: {error.reason}.")
        unstorable.__cause__ = error
        return unstorable
    if not isinstance(error, sqlite3.Error):
        return error
    code: int | None = getattr(error, "sqlite_errorcode", None)
    kind, advice = _KINDS.get((code or 0) & 0xFF, (None, ""))
    if kind is None:
        return error
    explained = kind(f"The database {str(path)!r} {advice}. SQLite says: {error}")
    explained.__cause__ = error
    return explained


@contextmanager
def explained(path: Path) -> Generator[None]:
    """Raise what the block raises as `explain` words it."""
    try:
        yield
    except (sqlite3.Error, UnicodeEncodeError) as error:
        better = explain(error, path)
        if better is error:
            raise
        raise better from error
