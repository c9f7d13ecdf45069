"""What checkpointing costs: time of a superstep, size of a long thread, its last turn, reading it; beside the stock saver.

Both savers run in turns in the same process; the figures are medians, and the ratio is what counts.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from typing_extensions import TypedDict

from pausepoint.storage.checkpointer import SqliteCheckpointer
from pausepoint.storage.database import Database

SUPERSTEPS = 40
ROUNDS = 25
MESSAGES = 1000
LAST = 15
TEXT = "the quick brown fox jumps over the lazy dog " * 8

Opened = Callable[[Path], AbstractAsyncContextManager[Any]]


@asynccontextmanager
async def durable(folder: Path) -> AsyncIterator[Any]:
    async with await Database.open(folder / "pausepoint.sqlite") as database:
        yield SqliteCheckpointer(database)


@asynccontextmanager
async def in_server(folder: Path) -> AsyncIterator[Any]:
    async with await Database.open(folder / "pausepoint.sqlite") as database:
        yield SqliteCheckpointer(database, durable=False)


@asynccontextmanager
async def stock(folder: Path) -> AsyncIterator[Any]:
    async with AsyncSqliteSaver.from_conn_string(str(folder / "stock.sqlite")) as saver:
        yield saver


@asynccontextmanager
async def stock_normal(folder: Path) -> AsyncIterator[Any]:
    async with AsyncSqliteSaver.from_conn_string(str(folder / "stock.sqlite")) as saver:
        await saver.setup()
        await saver.conn.execute("PRAGMA synchronous=NORMAL")
        yield saver


@asynccontextmanager
async def memory(folder: Path) -> AsyncIterator[Any]:
    yield InMemorySaver()


SAVERS: dict[str, Opened] = {
    "pausepoint, fsync each": durable,
    "pausepoint, as in the server": in_server,
    "stock, fsync each": stock,
    "stock, synchronous=NORMAL": stock_normal,
    "in memory": memory,
}


class Count(TypedDict):
    n: int
    log: Annotated[list[str], lambda a, b: (a + b)[-5:]]


def counter(saver: Any) -> Any:
    async def step(state: Count) -> dict[str, Any]:
        return {"n": state["n"] + 1, "log": [f"step {state['n']}"]}

    builder = StateGraph(Count)
    builder.add_node("step", step)
    builder.add_edge(START, "step")
    builder.add_conditional_edges("step", lambda state: END if state["n"] >= SUPERSTEPS else "step")
    return builder.compile(checkpointer=saver)


def chat(saver: Any) -> Any:
    async def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(f"answer {len(state['messages'])} {TEXT}")]}

    builder = StateGraph(MessagesState)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    return builder.compile(checkpointer=saver)


async def superstep() -> dict[str, float]:
    """Milliseconds that checkpointing adds to a superstep with durability "sync"; the savers take turns."""
    times: dict[str, list[float]] = {name: [] for name in [*SAVERS, ""]}
    for turn in range(ROUNDS):
        for name in times:
            with tempfile.TemporaryDirectory() as folder:
                async with SAVERS.get(name, memory)(Path(folder)) as saver:
                    graph = counter(saver if name else None)
                    config = {"configurable": {"thread_id": f"{turn}"}, "recursion_limit": 1000}
                    durability = {"durability": "sync"} if name else {}
                    began = time.perf_counter()
                    await graph.ainvoke({"n": 0, "log": []}, config, **durability)
                    times[name].append((time.perf_counter() - began) * 1000 / SUPERSTEPS)
    bare = times.pop("")
    return {
        name: statistics.median(mine - base for mine, base in zip(taken, bare, strict=True))
        for name, taken in times.items()
    }


async def long_thread(opened: Opened) -> dict[str, float]:
    """A thread of 1,000 messages, a question and an answer at a time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with opened(folder) as saver:
            graph = chat(saver)
            config: Any = {"configurable": {"thread_id": "long"}}
            turns = [
                await _timed(
                    graph.ainvoke, {"messages": [HumanMessage(f"q {n} {TEXT}")]}, config, durability="sync"
                )
                for n in range(MESSAGES // 2)
            ]
            reads = [await _timed(saver.aget_tuple, config) for _ in range(LAST)]
        size = sum(file.stat().st_size for file in folder.iterdir())
        async with opened(folder) as saver:
            first = await _timed(saver.aget_tuple, config)
    return {
        "first turns, ms": statistics.median(turns[:LAST]),
        "last turns, ms": statistics.median(turns[-LAST:]),
        "get_tuple, ms": statistics.median(reads),
        "get_tuple after opening, ms": first,
        "size, MB": size / 1e6,
    }


async def _timed(call: Callable[..., Any], *args: Any, **options: Any) -> float:
    began = time.perf_counter()
    await call(*args, **options)
    return (time.perf_counter() - began) * 1000


async def together(opened: Opened, threads: int = 50, steps: int = 20) -> float:
    """Supersteps a second of many threads at once."""
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder)) as saver:
            graph = counter(saver)
            start = {"n": SUPERSTEPS - steps, "log": []}
            configs = [
                {"configurable": {"thread_id": f"{n}"}, "recursion_limit": 1000} for n in range(threads)
            ]
            began = time.perf_counter()
            await asyncio.gather(*(graph.ainvoke(start, config, durability="sync") for config in configs))
            return threads * steps / (time.perf_counter() - began)


def _table(title: str, rows: dict[str, list[str]]) -> None:
    print(f"\n{title}")
    width = max(map(len, rows))
    for name, cells in rows.items():
        print(f"  {name:<{width}}" + "".join(f"{cell:>18}" for cell in cells))


async def main() -> None:
    """Print the tables."""
    added = await superstep()
    base = added["stock, fsync each"]
    rows = {name: [f"{ms:.2f} ms", f"{base / ms:.1f} x" if ms > 0 else ""] for name, ms in added.items()}
    _table("Added to a superstep, durability sync (stock / this)", rows)

    rates = {name: await together(opened) for name, opened in SAVERS.items()}
    base = rates["stock, fsync each"]
    _table(
        "50 threads at once, supersteps a second (this / stock)",
        {name: [f"{rate:.0f}", f"{rate / base:.1f} x"] for name, rate in rates.items()},
    )

    names = ["pausepoint, fsync each", "pausepoint, as in the server", "stock, fsync each"]
    figures = [await long_thread(SAVERS[name]) for name in names]
    rows = {"": ["fsync each", "as in the server", "stock", "stock / server"]}
    for label, value in figures[2].items():
        cells = [f"{figure[label]:.2f}" for figure in figures]
        rows[label] = [*cells, f"{value / figures[1][label]:.1f} x"]
    _table(f"A thread of {MESSAGES} messages", rows)


if __name__ == "__main__":
    asyncio.run(main())
