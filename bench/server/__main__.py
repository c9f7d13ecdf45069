"""`python -m bench.server`: the table of the server's speed, ours beside `langgraph dev` when that is installed."""

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable
from typing import TypeVar

from bench.server.target import OTHER, Target, langgraph_dev, ours
from bench.server.wire import Wire

T = TypeVar("T")

GOALS = {
    "start → interrupt, p50 ms": "≤ 15",
    "resume → end, p50 ms": "≤ 15",
    "3-node run, 1 client, p50 ms": "",
    "3-node runs/s, 1 client": "≥ 60",
    "3-node runs/s, 10 clients": "≥ 120",
    "3-node runs/s, 100 clients": "≥ 120",
    "CPU ms per 3-node run, 1 client": "≤ 6",
    "CPU ms per 3-node run, 100 clients": "≤ 6",
    "first token, p50 ms": "≤ 10",
    "200 streams at once, slowest first token ms": "≤ 150",
    "1,000-message thread, last turn ms": "≤ 8",
    "ready after s": "≤ 2",
    "RSS MB at the end": "≤ 300",
}


async def measure(target: Target, quick: bool) -> dict[str, float]:
    """All figures of one server."""
    bench = Bench(target)
    found = {"ready after s": target.ready_seconds}
    wire = Wire(target.url)
    for _ in range(10):
        await run_three(wire)
    found |= await bench.pauses(10 if quick else 60)
    found |= await bench.rate(1, 30 if quick else 200)
    found |= await bench.rate(10, 50 if quick else 400)
    found |= await bench.rate(100, 200 if quick else 600)
    found |= await bench.first_token(5 if quick else 20)
    found |= await bench.many_streams(20 if quick else 200)
    found |= await bench.long_thread(50 if quick else 500)
    found["RSS MB at the end"] = target.memory()
    wire.close()
    return found


async def new_thread(wire: Wire) -> str:
    """A new thread's id."""
    return (await wire.post("/threads", {}))["thread_id"]


async def run_three(wire: Wire) -> None:
    """A durable run on a thread of its own."""
    path = f"/threads/{await new_thread(wire)}/runs/wait"
    body = {"assistant_id": "three", "input": {"steps": []}, "durability": "sync"}
    assert (await wire.post(path, body))["steps"] == ["a", "b", "c"]


class Bench:
    """The measurements."""

    def __init__(self, target: Target) -> None:
        self.target = target

    async def pauses(self, count: int) -> dict[str, float]:
        """A run to its question, and its answer to the end."""
        asked: list[float] = []
        answered: list[float] = []
        wire = Wire(self.target.url)
        for _ in range(count):
            path = f"/threads/{await new_thread(wire)}/runs/wait"
            question, seconds = await timed(
                wire.post(path, {"assistant_id": "pause", "input": {"steps": []}})
            )
            assert "__interrupt__" in question, question
            asked.append(seconds)
            end, seconds = await timed(
                wire.post(path, {"assistant_id": "pause", "command": {"resume": "yes"}})
            )
            assert end["steps"] == ["yes"], end
            answered.append(seconds)
        wire.close()
        return {
            "start → interrupt, p50 ms": statistics.median(asked) * 1000,
            "resume → end, p50 ms": statistics.median(answered) * 1000,
        }

    async def rate(self, clients: int, count: int) -> dict[str, float]:
        """Durable runs on threads of their own."""
        times: list[float] = []
        left = iter(range(count))

        async def client() -> None:
            wire = Wire(self.target.url)
            for _ in left:
                _, seconds = await timed(run_three(wire))
                times.append(seconds)
            wire.close()

        cpu = self.target.cpu()
        _, seconds = await timed(asyncio.gather(*(client() for _ in range(clients))))
        name = f"{clients} client" + ("s" if clients > 1 else "")
        found = {f"3-node runs/s, {name}": count / seconds}
        if clients != 10:
            found[f"CPU ms per 3-node run, {name}"] = (self.target.cpu() - cpu) / count * 1000
        if clients == 1:
            found["3-node run, 1 client, p50 ms"] = statistics.median(times) * 1000
        return found

    async def first_token(self, count: int) -> dict[str, float]:
        """From the request to the first token."""
        times = [await self._until_token() for _ in range(count)]
        return {"first token, p50 ms": statistics.median(times) * 1000}

    async def many_streams(self, count: int) -> dict[str, float]:
        """All at once, each from a model of 50 tokens a second."""
        times = await asyncio.gather(*(self._until_token(whole=True) for _ in range(count)))
        name = "200 streams at once, slowest first token ms"
        return {name: max(times) * 1000}

    async def _until_token(self, whole: bool = False) -> float:
        body = {
            "assistant_id": "tokens",
            "input": {"messages": [{"role": "user", "content": "speak"}]},
            "stream_mode": "messages-tuple",
        }
        return await Wire(self.target.url).first("/runs/stream", body, b"event: messages", whole)

    async def long_thread(self, turns: int) -> dict[str, float]:
        """A conversation of two messages a turn."""
        wire = Wire(self.target.url)
        path = f"/threads/{await new_thread(wire)}/runs/wait"
        last: list[float] = []
        for turn in range(turns):
            said = {"role": "user", "content": f"Question {turn}: " + "what about this then? " * 5}
            _, seconds = await timed(wire.post(path, {"assistant_id": "chat", "input": {"messages": [said]}}))
            last.append(seconds)
        wire.close()
        return {"1,000-message thread, last turn ms": statistics.median(last[-10:]) * 1000}


async def timed(work: Awaitable[T]) -> tuple[T, float]:
    """A result and the seconds it took."""
    began = time.perf_counter()
    found = await work
    return found, time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    quick = "--quick" in sys.argv
    results: dict[str, dict[str, float]] = {}
    for start in (ours, langgraph_dev):
        with start() as target:
            if target is not None:
                results[target.name] = asyncio.run(measure(target, quick))
    print(table(results))
    if len(results) == 1:
        print(f"\nFor the comparison set {OTHER} to a virtual environment with langgraph-cli[inmem].")


def table(results: dict[str, dict[str, float]]) -> str:
    """Markdown."""
    names = list(results)
    lines = ["| | goal | " + " | ".join(names) + " |", "|---|---|" + "---|" * len(names)]
    for key, goal in GOALS.items():
        cells = [f"{results[n][key]:.1f}" if key in results[n] else "–" for n in names]
        lines.append(f"| {key} | {goal} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
