import asyncio
import http.server
import json
import threading
import uuid
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import httpx
import pytest
from langgraph_sdk.errors import NotFoundError, UnprocessableEntityError


async def test_a_cron_lives(client, thread):
    assistant = (await client.assistants.get("basics"))["assistant_id"]
    made = await client.crons.create_for_thread(
        thread,
        "basics",
        schedule="30 9 * * *",
        input={"steps": []},
        timezone=ZoneInfo("Europe/Warsaw"),
        metadata={"mark": "m"},
    )
    key = made["cron_id"]
    due = datetime.fromisoformat(made["next_run_date"]).astimezone(ZoneInfo("Europe/Warsaw"))
    assert (due.hour, due.minute) == (9, 30)
    assert (made["assistant_id"], made["thread_id"], made["enabled"]) == (assistant, thread, True)
    found = await client.crons.search(thread_id=thread, metadata={"mark": "m"})
    assert [c["cron_id"] for c in found] == [key]
    assert await client.crons.count(thread_id=thread) == 1
    changed = await client.crons.update(key, schedule="0 12 * * *", enabled=False, input={"steps": ["x"]})
    assert (changed["schedule"], changed["enabled"], changed["payload"]["input"]) == (
        "0 12 * * *",
        False,
        {"steps": ["x"]},
    )
    assert await client.crons.search(thread_id=thread, enabled=True) == []
    await client.crons.delete(key)
    assert await client.crons.count(thread_id=thread) == 0
    with pytest.raises(NotFoundError):
        await client.crons.delete(key)


async def test_a_cron_runs(client, thread):
    end = datetime.now(UTC) + timedelta(seconds=30)
    made = await client.crons.create_for_thread(
        thread, "basics", schedule="* * * * * */1", input={"steps": []}, end_time=end
    )
    async with asyncio.timeout(15):
        while not await client.runs.list(thread, status="success"):
            await asyncio.sleep(0.05)
    await client.crons.delete(made["cron_id"])
    run = (await client.runs.list(thread))[0]
    assert run["metadata"]["cron_id"] == made["cron_id"]


@pytest.mark.parametrize(
    ("schedule", "timezone"),
    [("every day", None), ("* * * *", None), ("0 0 30 2 *", None), ("* * * * *", "Mars/Base")],
)
async def test_wrong_crons_are_refused(client, schedule, timezone):
    with pytest.raises(UnprocessableEntityError):
        await client.crons.create("basics", schedule=schedule, timezone=timezone)


async def test_the_store_keeps_items(client):
    space = ["test", uuid.uuid4().hex]
    await client.store.put_item([*space, "a"], "k1", {"colour": "red", "n": 1})
    await client.store.put_item([*space, "b"], "k2", {"colour": "blue", "n": 2})
    item = await client.store.get_item([*space, "a"], "k1")
    assert (item["value"], item["namespace"], item["key"]) == ({"colour": "red", "n": 1}, [*space, "a"], "k1")
    found = await client.store.search_items(space, filter={"colour": "blue"})
    assert [i["key"] for i in found["items"]] == ["k2"]
    spaces = await client.store.list_namespaces(prefix=space)
    assert sorted(spaces["namespaces"]) == [[*space, "a"], [*space, "b"]]
    await client.store.delete_item([*space, "a"], "k1")
    with pytest.raises(NotFoundError):
        await client.store.get_item([*space, "a"], "k1")


async def test_webhooks_are_delivered_also_after_a_failure(client, thread):
    got: list[dict] = []
    loop = asyncio.get_running_loop()
    arrived = asyncio.Event()

    class Hook(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append(json.loads(body))
            self.send_response(500 if len(got) == 1 else 200)
            self.end_headers()
            if len(got) == 2:
                loop.call_soon_threadsafe(arrived.set)

        def log_message(self, *_: object) -> None: ...

    hooks = http.server.HTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=hooks.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{hooks.server_port}/hook"
        run = await client.runs.create(thread, "basics", input={"steps": []}, webhook=url)
        await asyncio.wait_for(arrived.wait(), 20)
    finally:
        hooks.shutdown()
        hooks.server_close()
    assert got[0] == got[1]
    assert (got[1]["run_id"], got[1]["status"]) == (run["run_id"], "success")
    assert got[1]["values"]["steps"] == ["one", "two", "three"]


async def test_the_thread_protocol(client):
    async with client.threads.stream(assistant_id="pause") as stream:
        await stream.run.start(input={"steps": []})
        async with asyncio.timeout(10):
            seen = [v async for v in stream.values]
        assert seen[-1]["steps"] == ["before"]
        assert stream.interrupted
        assert stream.interrupts[0]["value"] == {"question": "your name?"}
        with pytest.raises(RuntimeError):
            await stream.run.respond("x", interrupt_id="0" * 32)
        await stream.run.respond("Ada")
        done = await stream.output.with_timeout(10)
        assert done["steps"] == ["before", "hello Ada", "after"]


async def test_the_thread_protocol_streams_messages_and_tools(client):
    async with client.threads.stream(assistant_id="react") as stream:
        await stream.run.start(input={"messages": [{"role": "user", "content": "6 times 7?"}]})
        messages, tools = [], []
        async with asyncio.timeout(10):
            async for kind, item in stream.interleave_projections(["messages", "tool_calls"]):
                if kind == "messages":
                    messages.append(item)
                else:
                    tools.append((item.name, item.input))
        texts = [await message.text for message in messages]
    assert texts[-1].strip() == "The product is 42."
    assert tools == [("multiply", {"a": 6, "b": 7})]


async def test_the_thread_protocol_on_a_thread_that_exists(client, thread):
    await client.runs.wait(thread, "basics", input={"steps": []})
    for turn in (2, 3):
        async with client.threads.stream(thread, assistant_id="basics") as stream:
            await stream.run.start(input={"steps": ["again"]})
            done = await stream.output.with_timeout(10)
            assert len(done["steps"]) == 3 + 4 * (turn - 1)


async def test_the_thread_protocol_refuses_nonsense(server_url, thread):
    async with httpx.AsyncClient(base_url=server_url) as http:
        for body, code in [
            ({"id": 1, "method": "fly", "params": {}}, "unknown_command"),
            ({"id": 2, "method": "run.start", "params": {}}, "invalid_argument"),
            (
                {"id": 3, "method": "input.respond", "params": {"interrupt_id": "x" * 32, "response": 1}},
                "no_such_interrupt",
            ),
            ({"id": 4, "method": "input.respond", "params": {"responses": [{}]}}, "invalid_argument"),
        ]:
            answer = await http.post(f"/threads/{thread}/commands", json=body)
            assert (answer.status_code, answer.json()["type"], answer.json()["error"]) == (200, "error", code)


async def test_custom_routes_work_beside_ours(server_url):
    async with httpx.AsyncClient(base_url=server_url, timeout=30) as http:
        assert (await http.get("/custom/hello")).json() == {"hello": "world", "started": ["yes"]}
        run = (await http.get("/custom/run")).json()
        assert run["values"]["steps"] == ["one", "two", "three"]
        lines = (await http.get("/custom/stream")).text.split()
        assert lines.count("updates") == 4
        paths = (await http.get("/openapi.json")).json()["paths"]
        assert {"/custom/hello", "/threads", "/runs/wait", "/store/items"} <= set(paths)
        assert "swagger" in (await http.get("/docs")).text.lower()


async def test_health_and_numbers(server_url):
    async with httpx.AsyncClient(base_url=server_url) as http:
        assert (await http.get("/ok")).json() == {"ok": True}
        info = (await http.get("/info")).json()
        assert info["flags"]["assistants"] is True
        numbers = (await http.get("/metrics")).text
        assert "pausepoint_runs_accepted_total" in numbers
        assert (await http.get("/no/such/route")).status_code == 404
        assert (await http.put("/threads")).status_code == 405


async def test_studio_may_call_a_loopback_server(server_url):
    headers = {
        "Origin": "https://smith.langchain.com",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Private-Network": "true",
    }
    async with httpx.AsyncClient(base_url=server_url) as http:
        answer = await http.options("/threads", headers=headers)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-private-network"] == "true"
        stranger = await http.options("/threads", headers={**headers, "Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in stranger.headers
