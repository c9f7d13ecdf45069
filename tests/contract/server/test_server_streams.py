import asyncio

import httpx
import pytest
from langgraph_sdk.schema import StreamPart


async def collect(stream) -> list[StreamPart]:
    return [part async for part in stream]


def names(parts) -> list[str]:
    return [p.event for p in parts]


async def test_values_and_updates(client, thread):
    parts = await collect(
        client.runs.stream(thread, "basics", input={"steps": []}, stream_mode=["values", "updates"])
    )
    assert parts[0].event == "metadata"
    assert parts[-1].event == "end"
    assert [list(p.data) for p in parts if p.event == "updates"] == [["one"], ["two"], ["three"], ["setting"]]
    assert [p.data.get("steps") for p in parts if p.event == "values"][-1] == ["one", "two", "three"]
    run = await client.runs.get(thread, parts[0].data["run_id"])
    assert run["status"] == "success"


async def test_ids_are_unique_and_ascend(client, thread):
    parts = await collect(client.runs.stream(thread, "basics", input={"steps": []}, stream_mode="debug"))
    ids = [int(p.id) for p in parts]
    assert ids == sorted(set(ids))
    again = await collect(client.runs.stream(thread, "basics", input={"steps": []}))
    assert int(again[0].id) > ids[-1]


@pytest.mark.parametrize("mode", ["custom", "tasks", "checkpoints", "debug", "events"])
async def test_other_modes(client, thread, mode):
    parts = await collect(client.runs.stream(thread, "basics", input={"steps": []}, stream_mode=mode))
    assert names(parts)[0] == "metadata"
    found = [p.data for p in parts if p.event == mode]
    assert len(found) >= 3
    if mode == "custom":
        assert found == [{"at": "one"}, {"at": "two"}, {"at": "three"}]
    if mode == "tasks":
        assert {f["name"] for f in found} == {"one", "two", "three", "setting"}
    if mode == "checkpoints":
        assert found[-1]["values"]["steps"] == ["one", "two", "three"]
        assert found[-1]["config"]["configurable"]["thread_id"] == thread
    if mode == "events":
        assert {"on_chain_start", "on_chain_end"} <= {f["event"] for f in found}


async def test_events_beside_values(client, thread):
    parts = await collect(
        client.runs.stream(thread, "basics", input={"steps": []}, stream_mode=["events", "values"])
    )
    assert [p.data["steps"] for p in parts if p.event == "values"][-1] == ["one", "two", "three"]


async def test_messages_token_by_token(client, thread):
    said = {"messages": [{"role": "user", "content": "good morning"}]}
    parts = await collect(client.runs.stream(thread, "chat", input=said, stream_mode="messages-tuple"))
    tokens = [p.data for p in parts if p.event == "messages"]
    assert "".join(chunk["content"] for chunk, _ in tokens) == "you said good morning"
    assert all(meta["langgraph_node"] == "talk" for _, meta in tokens)
    assert len(tokens) > 3


async def test_messages_growing(client, thread):
    said = {"messages": [{"role": "user", "content": "good morning"}]}
    parts = await collect(client.runs.stream(thread, "chat", input=said, stream_mode="messages"))
    partial = [p.data[0] for p in parts if p.event == "messages/partial"]
    assert partial[-1]["content"] == "you said good morning"
    assert partial[-1]["type"] == "ai"
    assert len({p["id"] for p in partial}) == 1
    assert "messages/metadata" in names(parts)


async def test_subgraphs_stream_under_their_namespace(client, thread):
    parts = await collect(
        client.runs.stream(
            thread, "nested", input={"log": []}, stream_mode=["updates", "lifecycle"], stream_subgraphs=True
        )
    )
    inner = [p for p in parts if p.event.startswith("updates|review:")]
    assert {"draft"} <= {key for p in inner for key in p.data}
    started = [p.data for p in parts if p.event.startswith("lifecycle")]
    assert [(d["event"], d["graph_name"]) for d in started] == [
        ("started", "review"),
        ("interrupted", "review"),
    ]


async def test_a_pause_is_in_the_stream(client, thread):
    parts = await collect(
        client.runs.stream(
            thread, "pause", input={"steps": []}, stream_mode=["updates", "values"], version="v2"
        )
    )
    values = [p for p in parts if p["type"] == "values"]
    assert values[-1]["interrupts"][0]["value"] == {"question": "your name?"}


async def test_an_error_is_in_the_stream(client, thread):
    parts = await collect(client.runs.stream(thread, "fails", input={"steps": []}))
    error = next(p for p in parts if p.event == "error")
    assert error.data == {"error": "ValueError", "message": "the oven is too hot"}


async def test_every_position_can_be_resumed_from(client, thread):
    whole = await collect(
        client.runs.stream(
            thread, "basics", input={"steps": []}, stream_mode=["debug", "updates"], stream_resumable=True
        )
    )
    run = whole[0].data["run_id"]
    for position, part in enumerate(whole):
        rest = await collect(client.runs.join_stream(thread, run, last_event_id=part.id))
        assert rest == whole[position + 1 :]
    assert await collect(client.runs.join_stream(thread, run)) == whole
    only = await collect(client.runs.join_stream(thread, run, stream_mode="updates"))
    assert [p for p in whole if p.event in ("metadata", "updates", "end")] == only


async def test_a_running_stream_can_be_joined_by_many(client, thread):
    run = await client.runs.create(thread, "slow", input={"steps": []}, stream_mode=["values", "custom"])
    joined = [
        asyncio.ensure_future(collect(client.runs.join_stream(thread, run["run_id"]))) for _ in range(3)
    ]
    await asyncio.sleep(0)
    await client.runs.cancel(thread, run["run_id"], wait=True)
    first, *others = await asyncio.gather(*joined)
    assert all(o == first for o in others)
    assert [p.data for p in first if p.event == "custom"] in ([{"at": "first"}], [])
    assert first[-1].event == "end"


async def test_a_client_that_leaves_stops_the_run_only_when_it_said_so(client, thread, server_url):
    async def leave(on_disconnect):
        async with httpx.AsyncClient(base_url=server_url) as http:
            body = {"assistant_id": "slow", "input": {"steps": []}, "on_disconnect": on_disconnect}
            async with http.stream("POST", f"/threads/{thread}/runs/stream", json=body) as answer:
                async for line in answer.aiter_lines():
                    if line.startswith("event: values"):
                        break
                return answer.headers["content-location"].rpartition("/")[2]

    stopped = await leave("cancel")
    async with asyncio.timeout(10):
        while (await client.runs.get(thread, stopped))["status"] != "interrupted":
            await asyncio.sleep(0.02)
    going_on = await leave("continue")
    assert (await client.runs.get(thread, going_on))["status"] == "running"
    await client.runs.cancel(thread, going_on, wait=True)


async def test_a_thread_can_be_followed_over_its_runs(client, thread):
    seen: list[StreamPart] = []
    ready = asyncio.Event()

    async def follow():
        async for part in await client.threads.join_stream(thread, last_event_id="0"):
            seen.append(part)
            ready.set()
            if names(seen).count("run_done") == 2:
                return

    task = asyncio.ensure_future(follow())
    for _ in range(2):
        await client.runs.wait(thread, "basics", input={"steps": []})
    await asyncio.wait_for(task, 10)
    assert names(seen).count("metadata") == 2
    ids = [int(p.id) for p in seen]
    assert ids == sorted(set(ids))


async def test_stateless_streams(client):
    parts = await collect(client.runs.stream(None, "basics", input={"steps": []}, stream_mode="updates"))
    assert names(parts)[-1] == "end"
    assert len([p for p in parts if p.event == "updates"]) == 4
