"""Whatever a writer acknowledged before it was killed is there afterwards, and the file is whole."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from pausepoint.storage.checkpointer import SqliteCheckpointer
from pausepoint.storage.database import Database
from pausepoint.storage.store import SqliteStore

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")

_NURSERY = Path(__file__).with_name("storage_nursery.py")


class Nursery:
    """The process that forks the writers."""

    def __init__(self) -> None:
        root = str(Path(__file__).parents[3])
        self._process = subprocess.Popen(
            [sys.executable, str(_NURSERY)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": root},
        )

    def start(self, *jobs: tuple[str, Path, int]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([(name, str(path), seed) for name, path, seed in jobs]) + "\n")
        self._process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate(timeout=60)


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    opened = Nursery()
    yield opened
    opened.close()


def run_and_kill(
    nursery: Nursery, job: tuple[str, Path, int], after: int, delay: float
) -> list[dict[str, Any]]:
    """Kill the writer `delay` seconds after its acknowledgement number `after`; returns all it acknowledged."""
    nursery.start(job)
    pid = nursery.hear()["pid"]
    heard: list[dict[str, Any]] = []
    while len(heard) < after:
        heard.append(nursery.hear())
        if "ended" in heard[-1]:
            return heard[:-1]
    time.sleep(delay)
    with suppress(ProcessLookupError):  # it was quicker than the kill
        os.kill(pid, signal.SIGKILL)
    while "ended" not in (said := nursery.hear()):
        heard.append(said)
    return heard


def whole(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as conn:
        checks = (
            conn.execute("PRAGMA integrity_check").fetchall(),
            conn.execute("PRAGMA foreign_key_check").fetchall(),
        )
    return checks == ([("ok",)], [])


async def check_acknowledged(path: Path, heard: list[dict[str, Any]]) -> None:
    assert whole(path)
    async with await Database.open(path) as database:
        saver, store = SqliteCheckpointer(database), SqliteStore(database)
        for thread in {said["thread"] for said in heard}:
            await _check_thread(saver, store, thread, [said for said in heard if said["thread"] == thread])


async def _check_thread(
    saver: SqliteCheckpointer, store: SqliteStore, thread: str, heard: list[dict[str, Any]]
) -> None:
    steps = {said["step"]: said["id"] for said in heard if "step" in said}
    pruned = max((said["pruning"] for said in heard if "pruning" in said), default=0)
    writes = {said["write"] for said in heard if "write" in said}
    found = {
        t.metadata["step"]: t
        async for t in saver.alist({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
    }
    for step, checkpoint_id in steps.items():
        if step < pruned:
            continue
        assert found[step].checkpoint["id"] == checkpoint_id
        assert [(w[1], w[2]) for w in found[step].pending_writes] == [("answer", step)] or step not in writes
    for step, one in found.items():
        values = one.checkpoint["channel_values"]
        assert [m.id for m in values["messages"]] == [str(n) for n in range(1, step + 1)]
        assert values["photo"] == f"{step}" * 200
    for said in heard:
        if "item" in said:
            assert (await store.aget((thread,), str(said["item"]))).value == {"step": said["item"]}
    copied = max((said["copied"] for said in heard if "copied" in said), default=0)
    if copied:
        copy = await saver.aget_tuple({"configurable": {"thread_id": f"{thread}-copy", "checkpoint_ns": ""}})
        assert copy.metadata["step"] >= copied
        assert len(copy.checkpoint["channel_values"]["messages"]) == copy.metadata["step"]


async def kill_some(nursery: Nursery, folder: Path, seeds: range) -> None:
    """One file for all: what one crash leaves is where the next writer begins."""
    path = folder / "c.sqlite"
    heard: list[dict[str, Any]] = []
    for seed in seeds:
        rng = random.Random(seed)
        heard += run_and_kill(
            nursery, ("checkpoints", path, seed), rng.randrange(1, 600), rng.random() * 0.01
        )
        await check_acknowledged(path, heard)


async def test_nothing_acknowledged_is_lost_by_a_kill(nursery: Nursery, tmp_path: Path) -> None:
    await kill_some(nursery, tmp_path, range(10))


@pytest.mark.soak
@pytest.mark.parametrize("first", range(100, 400, 20))
async def test_nothing_acknowledged_is_lost_by_hundreds_of_kills(
    nursery: Nursery, tmp_path: Path, first: int
) -> None:
    await kill_some(nursery, tmp_path, range(first, first + 20))


def kill_migrations(nursery: Nursery, folder: Path, seeds: range) -> None:
    from storage_nursery import MIGRATIONS

    for seed in seeds:
        path = folder / f"{seed}.sqlite"
        _old_file(path, MIGRATIONS["0001_old"])
        heard = run_and_kill(nursery, ("migrations", path, seed), 1, random.Random(seed).random() * 0.06)
        assert whole(path)
        with closing(sqlite3.connect(path)) as conn:
            names = [row[0] for row in conn.execute("SELECT name FROM migrations ORDER BY 1")]
            tables = {
                row[0] for row in conn.execute("SELECT name FROM sqlite_master WHERE name IN ('a', 'b', 'c')")
            }
        assert names in (["0001_old"], list(MIGRATIONS))
        assert tables == ({"a"} if len(names) == 1 else {"a", "b", "c"})
        assert len(names) == 3 or {"migrated": True} not in heard
        for backup in folder.glob(f"{seed}.sqlite.before-*.bak"):
            assert whole(backup)
            with closing(sqlite3.connect(backup)) as conn:
                assert conn.execute("SELECT sum(length(x)) FROM a").fetchone() == (2_000_000,)


def _old_file(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as conn:
        conn.executescript(
            f"PRAGMA journal_mode=WAL; {script} CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL);"
            "INSERT INTO migrations VALUES ('0001_old', 'then');"
        )


def test_a_kill_during_a_migration_leaves_the_old_schema_or_the_new(nursery: Nursery, tmp_path: Path) -> None:
    kill_migrations(nursery, tmp_path, range(8))


@pytest.mark.soak
def test_a_hundred_kills_during_migrations(nursery: Nursery, tmp_path: Path) -> None:
    kill_migrations(nursery, tmp_path, range(100, 200))


async def test_two_processes_on_one_file_disturb_each_other_in_nothing(
    nursery: Nursery, tmp_path: Path
) -> None:
    path = tmp_path / "c.sqlite"

    nursery.start(("together", path, 1), ("together", path, 2))

    heard = [nursery.hear() for _ in range(6)]
    assert [said for said in heard if "ended" in said] == [{"ended": 0}, {"ended": 0}]
    assert whole(path)
    async with await Database.open(path) as database:
        saver = SqliteCheckpointer(database)
        for seed in (1, 2):
            listed = [t async for t in saver.alist({"configurable": {"thread_id": f"own {seed}"}})]
            assert [t.metadata["step"] for t in listed] == list(range(60, 0, -1))
            for t in listed:
                values = t.checkpoint["channel_values"]["list"]
                assert values == [f"{seed} {n}" + "x" * 300 for n in range(t.metadata["step"])]
        common = {t.checkpoint["id"]: t async for t in saver.alist({"configurable": {"thread_id": "common"}})}
        assert len(common) == 120
        for t in common.values():
            parent = common.get(t.parent_config["configurable"]["checkpoint_id"]) if t.parent_config else None
            before = parent.checkpoint["channel_values"]["list"] if parent else []
            assert t.checkpoint["channel_values"]["list"] == [*before, t.metadata["says"]]
