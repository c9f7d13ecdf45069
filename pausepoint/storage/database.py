"""One SQLite file shared by the whole process: one writer thread with group commit, readers beside it, WAL.

What `write(durable=True)` has returned survives SIGKILL and power loss. `durable=False` survives SIGKILL,
too (the operating system has the bytes); a power loss or a crash of the operating system may take back the
last such writes, each as a whole and the newest first, and never damages the file.
"""

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

from pausepoint.storage.connection import open_reader, open_writer
from pausepoint.storage.errors import DatabaseClosed, DatabaseReadOnly, explained
from pausepoint.storage.migrate import migrate
from pausepoint.storage.writer import Waiting, Writer

T = TypeVar("T")

_READERS = 4


class Database:
    """One SQLite file: one writer connection in its own thread, WAL, reader connections beside it.

    Get one with `open`; all who open the same file in a process share the handle. It may be used from several
    event loops and, by the `_sync` methods, from any thread.
    """

    _open: ClassVar[dict[Path, "Database"]] = {}
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, path: Path) -> None:
        """Use `open` instead: a second writer of the same file would only wait for the first."""
        self.path = path
        self._users = 0
        self._writer = Writer(_prepare(path), path)
        self._pool = ThreadPoolExecutor(_READERS, thread_name_prefix=f"sqlite-reader-{path.name}")
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []

    @classmethod
    async def open(cls, path: Path) -> "Database":
        """Open the file, creating and migrating it as needed.

        Args:
            path: The database file; its folder is created when it is missing.

        Raises:
            StorageError: The file is damaged, locked, from a newer version, or cannot be written.
        """
        return await asyncio.to_thread(cls.open_sync, path)

    @classmethod
    def open_sync(cls, path: Path) -> "Database":
        """`open` for callers without an event loop; it blocks."""
        path = Path(path).expanduser().resolve()
        with cls._lock:
            database = cls._open.get(path)
            if database is None:
                database = cls._open[path] = cls(path)
            database._users += 1
            return database

    async def write(self, work: Callable[[sqlite3.Connection], T], *, durable: bool = True) -> T:
        """Run `work` in a transaction and return its result after the commit.

        Args:
            work: Gets the writing connection, on the writer's thread. It may run a second time when the disk
                failed the first, so it should change nothing but the database. It must not commit, roll back
                or `executescript`; savepoints of its own are fine.
            durable: Wait until the disk has it (fsync). False: safe against SIGKILL, not against power loss.

        Raises:
            StorageError: The file could not be written; nothing of this work was kept.
            Exception: Whatever `work` raised; only what it did itself was rolled back.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._writer.submit(Waiting(work, durable, future, loop))
        return await future

    def write_sync(self, work: Callable[[sqlite3.Connection], T], *, durable: bool = True) -> T:
        """`write` for callers without an event loop; it blocks."""
        future: Future[T] = Future()
        self._writer.submit(Waiting(work, durable, future))
        return future.result()

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on one consistent snapshot that contains every finished write.

        Args:
            work: Gets a reading connection whose rows are `sqlite3.Row`, on a reader's thread.

        Raises:
            StorageError: The file is damaged or closed.
            Exception: Whatever `work` raised.
        """
        return await asyncio.wrap_future(self._submit_read(work))

    def read_sync(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """`read` for callers without an event loop; it blocks."""
        return self._submit_read(work).result()

    async def close(self) -> None:
        """Give up this use of the handle; the last one finishes all queued writes and closes the file."""
        if self._leave():
            await asyncio.to_thread(self._shut)

    def close_sync(self) -> None:
        """`close` for callers without an event loop; it blocks."""
        if self._leave():
            self._shut()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _leave(self) -> bool:
        with self._lock:
            self._users -= 1
            if self._users != 0:
                return False
            self._open.pop(self.path, None)
            return True

    def _shut(self) -> None:
        self._pool.shutdown(wait=True)
        for conn in self._readers:
            conn.close()
        self._writer.close()

    def _submit_read(self, work: Callable[[sqlite3.Connection], T]) -> Future[T]:
        try:
            return self._pool.submit(self._read, work)
        except RuntimeError as error:
            raise DatabaseClosed(f"The database {str(self.path)!r} is closed.") from error

    def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with explained(self.path):
            conn = self._reader()
            conn.execute("BEGIN")
            try:
                return work(conn)
            finally:
                if conn.in_transaction:
                    conn.execute("COMMIT")

    def _reader(self) -> sqlite3.Connection:
        conn: sqlite3.Connection | None = getattr(self._local, "conn", None)
        if conn is None:
            conn = self._local.conn = open_reader(self.path)
            self._readers.append(conn)
        return conn


def _prepare(path: Path) -> sqlite3.Connection:
    """Open the writing connection on a file that has the current schema."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatabaseReadOnly(
            f"The folder {str(path.parent)!r} cannot be created: {error.strerror}."
        ) from error
    with explained(path):
        conn = open_writer(path)
        try:
            migrate(conn, path)
        except BaseException:
            conn.close()
            raise
    return conn


_abandoned: list[Any] = []


def _forget_in_child() -> None:
    """A forked child may neither use nor close its parent's connections: closing could delete the WAL."""
    _abandoned.extend(Database._open.values())  # pyright: ignore[reportPrivateUsage]
    Database._open.clear()  # pyright: ignore[reportPrivateUsage]
    Database._lock = threading.Lock()  # pyright: ignore[reportPrivateUsage]


if hasattr(os, "register_at_fork"):
    with suppress(RuntimeError):
        os.register_at_fork(after_in_child=_forget_in_child)
