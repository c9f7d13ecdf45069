"""The campaign assistant as a user meets it: a real server on loopback, the samples' own questions, offline, warm.

Every question is asked once (and `use_cache` is off, or the cache has never seen it), so that no cache answers.
`--data DIR` measures on a loaded folder (a copy of it is used), `--json` prints JSON.
"""

import argparse
import asyncio
import random
import socket
import time
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import orjson
from langgraph_sdk import get_client

from bench.common import SAMPLES, Figure, Running, loaded_copy, p50, p95, serving, show, show_json

WARMING, WAITED, STREAMED, SDK_STREAMED, TRACED, AT_ONCE = 6, 22, 10, 8, 12, 20
STARTS = 3
UNANSWERED = frozenset({"clarification_needed", "out_of_scope"})
SDK_CONTEXT = {"use_cache": False}


@dataclass(frozen=True)
class Asked:
    """A question on a campaign (its uuid)."""

    text: str
    campaign: str


@dataclass(frozen=True)
class Timed:
    """One answered question: seconds to the first text and to the whole answer."""

    first: float | None
    whole: float
    failed: str | None = None


def questions() -> list[Asked]:
    """The samples' labelled questions that want an answer, mixed, always in the same order."""
    from pausepoint.evaluation.questions import read_questions

    found: dict[str, Asked] = {}
    for path in sorted(SAMPLES.glob("*/questions.yaml")):
        file = read_questions(path)
        for each in file.questions:
            if UNANSWERED.isdisjoint(each.actions):
                found.setdefault(each.question, Asked(each.question, file.campaign))
    mixed = list(found.values())
    random.Random(7).shuffle(mixed)
    return mixed


class Client:
    """Asks one server, over HTTP as an application does, or with the SDK."""

    def __init__(self, url: str) -> None:
        self.http = httpx.AsyncClient(base_url=url, timeout=120)
        self.sdk = get_client(url=url, api_key=None, timeout=120)

    async def close(self) -> None:
        await self.http.aclose()
        await self.sdk.aclose()

    async def wait(self, asked: Asked) -> Timed:
        """POST /query, the answer as one JSON."""
        started = time.perf_counter()
        response = await self.http.post(
            f"/api/campaigns/{asked.campaign}/assistant/query", json={"query": asked.text}
        )
        return Timed(None, time.perf_counter() - started, _problem(response))

    async def stream(self, asked: Asked) -> Timed:
        """POST /query/stream, text as it is written."""
        started = time.perf_counter()
        first: float | None = None
        whole = None
        async for event in self._events(asked):
            if event == "text" and first is None:
                first = time.perf_counter() - started
            elif event in ("answer", "clarification"):
                whole = time.perf_counter() - started
        ended = time.perf_counter() - started
        return Timed(first, whole or ended, None if whole else "no answer in the stream")

    async def _events(self, asked: Asked) -> AsyncGenerator[str]:
        path = f"/api/campaigns/{asked.campaign}/assistant/query/stream"
        async with self.http.stream("POST", path, json={"query": asked.text}) as response:
            async for line in response.aiter_lines():
                if line.startswith("event: "):
                    yield line.removeprefix("event: ")

    async def sdk_stream(self, asked: Asked) -> Timed:
        """A thread and a streamed run with langgraph_sdk; the thread is made beforehand."""
        thread = await self.sdk.threads.create()
        started = time.perf_counter()
        first: float | None = None
        async for part in self._run(thread["thread_id"], asked, "custom"):
            if part.event == "error":
                return Timed(None, time.perf_counter() - started, str(part.data))
            if part.event == "custom" and part.data.get("type") == "text" and first is None:
                first = time.perf_counter() - started
        return Timed(first, time.perf_counter() - started)

    async def trace(self, asked: Asked) -> tuple[dict[str, float], float]:
        """Seconds of each step (by the server's own clock, repairs added up), and from request to answer."""
        thread = await self.sdk.threads.create()
        started = time.perf_counter()
        begun: dict[str, float] = {}
        steps: defaultdict[str, float] = defaultdict(float)
        async for part in self._run(thread["thread_id"], asked, "debug"):
            if part.event != "debug" or part.data["type"] not in ("task", "task_result"):
                continue
            moment = datetime.fromisoformat(part.data["timestamp"]).timestamp()
            task = part.data["payload"]
            if part.data["type"] == "task":
                begun[task["id"]] = moment
            else:
                steps[task["name"]] += moment - begun[task["id"]]
        return dict(steps), time.perf_counter() - started

    def _run(self, thread: str, asked: Asked, mode: str) -> Any:
        given = {"question": asked.text, "campaign": asked.campaign}
        return self.sdk.runs.stream(thread, "assistant", input=given, context=SDK_CONTEXT, stream_mode=[mode])


def _problem(response: httpx.Response) -> str | None:
    if response.status_code != 200:
        return f"HTTP {response.status_code}"
    answer = orjson.loads(response.content)
    return f"error {answer['errorType']}" if answer["responseType"] == "error" else None


async def one_by_one(ask: Any, asked: Sequence[Asked]) -> list[Timed]:
    return [await ask(each) for each in asked]


async def at_once(ask: Any, asked: Sequence[Asked]) -> list[Timed]:
    async def safely(each: Asked) -> Timed:
        try:
            return await ask(each)
        except httpx.HTTPError as error:
            return Timed(None, 0, repr(error))

    return list(await asyncio.gather(*map(safely, asked)))


def answer_rows(waited: Sequence[Timed], streamed: Sequence[Timed], sdk: Sequence[Timed]) -> list[Figure]:
    """Latency of single questions."""
    whole = [each.whole * 1000 for each in waited]
    first = [each.first * 1000 for each in streamed if each.first is not None]
    sdk_first = [each.first * 1000 for each in sdk if each.first is not None]
    errors = Counter(each.failed for each in (*waited, *streamed, *sdk) if each.failed)
    return [
        Figure("question to full answer, p50", p50(whole), "ms", 150, f"{len(whole)} questions"),
        Figure("question to full answer, p95", p95(whole), "ms"),
        Figure("first text, SSE route, p50", p50(first), "ms", 80, f"{len(first)} questions"),
        Figure("first text, SDK stream, p50", p50(sdk_first), "ms", 80, f"{len(sdk_first)} questions"),
        Figure("full answer, SSE route, p50", p50(each.whole * 1000 for each in streamed), "ms"),
        Figure("errors", sum(errors.values()), "", 0, ", ".join(map(str, errors))),
    ]


def load_rows(timed: Sequence[Timed]) -> list[Figure]:
    """Latency of questions asked together."""
    whole = [each.whole * 1000 for each in timed]
    errors = Counter(each.failed for each in timed if each.failed)
    name = f"{len(timed)} questions at once"
    return [
        Figure(f"{name}, p50", p50(whole), "ms"),
        Figure(f"{name}, max", max(whole), "ms"),
        Figure(f"{name}, errors", sum(errors.values()), "", 0, ", ".join(map(str, errors))),
    ]


def memory_rows(warm: dict[str, float], used: dict[str, float], parts: dict[str, float]) -> list[Figure]:
    """Memory of the server and the graph's engine together."""
    shares = ", ".join(f"{name} {value:.0f}" for name, value in parts.items())
    return [
        Figure("resident memory when warm", warm["rss"], "MB"),
        Figure("resident memory after all questions (RSS)", used["rss"], "MB", 700, shares),
        Figure("the same, shared pages once (PSS)", used["pss"], "MB"),
        Figure("the same, own pages only (USS)", used["uss"], "MB"),
    ]


def share_rows(traces: Sequence[tuple[dict[str, float], float]]) -> list[Figure]:
    """Median of each step where it ran, and its share of all the time; then what lies around the steps."""
    taken: defaultdict[str, list[float]] = defaultdict(list)
    for steps, whole in traces:
        for name, seconds in steps.items():
            taken[name].append(seconds * 1000)
        taken["around the steps"].append((whole - sum(steps.values())) * 1000)
    total = 1000 * sum(whole for _, whole in traces)
    around = {"around the steps": ": HTTP, accepting and ending the run, checkpoints"}
    rows = [
        Figure(name, p50(times), "ms", None, f"{sum(times) / total:.0%} of the time{around.get(name, '')}")
        for name, times in taken.items()
    ]
    return sorted(rows, key=lambda row: row.name in around)


def start_rows(served: Sequence[tuple[float, float]], up: float, first: float) -> list[Figure]:
    """From the command to the ready line, data loaded; `served` are seconds by the clock and of processor time."""
    clock, cpu = zip(*served, strict=True)
    return [
        Figure("`pausepoint serve` to its ready line", p50(clock), "s", 6, f"median of {len(clock)}"),
        Figure("the same, processor time", p50(cpu), "s"),
        Figure("`pausepoint up` to its ready line", up, "s", 6),
        Figure("first answer after the ready line", first, "s", None, "models load meanwhile"),
    ]


@contextmanager
def _upped(data: Path) -> Any:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with serving(data, ("up", "--port", str(port))) as running:
        yield running


async def measure(source: Path | None) -> dict[str, list[Figure]]:
    """Everything, on one copy of the data."""
    with loaded_copy(source) as data:
        starts = [_start(data) for _ in range(STARTS - 1)]
        with _upped(data) as running:
            up = running.start_seconds
        with serving(data) as running:
            starts.append((running.start_seconds, running.start_cpu_seconds))
            client = Client(running.url)
            try:
                tables = await _ask_all(running, client)
            finally:
                await client.close()
        first = tables.pop("first")[0].value
        return {"Start, from installed state and loaded data": start_rows(starts, up, first), **tables}


def _start(data: Path) -> tuple[float, float]:
    with serving(data) as running:
        return running.start_seconds, running.start_cpu_seconds


async def _ask_all(running: Running, client: Client) -> dict[str, list[Figure]]:
    pool = iter(questions())

    def take(count: int) -> list[Asked]:
        return [next(pool) for _ in range(count)]

    warming = take(WARMING)
    first = (await client.wait(warming[0])).whole
    await one_by_one(client.wait, warming[1:])
    warm = running.memory()

    before = running.cpu_ms()
    waited = await one_by_one(client.wait, take(WAITED))
    cpu = (running.cpu_ms() - before) / WAITED
    streamed = await one_by_one(client.stream, take(STREAMED))
    sdk = await one_by_one(client.sdk_stream, take(SDK_STREAMED))
    together = await at_once(client.wait, take(AT_ONCE))
    traces = [await client.trace(each) for each in take(TRACED)]
    used = running.memory()
    server, *children = (each.memory_info().rss / 1e6 for each in running.tree())
    parts = {"server": server, "graph": sum(children)}
    return {
        "first": [Figure("first", first, "s")],
        "One question at a time, warm": [
            *answer_rows(waited, streamed, sdk),
            Figure("processor time of a question, server and graph", cpu, "ms"),
        ],
        "Twenty questions at once": load_rows(together),
        "Memory of server and graph": memory_rows(warm, used, parts),
        "Share of each step": share_rows(traces),
    }


async def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench assistant", description=__doc__)
    parser.add_argument("--data", type=Path, help="a loaded data folder that no server uses")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    tables = await measure(options.data)
    if options.json:
        show_json(tables)
        return
    for title, figures in tables.items():
        show(title, figures)


if __name__ == "__main__":
    asyncio.run(main())
