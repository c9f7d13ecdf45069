"""The one writer of a database file: a thread that commits all waiting works together.

Every work of a batch runs in its own savepoint, so that one failing work takes back only what it did itself;
one commit, and one fsync when any of them asked for durability, serves all of them.
"""

import asyncio
import itertools
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pausepoint.storage.errors import DatabaseClosed, StorageError, explain

Work = Callable[[sqlite3.Connection], Any]

_BATCH = 256
_TRANSACTION = 22  # SQLITE_TRANSACTION, which the sqlite3 module does not name in every version

# Worded as no work words them: a compiled statement found in the connection's cache is not authorized anew.
_BEGIN = "BEGIN IMMEDIATE /* writer */"
_COMMIT = "COMMIT /* writer */"
_ROLLBACK = "ROLLBACK /* writer */"


@dataclass(slots=True)
class Waiting:
    """A work that waits for its turn, and who waits for it."""

    work: Work
    durable: bool
    future: "Future[Any] | asyncio.Future[Any]"
    loop: asyncio.AbstractEventLoop | None = None
    result: Any = None
    error: BaseException | None = None

    def deliver(self) -> None:
        """Hand over the outcome; a caller that was cancelled meanwhile gets none."""
        if self.future.done():
            return
        with suppress(Exception):
            if self.error is None:
                self.future.set_result(self.result)
            else:
                self.future.set_exception(self.error)


class Writer:
    """Owns the writing connection and its thread."""

    def __init__(self, conn: sqlite3.Connection, path: Path) -> None:
        self._conn = conn
        self._path = path
        self._waiting: deque[Waiting] = deque()
        self._wake = threading.Condition()
        self._closing = False
        self._synchronous = ""
        self._working = False
        conn.set_authorizer(self._authorize)
        self._thread = threading.Thread(target=self._run, name=f"sqlite-writer-{path.name}", daemon=True)
        self._thread.start()

    def submit(self, waiting: Waiting) -> None:
        """Queue a work.

        Raises:
            DatabaseClosed: The writer has been closed.
            StorageError: The caller is itself a work; it would wait for itself.
        """
        if threading.current_thread() is self._thread and waiting.loop is None:
            raise StorageError("A work may not wait for another write: use the connection it was given.")
        with self._wake:
            if self._closing:
                raise DatabaseClosed(f"The database {str(self._path)!r} is closed.")
            self._waiting.append(waiting)
            self._wake.notify()

    def close(self) -> None:
        """Finish what was queued, then close the connection. Blocks."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        while batch := self._take():
            try:
                self._commit_together(batch)
            except BaseException as error:  # the thread must outlive whatever a work or the disk does
                _fail(batch, error)
            _deliver(batch)
            del batch
        with suppress(sqlite3.Error):
            self._conn.execute("PRAGMA optimize").fetchall()
        self._conn.close()

    def _take(self) -> list[Waiting]:
        with self._wake:
            while True:
                self._wake.wait_for(lambda: self._waiting or self._closing)
                taken = [self._waiting.popleft() for _ in range(min(_BATCH, len(self._waiting)))]
                alive = [w for w in taken if not w.future.cancelled()]
                if alive or (self._closing and not self._waiting):
                    return alive

    def _commit_together(self, batch: list[Waiting]) -> None:
        """Run the batch in one transaction; when the transaction itself is lost, run each work on its own."""
        if len(batch) > 1:
            try:
                self._transaction(batch)
                return
            except _TransactionLost:
                pass
        for waiting in batch:
            waiting.result = waiting.error = None
            try:
                self._transaction([waiting])
            except _TransactionLost as lost:
                waiting.error = explain(lost.cause, self._path)

    def _transaction(self, batch: list[Waiting]) -> None:
        try:
            self._set_synchronous("FULL" if any(w.durable for w in batch) else "NORMAL")
            self._conn.execute(_BEGIN)
        except sqlite3.Error as error:
            raise _TransactionLost(error) from error
        try:
            for waiting in batch:
                self._one(waiting, alone=len(batch) == 1)
            self._conn.execute(_COMMIT if self._keep(batch) else _ROLLBACK)
        except sqlite3.Error as error:
            raise _TransactionLost(error) from error
        finally:
            self._roll_back()

    def _one(self, waiting: Waiting, *, alone: bool) -> None:
        if not alone:
            self._conn.execute("SAVEPOINT work")
        self._working = True
        try:
            waiting.result = waiting.work(self._conn)
        except BaseException as error:
            waiting.error = _refused(error) or explain(error, self._path)
        finally:
            self._working = False
        if not self._conn.in_transaction:
            # SQLite gives up the whole transaction on a full disk, for example.
            raise _TransactionLost(waiting.error or StorageError(_ENDS))
        if not alone:
            if waiting.error is not None:
                self._conn.execute("ROLLBACK TO work")
            self._conn.execute("RELEASE work")

    def _authorize(self, action: int, *_: Any) -> int:
        """Called when a statement is compiled: works may not end the transaction they share with others."""
        return sqlite3.SQLITE_DENY if self._working and action == _TRANSACTION else sqlite3.SQLITE_OK

    def _keep(self, batch: list[Waiting]) -> bool:
        return any(w.error is None for w in batch)

    def _set_synchronous(self, level: str) -> None:
        if level != self._synchronous:
            self._conn.execute(f"PRAGMA synchronous={level}").fetchall()
            self._synchronous = level

    def _roll_back(self) -> None:
        if self._conn.in_transaction:
            with suppress(sqlite3.Error):
                self._conn.execute(_ROLLBACK)


_ENDS = (
    "A work may neither begin, commit nor roll back: the writer does. `executescript` and `with conn:` "
    "commit, too: use `execute` for each statement."
)


class _TransactionLost(Exception):
    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.cause = cause


def _refused(error: BaseException) -> StorageError | None:
    if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_AUTH:
        return StorageError(_ENDS)
    return None


def _fail(batch: Iterable[Waiting], error: BaseException) -> None:
    for waiting in batch:
        waiting.error = waiting.error or error


def _deliver(batch: list[Waiting]) -> None:
    """Wake each event loop once for all of its works; waking it costs more than a small work."""
    for waiting in batch:
        if waiting.loop is None:
            waiting.deliver()
    of_loops = sorted((w for w in batch if w.loop is not None), key=lambda w: id(w.loop))
    for _, group in itertools.groupby(of_loops, key=lambda w: id(w.loop)):
        works = list(group)
        loop = works[0].loop
        assert loop is not None
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(_deliver_all, works)


def _deliver_all(works: list[Waiting]) -> None:
    for waiting in works:
        waiting.deliver()
