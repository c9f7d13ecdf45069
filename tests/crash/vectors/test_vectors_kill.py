"""SIGKILL under way: what was acknowledged is there, and the store opens."""

import subprocess
import sys
import uuid

import pytest

from pausepoint.vectors.embedded import EmbeddedVectors
from pausepoint.vectors.port import Point

WRITER = """
import asyncio, pathlib, sys, uuid
from pausepoint.vectors.embedded import EmbeddedVectors
from pausepoint.vectors.port import Point

async def main(folder, start):
    store = await EmbeddedVectors.open(pathlib.Path(folder))
    await store.ensure("c", 64, indexed=["type"])
    n = start
    while True:
        batch = range(n, n + 10)
        points = [Point(str(uuid.UUID(int=i)), [i % 7] * 64, {"n": i, "type": "t"}) for i in batch]
        await store.upsert("c", points)
        n += 10
        print(n, flush=True)
        if n % 50 == 0:
            await store.delete("c", [str(uuid.UUID(int=n - 1))])
            print("deleted", n - 1, flush=True)

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""

CHURN = """
import asyncio, pathlib, sys
from pausepoint.vectors.embedded import EmbeddedVectors

async def main(folder):
    store = await EmbeddedVectors.open(pathlib.Path(folder))
    while True:
        await store.ensure("d", 8)
        print("made", flush=True)
        await store.drop("d")
        print("dropped", flush=True)

asyncio.run(main(sys.argv[1]))
"""


def kill_after(lines: int, code: str, *args: str) -> list[str]:
    with subprocess.Popen([sys.executable, "-c", code, *args], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        read = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        read += process.stdout.readlines()
    return [line.strip() for line in read if line.endswith("\n")]


@pytest.mark.parametrize("rounds", [3, pytest.param(30, marks=pytest.mark.soak)])
async def test_acknowledged_points_survive_sigkill(tmp_path, rounds):
    written, deleted = 0, set()
    for round_ in range(rounds):
        lines = kill_after(3 + 7 * round_ % 40, WRITER, str(tmp_path), str(written))
        written = max(int(line) for line in lines if line.isdigit())
        deleted |= {int(line.split()[1]) for line in lines if line.startswith("deleted")}
        store = await EmbeddedVectors.open(tmp_path)
        kept = {hit.payload["n"] for hit in await store.scroll("c")}
        # The batch or the deletion under way may have reached the disk unacknowledged, whole or not at all.
        assert set(range(written)) - deleted - kept <= {written - 1}
        assert not deleted & kept
        assert len({n for n in kept if n >= written}) in (0, 10)
        hits = await store.search("c", [1.0] * 64, limit=len(kept), with_payload=False)
        assert len(hits) == len(kept) == await store.count("c", {"type": "t"})
        await store.delete("c", [str(uuid.UUID(int=n)) for n in kept if n >= written])
        await store.close()


@pytest.mark.parametrize("lines", [1, 2, 5, 8])
async def test_a_kill_while_making_and_dropping_leaves_no_half_collection(tmp_path, lines):
    kill_after(lines, CHURN, str(tmp_path))
    store = await EmbeddedVectors.open(tmp_path)
    await store.ensure("d", 8)
    await store.upsert("d", [Point(str(uuid.uuid4()), [1.0] * 8)])
    assert await store.count("d") == 1
    assert {each.name for each in tmp_path.iterdir()} == {".lock", "d"}
    await store.close()
