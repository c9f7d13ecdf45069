"""SIGKILL at any instant from question to effect: no pause, no answer is lost, no effect happens twice."""

import asyncio
import random
import sqlite3
import sys
import uuid
from pathlib import Path

import httpx
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "contract" / "server"))
from server_process import Served

from pausepoint.pauses.decisions import verify

PROJECT = Path(__file__).parent / "project"


class Customer:
    """Brings one order from its question to its payment, and tries everything again until it is told that it worked."""

    def __init__(self, served: Served) -> None:
        self.served, self.order = served, str(uuid.uuid4())
        self.told: set[int] = set()

    async def go(self) -> None:
        async with httpx.AsyncClient(timeout=5) as http:
            await self.until(http, "POST", "/threads", {"thread_id": self.order, "if_exists": "do_nothing"})
            run = {"assistant_id": "pay", "input": {"steps": [], "order": self.order}}
            place = f"/threads/{self.order}/runs"
            await self.until(http, "POST", place, run, {"Idempotency-Key": f"start-{self.order}"})
            pause = await self.pause(http)
            answer = {"answer": "yes"}
            key = {"Idempotency-Key": f"answer-{self.order}"}
            await self.until(http, "POST", f"/inbox/{pause}/answer", answer, key)
            while (await self.until(http, "GET", f"/threads/{self.order}"))["status"] != "idle":
                await asyncio.sleep(0.01)

    async def pause(self, http) -> str:
        while True:
            for status in ("open", "answered"):
                query = f"/inbox?thread_id={self.order}&status={status}"
                if found := (await self.until(http, "GET", query))["items"]:
                    return found[0]["pause_id"]
            await asyncio.sleep(0.01)

    async def until(self, http, method, path, body=None, headers=None):
        while True:
            try:
                answer = await http.request(method, self.served.url + path, json=body, headers=headers)
            except httpx.HTTPError:
                await asyncio.sleep(0.02)
                continue
            self.told.add(answer.status_code)
            if answer.status_code < 300:
                return answer.json()
            assert answer.status_code == 503, answer.text
            await asyncio.sleep(0.02)


async def killed_many_times(tmp_path, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    bank = tmp_path / "bank.sqlite"
    with sqlite3.connect(bank) as books:
        books.execute("CREATE TABLE payments (order_id TEXT, key TEXT UNIQUE)")
        books.execute("CREATE TABLE calls (order_id TEXT)")
    served = Served(PROJECT / "langgraph.json", tmp_path / "data", env={"BANK": str(bank)})
    await asyncio.to_thread(served.start)
    customers: list[Customer] = []
    try:
        for _ in range(kills):
            batch = [Customer(served) for _ in range(4)]
            customers += batch
            tasks = [asyncio.create_task(customer.go()) for customer in batch]
            await asyncio.sleep(chance.random() * 0.25)
            served.kill()
            await asyncio.to_thread(served.start)
            await asyncio.gather(*tasks)
        async with httpx.AsyncClient(base_url=served.url) as http:
            assert (await http.get("/inbox")).json()["items"] == []
            for customer in customers:
                state = (await http.get(f"/threads/{customer.order}/state")).json()
                assert state["values"]["steps"] == ["yes", "paid"]
    finally:
        served.stop()
    with sqlite3.connect(bank) as books:
        paid = [row[0] for row in books.execute("SELECT order_id FROM payments")]
    assert sorted(paid) == sorted(customer.order for customer in customers)
    with sqlite3.connect(tmp_path / "data" / "pausepoint.sqlite") as conn:
        assert verify(conn).intact
        answers = conn.execute(
            "SELECT count(*), count(DISTINCT pause_id) FROM decisions WHERE json_extract(content, '$.event') = 'answered'"
        ).fetchone()
        assert answers == (len(customers), len(customers))


@pytest.mark.timeout(400)
async def test_killed_eight_times(tmp_path):
    await killed_many_times(tmp_path, 8, seed=random.randrange(10**6))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(10))
async def test_killed_a_thousand_times(tmp_path, part):
    await killed_many_times(tmp_path, 100, seed=part)
