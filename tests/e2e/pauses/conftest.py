import os
import sys
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_client

sys.path.insert(0, str(Path(__file__).parents[2] / "contract" / "server"))
from server_process import Served

PROJECT = Path(__file__).parent / "project"


class Desk:
    """A served project: its SDK client, plain HTTP, and what its nodes did outside."""

    def __init__(self, served: Served, outside: Path) -> None:
        self.served, self.outside = served, outside
        self.http = httpx.AsyncClient(base_url=served.url, timeout=60)
        self.client = get_client(url=served.url, api_key=None)

    def lines(self) -> list[str]:
        log = self.outside / "log"
        return log.read_text().split() if log.exists() else []

    async def paused(self, graph: str, **values) -> tuple[str, list[dict]]:
        """A new thread that waits, and what it waits for."""
        thread = (await self.client.threads.create())["thread_id"]
        found = await self.client.runs.wait(thread, graph, input={"steps": [], **values})
        return thread, found["__interrupt__"]

    async def run(self, thread: str, graph: str, headers=None, wait: bool = True, **body) -> httpx.Response:
        place = f"/threads/{thread}/runs" + ("/wait" if wait else "")
        return await self.http.post(place, json={"assistant_id": graph, **body}, headers=headers)

    async def resume(self, thread: str, graph: str, answer, headers=None, **more) -> httpx.Response:
        return await self.run(thread, graph, headers, command={"resume": answer}, **more)

    async def inbox(self, **query) -> list[dict]:
        return (await self.http.get("/inbox", params=query)).json()["items"]

    async def waiting(self, thread: str) -> list[dict]:
        """What the inbox says about a thread; the thread itself must say the same."""
        found = await self.inbox(thread_id=thread, snoozed=True)
        shown = (await self.client.threads.get(thread))["interrupts"]
        ids = {i["id"] for group in shown.values() for i in group}
        assert {p["interrupt_id"] for p in found} == ids
        return found

    async def close(self) -> None:
        await self.http.aclose()
        await self.client.aclose()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    place = tmp_path_factory.mktemp("pauses")
    outside = place / "outside"
    with Served(PROJECT / "langgraph.json", place / "data", env={"OUTSIDE": str(outside)}) as found:
        found.outside = outside
        yield found


@pytest.fixture
async def desk(served):
    (served.outside / "gate").unlink(missing_ok=True)
    (served.outside / "log").unlink(missing_ok=True)
    found = Desk(served, served.outside)
    yield found
    await found.close()


def pytest_configure(config):
    os.environ.setdefault("OMP_NUM_THREADS", "1")
