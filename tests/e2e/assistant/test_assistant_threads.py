"""A thread id from outside becomes part of an address of the server: it may not lead elsewhere."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from running import Running
from tiny_campaigns import TINY

BASE = f"/api/campaigns/{TINY}/assistant"
UNKNOWN = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def server(tiny_server: Callable[..., Running]) -> Running:
    """One server for every id."""
    return tiny_server()


@pytest.mark.parametrize("thread", ["../info?x=", "..", f"{UNKNOWN}/../../info", f"{UNKNOWN}?x=", "\0", " "])
def test_a_thread_id_is_no_path(server: Running, thread: str):
    asked = server.http("POST", f"{BASE}/query", {"query": "Kim jest Adam Kruk?", "threadId": thread})
    answer = {"threadId": thread, "interruptId": "x", "answer": 1}
    answered = server.http("POST", f"{BASE}/answer", answer)
    assert asked.status_code == answered.status_code == 404
    assert asked.json()["detail"].endswith("a thread id is a UUID.")
    exported = server.http("GET", f"{BASE}/threads/{quote(thread, safe='')}/export")
    assert exported.status_code in (404, 422), "422: the client itself resolved the dots"


@pytest.mark.parametrize("thread", ["nope", UNKNOWN])
def test_a_thread_that_does_not_exist_is_one_clear_line_of_the_command(server: Running, thread: str):
    done = server.command("ask", "Kim jest Adam Kruk?", "-c", TINY, "--thread", thread)
    assert done.returncode == 1
    assert done.stderr.startswith("error: The server refused: ")
    assert "unexpected" not in done.stderr
