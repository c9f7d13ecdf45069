"""The embedded graph: start, restart after SIGKILL, 1-hop and 2-hop reads, writes, memory of its process."""

import argparse
import asyncio
import os
import random
import signal
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from pausepoint.graphdb import delete_campaign, ensure_label
from pausepoint.graphdb.child import Options
from pausepoint.graphdb.embedded import EmbeddedGraph

BATCH = 500
ONE_HOP = "MATCH (a:Bench {id: $id})-[r]-(b) RETURN a, r, b LIMIT 100"
TWO_HOPS = "MATCH (a:Bench {id: $id})-[r1]-(b)-[r2]-(c) RETURN a, r1, b, r2, c LIMIT 100"
NODES = "UNWIND $rows AS row MERGE (n:Bench {id: row.id}) SET n += row"
EDGES = (
    "UNWIND $rows AS row MATCH (a:Bench {id: row.a}) MATCH (b:Bench {id: row.b}) "
    "MERGE (a)-[:KNOWS {id: row.id, description: row.description}]->(b)"
)


async def main() -> None:
    """Print the table; `--nodes`, `--heap`, `--reads` change what is measured."""
    options = _arguments()
    table = Table("measure", "value", title=f"embedded graph, {options.nodes} nodes, heap {options.heap}")
    with tempfile.TemporaryDirectory() as folder:
        graph = await _measure_start(table, Path(folder), Options(heap=options.heap))
        try:
            await _measure_writes(table, graph, options.nodes)
            await _measure_reads(table, graph, options.nodes, options.reads)
            await _measure_restart(table, graph)
            await _measure_removal(table, graph)
        finally:
            await graph.close()
    Console().print(table)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--heap", default="128m")
    parser.add_argument("--reads", type=int, default=300)
    return parser.parse_known_args()[0]


async def _measure_start(table: Table, folder: Path, options: Options) -> EmbeddedGraph:
    for name in ("first start to ready (import of the driver included)", "second start to ready"):
        started = time.perf_counter()
        graph = await EmbeddedGraph.open(folder, options)
        await graph.ready()
        table.add_row(name, _ms(time.perf_counter() - started))
        if name.startswith("first"):
            await graph.close()
    table.add_row("memory when empty", await _memory(graph))
    return graph


async def _measure_writes(table: Table, graph: EmbeddedGraph, count: int) -> None:
    await ensure_label(graph, "Bench")
    nodes = [
        {"id": f"n{i}", "name": f"Name {i}", "campaignUuid": "bench", "description": "text " * 20}
        for i in range(count)
    ]
    random.seed(1)
    edges = [
        {
            "id": f"e{i}",
            "a": f"n{random.randrange(count)}",
            "b": f"n{random.randrange(count)}",
            "description": "text " * 20,
        }
        for i in range(count * 3)
    ]
    for name, query, rows in (("nodes", NODES, nodes), ("relationships", EDGES, edges)):
        started = time.perf_counter()
        for first in range(0, len(rows), BATCH):
            await graph.write(query, {"rows": rows[first : first + BATCH]})
        table.add_row(f"write {len(rows)} {name}, {BATCH} at a time", _ms(time.perf_counter() - started))
    table.add_row("memory after writing", await _memory(graph))


async def _measure_reads(table: Table, graph: EmbeddedGraph, nodes: int, reads: int) -> None:
    async def read(query: str) -> None:
        await graph.read(query, {"id": f"n{random.randrange(nodes)}"})

    for name, query in (("1 hop", ONE_HOP), ("2 hops", TWO_HOPS)):
        times = sorted([await _timed(lambda query=query: read(query)) for _ in range(reads)])
        table.add_row(
            f"{name}, p50 / p99", f"{_ms(statistics.median(times))} / {_ms(times[-len(times) // 100])}"
        )
    at_once = await _timed(lambda: _together(lambda: read(TWO_HOPS), 20))
    table.add_row("20 reads of 2 hops at once", _ms(at_once))
    table.add_row("memory after reading", await _memory(graph))


async def _measure_restart(table: Table, graph: EmbeddedGraph) -> None:
    times: list[float] = []
    for _ in range(5):
        os.kill(await graph.pid(), signal.SIGKILL)
        times.append(await _timed(lambda: graph.read(ONE_HOP, {"id": "n1"})))
    table.add_row(
        "SIGKILL to the next answer, p50 / max", f"{_ms(statistics.median(times))} / {_ms(max(times))}"
    )


async def _measure_removal(table: Table, graph: EmbeddedGraph) -> None:
    taken = await _timed(lambda: delete_campaign(graph, "bench", label="Bench"))
    table.add_row("delete them all", _ms(taken))


async def _together(work: Callable[[], Awaitable[None]], count: int) -> None:
    await asyncio.gather(*(work() for _ in range(count)))


async def _timed(work: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await work()
    return time.perf_counter() - started


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


async def _memory(graph: EmbeddedGraph) -> str:
    return f"{psutil.Process(await graph.pid()).memory_info().rss / 1e6:.0f} MB"


if __name__ == "__main__":
    asyncio.run(main())
