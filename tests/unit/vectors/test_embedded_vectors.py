"""The embedded store's own ground: files, sharing, limits."""

import asyncio
import os
import shutil
import subprocess
import sys
import uuid

import pytest

from pausepoint.settings import Settings
from pausepoint.vectors import shards
from pausepoint.vectors.embedded import EmbeddedVectors
from pausepoint.vectors.errors import DamagedCollection, DiskFull, VectorError, VectorsClosed, VectorsHeld
from pausepoint.vectors.open import open_vectors
from pausepoint.vectors.port import Point


def point(n: int = 1) -> Point:
    return Point(str(uuid.UUID(int=n)), [float(n), 1.0], {"n": n})


@pytest.fixture
async def store(tmp_path):
    opened = await EmbeddedVectors.open(tmp_path / "vectors")
    await opened.ensure("c", 2, indexed=["n"])
    await opened.upsert("c", [point(n) for n in range(1, 4)])
    yield opened
    await opened.close()


async def test_points_are_there_after_opening_again(tmp_path):
    for _ in range(2):
        store = await EmbeddedVectors.open(tmp_path)
        await store.ensure("c", 2)
        await store.upsert("c", [point()])
        assert await store.count("c") == 1
        await store.close()


async def test_one_folder_opened_twice_is_one_store(store, tmp_path):
    again = await EmbeddedVectors.open(tmp_path / "x" / ".." / "vectors")
    assert again is store
    await again.close()
    assert await store.count("c") == 3


async def test_a_second_process_is_told_who_holds_the_folder(store, tmp_path):
    code = (
        "import asyncio, pathlib, sys\n"
        "from pausepoint.vectors.embedded import EmbeddedVectors\n"
        "asyncio.run(EmbeddedVectors.open(pathlib.Path(sys.argv[1])))"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(tmp_path / "vectors"), stderr=subprocess.PIPE
    )
    _, errors = await process.communicate()
    assert process.returncode == 1
    assert f"{VectorsHeld.__name__}" in errors.decode()
    assert f"in use by process {os.getpid()}" in errors.decode()


async def test_a_closed_store_says_so(tmp_path):
    store = await EmbeddedVectors.open(tmp_path)
    await store.close()
    await store.close()
    with pytest.raises(VectorsClosed):
        await store.count("c")
    await (await EmbeddedVectors.open(tmp_path)).close()


async def test_a_full_disk_is_noticed_before_writing(store, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1 << 30, 1 << 30, 1 << 20))
    with pytest.raises(DiskFull, match="1 MB free"):
        await store.upsert("c", [point(9)])
    assert await store.count("c") == 3
    monkeypatch.undo()
    await store.upsert("c", [point(9)])
    assert await store.count("c") == 4


async def test_a_damaged_collection_is_named_and_can_be_dropped(tmp_path):
    store = await EmbeddedVectors.open(tmp_path)
    await store.ensure("c", 2)
    await store.ensure("good", 2)
    await store.close()
    (tmp_path / "c" / "edge_config.json").write_text("{")
    for segment in (tmp_path / "c" / "segments").iterdir():
        (segment / "segment.json").write_text("no json")
    store = await EmbeddedVectors.open(tmp_path)
    with pytest.raises(DamagedCollection, match="'c'"):
        await store.count("c")
    assert await store.count("good") == 0
    await store.drop("c")
    await store.ensure("c", 2)
    await store.upsert("c", [point()])
    assert await store.count("c") == 1
    await store.close()


async def test_what_a_killed_create_or_drop_left_is_removed(tmp_path):
    for leftover in (".new-1", ".gone-1"):
        (tmp_path / leftover / "segments").mkdir(parents=True)
    store = await EmbeddedVectors.open(tmp_path)
    await store.close()
    assert [each.name for each in tmp_path.iterdir()] == [".lock"]


async def test_more_collections_than_stay_open(tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "MAX_OPEN", 2)
    store = await EmbeddedVectors.open(tmp_path)

    async def use(n: int) -> int:
        await store.ensure(f"c{n}", 2)
        await store.upsert(f"c{n}", [point(n + 1)])
        return await store.count(f"c{n}")

    assert await asyncio.gather(*(use(n) for n in range(8))) == [1] * 8
    assert [await store.count(f"c{n}") for n in range(8)] == [1] * 8
    assert len(store._shards._open) <= 2
    await store.close()


async def test_an_empty_collection_takes_little_disk(store, tmp_path):
    used = sum(each.stat().st_blocks * 512 for each in (tmp_path / "vectors").rglob("*") if each.is_file())
    assert used < 2 << 20


async def test_optimize_keeps_every_point(store):
    await store.upsert("c", [point(n) for n in range(10, 3000)])
    await store.optimize("c")
    await store.optimize("unknown")
    assert await store.count("c") == 2993


def test_two_event_loops_share_a_store(tmp_path):
    async def work(n: int) -> int:
        store = await EmbeddedVectors.open(tmp_path)
        await store.ensure("c", 2)
        await store.upsert("c", [point(n)])
        return await store.count("c")

    assert asyncio.run(work(1)) == 1
    assert asyncio.run(work(2)) == 2

    async def end() -> None:
        store = await EmbeddedVectors.open(tmp_path)
        for _ in range(3):
            await store.close()

    asyncio.run(end())


async def test_settings_choose_the_store(tmp_path):
    store = await open_vectors(Settings(data=tmp_path, qdrant_url="", _env_file=None))
    await store.ensure("c", 2)
    assert (tmp_path / "vectors" / "c").is_dir()
    await store.close()
    with pytest.raises(VectorError, match="http://localhost:6333"):
        await open_vectors(Settings(data=tmp_path, qdrant_url="http://localhost:6333", _env_file=None))
