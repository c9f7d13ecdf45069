"""The shared file: transactions, group commit, snapshots, sharing, closing, and what goes wrong with files."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pausepoint.storage.database import Database
from pausepoint.storage.errors import (
    DatabaseClosed,
    DatabaseCorrupt,
    DatabaseFull,
    DatabaseIOFailed,
    DatabaseReadOnly,
    StorageError,
)


def create(conn: sqlite3.Connection) -> None:
    conn.execute("CREATE TABLE IF NOT EXISTS t (n INTEGER UNIQUE, data BLOB)")


def insert(n: int, size: int = 0):
    return lambda conn: conn.execute("INSERT INTO t VALUES (?, zeroblob(?))", (n, size)).rowcount


def numbers(conn: sqlite3.Connection) -> list[int]:
    return [row["n"] for row in conn.execute("SELECT n FROM t ORDER BY n")]


async def test_what_was_written_is_read_at_once(tmp_path: Path) -> None:
    async with await Database.open(tmp_path / "deep" / "folder" / "d.sqlite") as database:
        await database.write(create)
        for n in range(50):
            assert await database.write(insert(n), durable=n % 2 == 0) == 1
            assert len(await database.read(numbers)) == n + 1


async def test_a_failing_work_takes_back_only_itself(tmp_path: Path) -> None:
    def fail(conn: sqlite3.Connection) -> None:
        insert(1000)(conn)
        raise KeyError("mine")

    async with await Database.open(tmp_path / "d.sqlite") as database:
        await database.write(create)
        works = [insert(1), fail, insert(2), insert(2), insert(3)]
        results = await asyncio.gather(*(database.write(w) for w in works), return_exceptions=True)

        assert [type(r) for r in results] == [int, KeyError, int, sqlite3.IntegrityError, int]
        assert await database.read(numbers) == [1, 2, 3]


async def test_waiting_works_are_committed_together(tmp_path: Path) -> None:
    held, go = threading.Event(), threading.Event()

    def hold(conn: sqlite3.Connection) -> None:
        held.set()
        go.wait(10)

    async with await Database.open(tmp_path / "d.sqlite") as database:
        await database.write(create)
        first = asyncio.ensure_future(database.write(hold))
        await asyncio.to_thread(held.wait, 10)
        before = _frames(tmp_path / "d.sqlite-wal")
        waiting = [asyncio.ensure_future(database.write(insert(n))) for n in range(100)]
        await asyncio.sleep(0)
        go.set()
        await asyncio.gather(first, *waiting)
        # One transaction writes each changed page once: a few frames, not some for each work.
        assert _frames(tmp_path / "d.sqlite-wal") - before < 30
        assert await database.read(numbers) == list(range(100))


def _frames(wal: Path) -> int:
    return wal.stat().st_size // 4120


@pytest.mark.parametrize("end", ["COMMIT", "ROLLBACK", "BEGIN", "script", "method", "with"])
async def test_a_work_cannot_end_the_transaction_of_others(tmp_path: Path, end: str) -> None:
    def work(conn: sqlite3.Connection) -> None:
        insert(7)(conn)
        if end == "script":
            conn.executescript("INSERT INTO t VALUES (8, NULL);")
        elif end == "method":
            conn.commit()
        elif end == "with":
            with conn:
                pass
        else:
            conn.execute(end)

    async with await Database.open(tmp_path / "d.sqlite") as database:
        await database.write(create)
        results = await asyncio.gather(
            database.write(insert(1)), database.write(work), database.write(insert(2)), return_exceptions=True
        )
        assert isinstance(results[1], StorageError)
        assert "neither begin, commit nor roll back" in str(results[1])
        assert await database.read(numbers) == [1, 2]


async def test_readers_cannot_write(tmp_path: Path) -> None:
    async with await Database.open(tmp_path / "d.sqlite") as database:
        await database.write(create)
        with pytest.raises(DatabaseReadOnly):
            await database.read(insert(1))


async def test_a_reader_sees_one_moment(tmp_path: Path) -> None:
    started, written = threading.Event(), threading.Event()

    def twice(conn: sqlite3.Connection) -> tuple[list[int], list[int]]:
        before = numbers(conn)
        started.set()
        written.wait(10)
        return before, numbers(conn)

    async with await Database.open(tmp_path / "d.sqlite") as database:
        await database.write(create)
        reading = asyncio.ensure_future(database.read(twice))
        await asyncio.to_thread(started.wait, 10)
        await database.write(insert(1))
        written.set()
        assert await reading == ([], [])


async def test_a_cancelled_caller_disturbs_nobody(tmp_path: Path) -> None:
    held, go = threading.Event(), threading.Event()

    def hold(conn: sqlite3.Connection) -> None:
        held.set()
        go.wait(10)

    async with await Database.open(tmp_path / "d.sqlite") as database:
        await database.write(create)
        running = asyncio.ensure_future(database.write(hold))
        await asyncio.to_thread(held.wait, 10)
        cancelled = asyncio.ensure_future(database.write(insert(1)))
        other = asyncio.ensure_future(database.write(insert(2)))
        await asyncio.sleep(0)
        cancelled.cancel()
        running.cancel()
        go.set()
        await other
        assert await database.read(numbers) == [2]


def test_the_handle_is_shared_between_loops_and_threads_and_closed_by_the_last(tmp_path: Path) -> None:
    path = tmp_path / "d.sqlite"
    database = Database.open_sync(path)
    database.write_sync(create)
    (tmp_path / "link").symlink_to(tmp_path)

    async def use(n: int) -> None:
        async with await Database.open(tmp_path / "link" / "d.sqlite") as same:
            assert same is database
            await asyncio.gather(*(same.write(insert(n * 100 + i)) for i in range(20)))

    threads = [threading.Thread(target=lambda n=n: asyncio.run(use(n))) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(database.read_sync(numbers)) == 80
    database.close_sync()
    with pytest.raises(DatabaseClosed, match=r"d\.sqlite"):
        database.write_sync(insert(1))
    with pytest.raises(DatabaseClosed):
        database.read_sync(numbers)
    assert not (tmp_path / "d.sqlite-wal").exists()


async def test_closing_finishes_what_was_queued(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "d.sqlite")
    await database.write(create)
    queued = [asyncio.ensure_future(database.write(insert(n))) for n in range(500)]
    await asyncio.sleep(0)
    await database.close()
    await asyncio.gather(*queued)
    async with await Database.open(tmp_path / "d.sqlite") as again:
        assert len(await again.read(numbers)) == 500


async def test_a_work_may_not_wait_for_another(tmp_path: Path) -> None:
    async with await Database.open(tmp_path / "d.sqlite") as database:
        with pytest.raises(StorageError, match="use the connection"):
            await database.write(lambda conn: database.write_sync(create))


@pytest.mark.parametrize("content", [b"this is no database" * 300, b"SQLite format 3\x00" + b"\xff" * 8000])
async def test_a_file_that_is_no_database_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "d.sqlite"
    path.write_bytes(content)

    with pytest.raises(DatabaseCorrupt, match=r"d\.sqlite.*(damaged|not a SQLite)"):
        await Database.open(path)
    assert path.read_bytes() == content


async def test_damage_is_reported_when_it_is_met(tmp_path: Path) -> None:
    path = tmp_path / "d.sqlite"
    async with await Database.open(path) as database:
        await database.write(create)
        for n in range(200):
            await database.write(insert(n, 3000), durable=False)
    with path.open("r+b") as file:
        size = path.stat().st_size
        file.seek(size // 2)
        file.write(os.urandom(size - size // 2))

    async with await Database.open(path) as database:
        with pytest.raises(DatabaseCorrupt, match="backup"):
            await database.read(lambda conn: conn.execute("SELECT sum(length(data)) FROM t").fetchall())


async def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DatabaseReadOnly, match="file"):
        await Database.open(tmp_path / "file" / "d.sqlite")


_READ_ONLY = """
import os, sys
from pathlib import Path
from pausepoint.storage.database import Database
from pausepoint.storage.folder import DataFolder
from pausepoint.storage.errors import DatabaseReadOnly
if hasattr(os, "setuid") and os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
for attempt in (lambda: Database.open_sync(Path(sys.argv[1])), lambda: DataFolder.hold(Path(sys.argv[1]).parent, "x")):
    try:
        attempt()
    except DatabaseReadOnly as error:
        print(error)
    else:
        raise SystemExit("no error")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
@pytest.mark.parametrize("existing", [False, True])
def test_a_read_only_folder_is_reported_before_anything_is_written(tmp_path: Path, existing: bool) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    if existing:
        Database.open_sync(folder / "d.sqlite").close_sync()
    for path in [*folder.iterdir(), folder]:
        path.chmod(0o444 if path.is_file() else 0o555)
    for parent in list(tmp_path.parents)[:3]:
        if parent.name.startswith("pytest"):
            parent.chmod(0o755)
    tmp_path.chmod(0o755)

    result = subprocess.run(
        [sys.executable, "-c", _READ_ONLY, str(folder / "d.sqlite")],
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count(str(folder)) == 2
    assert "permissions" in result.stdout


async def test_a_full_disk_fails_the_work_that_does_not_fit_and_no_other(tmp_path: Path) -> None:
    async with await Database.open(tmp_path / "d.sqlite") as database:
        await database.write(create)
        await database.write(
            lambda conn: conn.execute(f"PRAGMA max_page_count={_pages(conn) + 20}").fetchall() and None
        )
        works = [insert(1), insert(2, 10_000_000), insert(3)]
        results = await asyncio.gather(*(database.write(w) for w in works), return_exceptions=True)

        assert [type(r) for r in results] == [int, DatabaseFull, int]
        assert "free disk space" in str(results[1])
        assert await database.read(numbers) == [1, 3]
        await database.write(lambda conn: conn.execute("PRAGMA max_page_count=1000000").fetchall() and None)
        await database.write(insert(2, 100_000))
        assert await database.read(numbers) == [1, 2, 3]


def _pages(conn: sqlite3.Connection) -> int:
    return conn.execute("PRAGMA page_count").fetchone()[0]


_FILE_LIMIT = """
import resource, sys, sqlite3
from pathlib import Path
from pausepoint.storage.database import Database
from pausepoint.storage.errors import DatabaseIOFailed
database = Database.open_sync(Path(sys.argv[1]))
database.write_sync(lambda c: c.execute("CREATE TABLE t (n INTEGER, data BLOB)") and None)
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, resource.RLIM_INFINITY))
kept = 0
try:
    while True:
        database.write_sync(lambda c: c.execute("INSERT INTO t VALUES (?, zeroblob(50000))", (kept,)) and None)
        kept += 1
except DatabaseIOFailed as error:
    assert "limit" in str(error)
assert database.read_sync(lambda c: c.execute("SELECT count(*) FROM t").fetchone()[0]) == kept > 5
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
database.write_sync(lambda c: c.execute("INSERT INTO t VALUES (?, zeroblob(50000))", (kept,)) and None)
assert database.read_sync(lambda c: c.execute("PRAGMA integrity_check").fetchone()[0]) == "ok"
assert database.read_sync(lambda c: c.execute("SELECT count(*) FROM t").fetchone()[0]) == kept + 1
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
def test_a_file_size_limit_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    assert DatabaseIOFailed
    result = subprocess.run(
        [sys.executable, "-c", _FILE_LIMIT, str(tmp_path / "d.sqlite")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr


_FORK = """
import os, sys
from pathlib import Path
from pausepoint.storage.database import Database
path = Path(sys.argv[1])
database = Database.open_sync(path)
database.write_sync(lambda c: c.execute("CREATE TABLE t (n INTEGER)") and None)
child = os.fork()
if child == 0:
    own = Database.open_sync(path)
    own.write_sync(lambda c: c.execute("INSERT INTO t VALUES (1)") and None)
    own.close_sync()
    os._exit(0)
_, status = os.waitpid(child, 0)
assert status == 0, status
database.write_sync(lambda c: c.execute("INSERT INTO t VALUES (2)") and None)
assert database.read_sync(lambda c: c.execute("SELECT count(*) FROM t").fetchone()[0]) == 2
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_forked_child_opens_its_own(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", _FORK, str(tmp_path / "d.sqlite")], capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 0, result.stderr
