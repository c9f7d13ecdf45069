"""The pause in figures: answers accepted, the inbox at 10,000, two hundred at once; and three everyday mishaps.

python -m bench.pause                                   ours alone
python -m bench.pause --stock http://127.0.0.1:2025     beside a running `langgraph dev` of bench/pause_project
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
import uuid
from pathlib import Path

import httpx
import orjson

ROOT = Path(__file__).parents[1]
PROJECT = Path(__file__).parent / "pause_project" / "langgraph.json"
sys.path.insert(0, str(ROOT / "tests" / "contract" / "server"))
GOOD = {"site": "north", "severity": 3}


def percentiles(seconds: list[float]) -> str:
    found = sorted(seconds)
    return (
        f"p50 {statistics.median(found) * 1000:6.1f} ms   p95 {found[int(len(found) * 0.95)] * 1000:6.1f} ms"
    )


async def paused(http: httpx.AsyncClient, graph: str) -> tuple[str, str]:
    thread = (await http.post("/threads", json={})).json()["thread_id"]
    body = {"assistant_id": graph, "input": {}}
    found = (await http.post(f"/threads/{thread}/runs/wait", json=body)).json()
    return thread, found["__interrupt__"][0]["id"]


async def resume(
    http: httpx.AsyncClient, thread: str, graph: str, answer, wait: bool = True
) -> httpx.Response:
    place = f"/threads/{thread}/runs{'/wait' if wait else ''}"
    return await http.post(place, json={"assistant_id": graph, "command": {"resume": answer}})


async def waiting(http: httpx.AsyncClient, thread: str) -> int:
    found = (await http.get(f"/threads/{thread}")).json()
    return sum(len(group) for group in (found["interrupts"] or {}).values())


async def timed(coroutine) -> float:
    start = time.perf_counter()
    answer = await coroutine
    assert answer.status_code < 300, answer.text
    return time.perf_counter() - start


async def accepting(http: httpx.AsyncClient, count: int) -> None:
    pauses = [await paused(http, "form") for _ in range(count)]
    roads = {
        "POST /threads/…/runs": [
            await timed(resume(http, t, "form", {i: GOOD}, wait=False)) for t, i in pauses[: count // 2]
        ]
    }
    inbox = (await http.get("/inbox", params={"limit": 200})).json()["items"]
    roads["POST /inbox/…/answer"] = [
        await timed(http.post(f"/inbox/{p['pause_id']}/answer", json={"answer": GOOD})) for p in inbox
    ]
    for road, seconds in roads.items():
        print(
            f"  answer accepted, {road:<24} {percentiles(seconds)}   ({len(seconds)} answers, one at a time)"
        )


async def at_once(http: httpx.AsyncClient, count: int) -> None:
    thread, asked = await paused(http, "form")
    start = time.perf_counter()
    answers = await asyncio.gather(
        *[resume(http, thread, "form", {asked: GOOD}, wait=False) for _ in range(count)]
    )
    codes = [a.status_code for a in answers]
    seconds = time.perf_counter() - start
    print(
        f"  {count} answers to one pause at once: {codes.count(200)} accepted, {codes.count(409)} told, {seconds:.2f} s"
    )


async def invalid(http: httpx.AsyncClient, count: int) -> None:
    import random

    chance = random.Random(1)
    junk = [
        None,
        {},
        "",
        0,
        [],
        {"site": ""},
        {"site": "x", "severity": 9},
        {"severity": 3},
        {"x": "y" * 100},
    ]
    thread, asked = await paused(http, "form")
    start, stood = time.perf_counter(), 0
    for _ in range(count):
        answer = await resume(http, thread, "form", {asked: chance.choice(junk)})
        stood += answer.status_code == 422 and await waiting(http, thread) == 1
    seconds = time.perf_counter() - start
    runs = len((await http.get(f"/threads/{thread}/runs", params={"limit": 1000})).json())
    print(
        f"  {count} random wrong answers: the pause stood after {stood}; runs started: {runs - 1}; {seconds:.1f} s"
    )


async def fill(data: Path, count: int) -> None:
    """Rows as the server writes them; running that many graphs would only measure the graphs."""
    from pausepoint.pauses import rows
    from pausepoint.pauses.question import read_question
    from pausepoint.server.tables import threads
    from pausepoint.storage.database import Database

    value = {"title": "Report", "kind": "form", "message": "What happened? " * 20}

    def write(conn) -> None:
        for number in range(count):
            thread = threads.insert(conn, None, {"graph_id": "form", "team": f"team {number % 7}"})
            rows.insert(
                conn,
                read_question({"value": {**value, "assignee": f"person {number % 50}", "number": number}}),
                thread_id=thread,
                interrupt_id=uuid.uuid4().hex,
                task_id=str(uuid.uuid4()),
                node="ask",
                run_id=None,
                graph_id="form",
                assistant_id=None,
                graph_version=None,
                resume_with={},
            )
            conn.execute(
                "UPDATE threads SET status = 'interrupted', interrupts = ? WHERE thread_id = ?",
                (orjson.dumps({"task": [{"id": "x", "value": value}]}).decode(), thread),
            )

    async with await Database.open(data / "pausepoint.sqlite") as database:
        await database.write(write)


async def inbox(http: httpx.AsyncClient, repeats: int) -> None:
    for name, query in {
        "first page": {},
        "due next": {"order": "due"},
        "one person": {"assignee": "person 7"},
        "text": {"text": '"number":9999'},
        "metadata": {"metadata": '{"team": "team 3"}'},
        "nobody's": {"assignee": "nobody"},
    }.items():
        seconds = [await timed(http.get("/inbox", params=query)) for _ in range(repeats)]
        print(f"  inbox, {name:<11} {percentiles(seconds)}")


async def mishaps(http: httpx.AsyncClient, name: str) -> None:
    """A bad answer, a double click, new input: how many questions wait afterwards that should."""
    thread, _ = await paused(http, "typed")
    await resume(http, thread, "typed", {"count": "many"})
    bad = await waiting(http, thread)
    thread, _ = await paused(http, "chain")
    clicks = await asyncio.gather(*[resume(http, thread, "chain", "yes") for _ in range(2)])
    values = (await http.get(f"/threads/{thread}/state")).json()["values"]
    double = await waiting(http, thread) == 1 and not values.get("answers")
    thread, asked = await paused(http, "form")
    await http.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "form", "input": {"note": "new"}})
    state = (await http.get(f"/threads/{thread}/state")).json()
    kept = asked in [i["id"] for task in state["tasks"] for i in task["interrupts"]]
    yes = {True: "yes", False: "NO"}
    print(f"  {name:<14} {yes[bad == 1]:^26} {yes[double]:^30} {yes[kept]:^30}")
    assert clicks


async def ours(count: int) -> None:
    from server_process import Served

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        with Served(PROJECT, data) as served:
            async with httpx.AsyncClient(base_url=served.url, timeout=60) as http:
                await accepting(http, 200)
                await at_once(http, 200)
                await invalid(http, count)
                header = f"  {'':<14} {'bad answer: still asked':^26} {'double click: next one open':^30}"
                print(f"{header} {'new input: question kept':^30}")
                await mishaps(http, "ours")
        await fill(data, 10_000)
        with Served(PROJECT, data) as served:
            async with httpx.AsyncClient(base_url=served.url, timeout=60) as http:
                await inbox(http, 100)


async def run(stock: str | None, count: int) -> None:
    if stock:
        async with httpx.AsyncClient(base_url=stock, timeout=60) as http:
            await mishaps(http, "langgraph dev")
    await ours(count)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--stock", help="the URL of a running `langgraph dev` of bench/pause_project")
    parser.add_argument("--wrong", type=int, default=1000, help="how many random wrong answers")
    given, _ = parser.parse_known_args()
    print("The pause")
    asyncio.run(run(given.stock, given.wrong))


if __name__ == "__main__":
    main()
