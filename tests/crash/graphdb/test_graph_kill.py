"""The embedded graph under SIGKILL, runaway queries, damaged files and a second user: nothing acknowledged is lost."""

import asyncio
import json
import os
import random
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from pausepoint.graphdb import open_graph
from pausepoint.graphdb.child import Options
from pausepoint.graphdb.embedded import EmbeddedGraph
from pausepoint.graphdb.errors import ENGINE_FAULT, GraphHeld, GraphUnavailable, QueryError, QueryTimeout
from pausepoint.settings import Settings

OPTIONS = Options(time_limit=5, heap="96m")
RUNAWAY = "RETURN size([x IN range(1, 30000) | reduce(s = 0, y IN range(1, 100000) | s + y)]) AS total"
MEMORY_HOG = "RETURN reduce(s = 'x', i IN range(1, 40) | s + s) AS text"

PARENT = """
import asyncio, sys, time
from pathlib import Path
from pausepoint.graphdb.embedded import EmbeddedGraph

async def main():
    graph = await EmbeddedGraph.open(Path(sys.argv[1]))
    await graph.write("MERGE (n:Kept {id: 'before'})")
    print("engine", await graph.pid(), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await graph.close()

asyncio.run(main())
"""


@pytest.fixture
async def graph(tmp_path: Path) -> AsyncIterator[EmbeddedGraph]:
    opened = await EmbeddedGraph.open(tmp_path / "graph", OPTIONS, grace=0.5)
    await opened.write("UNWIND range(1, 300) AS i MERGE (n:Kept {id: 'n' + toString(i)})")
    yield opened
    await opened.close()


async def total(graph: EmbeddedGraph) -> int:
    return (await graph.read("MATCH (n:Kept) RETURN count(n) AS total")).rows[0]["total"]


async def engine_of(parent: "subprocess.Popen[str]") -> int:
    """Wait until the other process has written; its engine's process id."""
    assert parent.stdout
    while line := await asyncio.to_thread(parent.stdout.readline):
        if line.startswith("engine"):
            return int(line.split()[1])
    raise AssertionError("the other process ended early")


def other_process(folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", PARENT, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def gone(pid: int) -> bool:
    """Wait for a process that is not our own child."""
    async with asyncio.timeout(20):
        while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
            await asyncio.sleep(0.02)
    return True


async def test_a_killed_engine_costs_a_read_nothing(graph: EmbeddedGraph) -> None:
    # Long enough to be under way when the engine ends.
    query = (
        "MATCH (a:Kept), (b:Kept), (c:Kept) WHERE c.id = 'n1' AND a.id + b.id = 'no' RETURN count(*) AS total"
    )
    reads = [asyncio.create_task(graph.read(query)) for _ in range(3)]
    pid = await graph.pid()
    await total(graph)
    os.kill(pid, signal.SIGKILL)
    assert [r.rows for r in await asyncio.gather(*reads)] == [[{"total": 0}]] * 3
    assert await graph.pid() != pid


async def test_reads_go_on_through_many_kills(graph: EmbeddedGraph) -> None:
    answers: list[int] = []

    async def ask() -> None:
        while len(answers) < 200:
            answers.append(await total(graph))

    async def kill() -> None:
        for _ in range(3):
            enough = len(answers) + 20
            while len(answers) < enough:
                await asyncio.sleep(0.01)
            os.kill(await graph.pid(), signal.SIGKILL)

    await asyncio.gather(kill(), *(ask() for _ in range(5)))
    assert set(answers) == {300}


async def test_acknowledged_writes_survive_every_kill_and_none_counts_twice(graph: EmbeddedGraph) -> None:
    acknowledged = 0
    for round_ in range(4):

        async def write(first: int = round_ * 50) -> None:
            nonlocal acknowledged
            for i in range(first, first + 50):
                await graph.write_all(
                    [
                        ("MERGE (n:Half {id: $id})", {"id": f"{i}a"}),
                        ("MERGE (n:Half {id: $id})", {"id": f"{i}b"}),
                    ]
                )
                acknowledged += 1

        writer = asyncio.create_task(write())
        enough = acknowledged + random.randint(1, 40)
        while acknowledged < enough:
            await asyncio.sleep(0)
        os.kill(await graph.pid(), signal.SIGKILL)
        await writer
    result = await graph.read("MATCH (n:Half) RETURN count(n) AS all, count(DISTINCT n.id) AS ids")
    assert result.rows == [{"all": 400, "ids": 400}]


async def test_a_query_that_eats_the_memory_fails_alone(graph: EmbeddedGraph) -> None:
    hog, *others = await asyncio.gather(
        graph.read(MEMORY_HOG), *(total(graph) for _ in range(10)), return_exceptions=True
    )
    assert isinstance(hog, QueryError) and hog.code == ENGINE_FAULT and hog.repairable
    assert others == [300] * 10
    # Its place in the engine's queue is free again: more of them than the queue has do no harm.
    for _ in range(3):
        with pytest.raises(QueryError):
            await graph.read(MEMORY_HOG)
    assert await total(graph) == 300


async def test_a_runaway_whose_caller_left_is_still_ended(graph: EmbeddedGraph) -> None:
    before = await graph.pid()
    caller = asyncio.create_task(graph.read(RUNAWAY, timeout=0.3))
    await asyncio.sleep(0.1)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await gone(before)
    assert await total(graph) == 300


async def test_a_runaway_under_way_does_not_hold_up_closing(tmp_path: Path) -> None:
    graph = await EmbeddedGraph.open(tmp_path, OPTIONS)
    pid = await graph.pid()
    caller = asyncio.create_task(graph.read(RUNAWAY, timeout=60))
    await asyncio.sleep(0.2)
    async with asyncio.timeout(10):
        await graph.close()
    assert await gone(pid)
    with pytest.raises((asyncio.CancelledError, GraphUnavailable)):
        await caller


async def test_the_engine_dies_with_its_parent_and_the_next_one_starts(tmp_path: Path) -> None:
    parent = other_process(tmp_path)
    engine = await engine_of(parent)
    parent.kill()
    parent.wait()
    graph = await EmbeddedGraph.open(tmp_path, OPTIONS)
    assert await gone(engine)
    assert await total(graph) == 1
    await graph.close()


async def test_a_second_process_is_told_who_has_the_folder(graph: EmbeddedGraph, tmp_path: Path) -> None:
    second = other_process(tmp_path / "graph")
    _, errors = await asyncio.to_thread(second.communicate)
    assert second.returncode != 0
    assert "GraphHeld" in errors and f"process {os.getpid()}" in errors and "PAUSEPOINT_DATA" in errors
    assert await total(graph) == 300


async def test_we_are_told_who_has_the_folder(tmp_path: Path) -> None:
    first = other_process(tmp_path)
    await engine_of(first)
    with pytest.raises(GraphHeld, match=f"process {first.pid}"):
        await EmbeddedGraph.open(tmp_path, OPTIONS)
    await asyncio.to_thread(first.communicate, "")
    graph = await EmbeddedGraph.open(tmp_path, OPTIONS)
    assert await total(graph) == 1
    await graph.close()


async def test_users_in_one_process_share_one_engine(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, graph_heap="96m")  # pyright: ignore[reportCallIssue]
    first, second = await asyncio.gather(open_graph(settings), open_graph(settings))
    assert isinstance(first, EmbeddedGraph) and isinstance(second, EmbeddedGraph)
    pid = await first.pid()
    assert await second.pid() == pid
    await first.close()
    await first.close()
    with pytest.raises(GraphUnavailable, match="closed"):
        await first.read("RETURN 1")
    assert (await second.read("RETURN 1 AS one")).rows == [{"one": 1}]
    await second.close()
    assert await gone(pid)


async def test_one_graph_serves_several_event_loops(graph: EmbeddedGraph) -> None:
    found: list[int] = []

    async def ask() -> None:
        found.extend(await asyncio.gather(*(total(graph) for _ in range(5))))

    threads = [threading.Thread(target=lambda: asyncio.run(ask())) for _ in range(3)]
    for thread in threads:
        thread.start()
    await total(graph)
    os.kill(await graph.pid(), signal.SIGKILL)
    for thread in threads:
        await asyncio.to_thread(thread.join)
    assert found == [300] * 15
    assert await total(graph) == 300


def test_an_engine_outlives_the_event_loop_that_started_it(tmp_path: Path) -> None:
    graph = asyncio.run(EmbeddedGraph.open(tmp_path, OPTIONS))
    pid = asyncio.run(graph.pid())

    async def again() -> int:
        await graph.write("MERGE (n:Kept {id: 'x'})")
        return await total(graph)

    assert asyncio.run(again()) == 1
    assert asyncio.run(graph.pid()) == pid
    asyncio.run(graph.close())


@pytest.mark.parametrize("name", ["server-users.jsonl", "server-groups.json"])
async def test_damaged_logins_and_rules_are_written_anew(tmp_path: Path, name: str) -> None:
    graph = await EmbeddedGraph.open(tmp_path, OPTIONS)
    await graph.write("MERGE (n:Kept {id: 'x'})")
    await graph.close()
    (tmp_path / "config" / name).write_bytes(b"\x00{not json")
    graph = await EmbeddedGraph.open(tmp_path, OPTIONS)
    assert await total(graph) == 1
    with pytest.raises(QueryError):
        await graph.read("CREATE (:Kept)")
    await graph.close()


async def test_damaged_data_is_a_clear_error_and_not_the_end(tmp_path: Path) -> None:
    graph = await EmbeddedGraph.open(tmp_path, OPTIONS)
    await graph.write("MERGE (n:Kept {id: 'x'})")
    await graph.close()
    schema = tmp_path / "databases" / "graph" / "schema.json"
    good = {p: p.read_bytes() for p in schema.parent.glob("schema*")}
    for path in good:
        path.write_bytes(b'{"broken')
    graph = await EmbeddedGraph.open(tmp_path, OPTIONS)
    with pytest.raises(GraphUnavailable, match="did not start") as refused:
        await graph.ready()
    assert str(tmp_path) in str(refused.value) and "engine.log" in str(refused.value)
    await graph.close()
    for path, content in good.items():
        path.write_bytes(content)
    graph = await EmbeddedGraph.open(tmp_path, OPTIONS)
    assert await total(graph) == 1
    await graph.close()


async def test_a_kill_during_the_very_first_start_leaves_a_usable_folder(tmp_path: Path) -> None:
    (tmp_path / "databases" / "graph").mkdir(parents=True)
    (tmp_path / "databases" / "graph" / "configuration.json").write_text("")
    graph = await EmbeddedGraph.open(tmp_path, OPTIONS)
    assert await total(graph) == 0
    await graph.close()


async def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Exception, match="cannot be written"):
        await EmbeddedGraph.open(tmp_path / "file" / "graph", OPTIONS)


async def test_nothing_secret_is_kept_or_shown(graph: EmbeddedGraph, tmp_path: Path) -> None:
    folder = tmp_path / "graph"
    engine = psutil.Process(await graph.pid())
    address = (await graph._run()).address
    secrets = [address.reader.password.encode(), address.writer.password.encode()]
    shown = json.dumps([engine.cmdline(), engine.environ(), repr(address)]).encode()
    kept = b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())
    assert not any(secret in shown + kept for secret in secrets)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    listening = [c.laddr.ip for c in engine.net_connections() if c.status == psutil.CONN_LISTEN]
    assert listening and all(ip in ("127.0.0.1", "::ffff:127.0.0.1") for ip in listening)


async def test_time_limits_hold_after_a_restart(graph: EmbeddedGraph) -> None:
    os.kill(await graph.pid(), signal.SIGKILL)
    with pytest.raises(QueryTimeout):
        await graph.read(RUNAWAY, timeout=0.3)
    with pytest.raises(QueryError):
        await graph.read("CREATE (:Kept)")
    assert await total(graph) == 300
