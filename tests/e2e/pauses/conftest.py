import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_client

sys.path[:0] = [str(Path(__file__).parents[2] / "contract" / "server"), str(Path(__file__).parent)]
from server_process import Served  # noqa: E402

PROJECT = Path(__file__).parent / "project"


class Receiver:
    """Somebody outside who gets webhooks; may refuse the first ones."""

    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.refuse = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                refused = outer.refuse > 0
                outer.refuse -= refused
                if not refused:
                    outer.got.append((self.path, dict(self.headers), body))
                self.send_response(503 if refused else 200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> "Receiver":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class Desk:
    """A served project: its SDK client, plain HTTP, and what its nodes did outside."""

    def __init__(self, served: Served, outside: Path) -> None:
        self.served, self.outside = served, outside
        self.receiver: Receiver = served.receiver
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
    with Receiver() as receiver:
        env = {
            "OUTSIDE": str(outside),
            "RECEIVER": receiver.url,
            "PAUSEPOINT_WEBHOOK_URL": receiver.url + "/hook",
            "PAUSEPOINT_WEBHOOK_SECRET": "a secret",
            "PAUSEPOINT_WEBHOOK_TARGETS": receiver.url.removeprefix("http://"),
            "PAUSEPOINT_ATTACHMENT_BYTES": "100000",
        }
        with Served(PROJECT / "langgraph.json", place / "data", env=env) as found:
            found.outside, found.receiver = outside, receiver
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
