"""`pausepoint serve` as a user meets it: limits, bad data folders, reload, draining."""

import asyncio
import contextlib
import os
import signal
import sqlite3
import subprocess
import sys

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.errors import RateLimitError
from server_process import PROJECT, ROOT, Served

CONFIG = PROJECT / "langgraph.json"


async def test_limits_say_which(tmp_path):
    options = ["--max-body", "2000", "--max-queue", "2", "--max-streams", "1", "--max-events", "100"]
    with Served(CONFIG, tmp_path / "d", *options) as served:
        client = get_client(url=served.url, api_key=None)
        async with httpx.AsyncClient(base_url=served.url) as http:
            large = await http.post("/threads", json={"metadata": {"x": "y" * 3000}})
            assert large.status_code == 413
            assert "2000 bytes" in large.json()["detail"]

            async def chunks():
                for _ in range(30):
                    yield b" " * 100

            streamed = await http.post("/threads", content=chunks())
            assert streamed.status_code == 413
        thread = (await client.threads.create())["thread_id"]
        for _ in range(2):
            await client.runs.create(thread, "slow", input={"steps": []})
        with pytest.raises(RateLimitError, match="2 runs are waiting") as refused:
            await client.runs.create(thread, "slow", input={"steps": []})
        assert int(refused.value.response.headers["retry-after"]) > 0

        async with (
            httpx.AsyncClient(base_url=served.url) as http,
            http.stream("GET", f"/threads/{thread}/stream") as first,
        ):
            assert first.status_code == 200
            assert (await http.get(f"/threads/{thread}/stream")).status_code == 429
        await client.runs.cancel_many(status="all")


async def test_a_draining_server_says_so_and_ends_with_zero(tmp_path):
    with Served(CONFIG, tmp_path / "d", "--drain-seconds", "4") as served:
        client = get_client(url=served.url, api_key=None)
        thread = (await client.threads.create())["thread_id"]
        await client.runs.create(thread, "slow", input={"steps": []})
        async with asyncio.timeout(10):
            while (await client.threads.get_state(thread))["next"] != ["wait_long"]:
                await asyncio.sleep(0.02)
        async with httpx.AsyncClient(base_url=served.url) as http:
            await http.get("/ok")  # a connection that stays open
            served.process.send_signal(signal.SIGTERM)
            refused = None
            with contextlib.suppress(httpx.HTTPError):
                async with asyncio.timeout(3):
                    while refused is None or refused.status_code == 200:
                        refused = await http.get("/ok")
            assert refused is not None
            assert refused.status_code == 503
            started = await http.post(f"/threads/{thread}/runs", json={"assistant_id": "basics"})
            assert (started.status_code, "retry-after" in started.headers) == (503, True)
        assert await asyncio.to_thread(served.process.wait, 20) == 0
        served.start()
        run = (await client.runs.list(thread))[0]
        assert run["status"] in ("pending", "running")
        await client.runs.cancel(thread, run["run_id"], wait=True)


def start(data, *options):
    command = [sys.executable, "-m", "pausepoint.server.cli", "--config", str(CONFIG), "--port", "0"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [*command, "--data", str(data), *options], capture_output=True, text=True, timeout=60, env=env
    )


def test_a_damaged_database_is_named(tmp_path):
    data = tmp_path / "d"
    data.mkdir()
    (data / "pausepoint.sqlite").write_bytes(b"this is no database, it is a letter " * 100)
    ended = start(data)
    assert ended.returncode != 0
    assert "pausepoint.sqlite" in ended.stderr
    assert "ready" not in ended.stdout


def test_a_database_of_a_newer_version_is_not_touched(tmp_path):
    data = tmp_path / "d"
    with Served(CONFIG, data) as served:
        assert served.url
    with contextlib.closing(sqlite3.connect(data / "pausepoint.sqlite")) as conn, conn:
        conn.execute("INSERT INTO migrations VALUES ('9999_future', 'now')")
    ended = start(data)
    assert ended.returncode != 0
    assert "newer version" in ended.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "no valid JSON"),
        ("[]", "JSON object"),
        ("{}", "names no graphs"),
        ('{"graphs": {"a": 5}}', "'a'"),
    ],
)
def test_a_wrong_config_is_explained(tmp_path, text, says):
    config = tmp_path / "langgraph.json"
    config.write_text(text)
    ended = start(tmp_path / "d", "--config", str(config))
    assert (ended.returncode, says in ended.stderr) == (2, True), ended.stderr


async def test_reload_serves_the_new_code_and_keeps_paused_runs(tmp_path):
    source = tmp_path / "project"
    source.mkdir()
    (source / "langgraph.json").write_text('{"graphs": {"g": "./g.py:graph"}}')
    code = (PROJECT / "nested.py").read_text()
    (source / "g.py").write_text(code)
    with contextlib.closing(__import__("socket").socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "pausepoint.server.cli", "--reload", "--port", str(port)]
    command += ["--config", str(source / "langgraph.json"), "--data", str(tmp_path / "d")]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env)
    try:
        assert "ready" in await asyncio.to_thread(parent.stdout.readline)
        client = get_client(url=f"http://127.0.0.1:{port}", api_key=None)
        thread = (await client.threads.create())["thread_id"]
        await client.runs.wait(thread, "g", input={"log": []})
        (source / "g.py").write_text(code.replace('"published"', '"printed"'))
        assert "ready" in await asyncio.to_thread(parent.stdout.readline)
        await client.runs.wait(thread, "g", command={"resume": "yes"})
        done = await client.runs.wait(thread, "g", command={"resume": "sure"})
        assert done["log"] == ["draft", "yes, sure", "printed"]
    finally:
        parent.terminate()
        parent.wait(30)
        parent.stdout.close()
