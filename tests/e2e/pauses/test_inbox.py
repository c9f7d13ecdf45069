"""The inbox: find, follow, answer, hand over, put aside."""

import asyncio
import json

import pytest


async def test_filters_and_pages(desk):
    made = [await desk.paused("approve", number=n) for n in range(5)]
    threads = {thread for thread, _ in made}
    found, cursor = [], None
    for _ in range(50):
        query = {"graph_id": "approve", "limit": 2, **({"cursor": cursor} if cursor else {})}
        page = (await desk.http.get("/inbox", params=query)).json()
        found += page["items"]
        cursor = page["next"]
        if cursor is None:
            break
    assert threads <= {p["thread_id"] for p in found}
    assert len({p["pause_id"] for p in found}) == len(found)
    assert {p["kind"] for p in found} == {"approval"}
    assert found[0]["title"] == "send_mail"
    assert await desk.inbox(kind="review") == []
    assert {p["graph_id"] for p in await desk.inbox(text="SEND_mail")} == {"approve"}
    counted = (
        await desk.http.get("/inbox", params={"graph_id": "approve", "count": True, "limit": 1})
    ).json()
    assert counted["total"] == len(found)


async def test_metadata_of_the_thread_filters(desk):
    thread = (await desk.client.threads.create(metadata={"team": "north"}))["thread_id"]
    await desk.client.runs.wait(thread, "plain", input={"steps": []})
    found = await desk.inbox(metadata=json.dumps({"team": "north"}))
    assert [p["thread_id"] for p in found] == [thread]


@pytest.mark.parametrize(
    "query",
    [{"cursor": "nonsense"}, {"limit": 0}, {"limit": 5000}, {"metadata": "[1"}, {"due_before": "soon"}],
)
async def test_wrong_queries_say_so(desk, query):
    assert (await desk.http.get("/inbox", params=query)).status_code == 422


async def test_answering_from_the_inbox(desk):
    thread, _ = await desk.paused("form")
    [pause] = await desk.waiting(thread)
    place = f"/inbox/{pause['pause_id']}"
    shown = (await desk.http.get(place)).json()
    assert shown["schema"]["required"] == ["site", "severity"]
    wrong = (await desk.http.post(f"{place}/check", json={"answer": {"site": ""}})).json()["errors"]
    assert {e["field"] for e in wrong} == {"site", "severity"}
    assert (await desk.http.post(f"{place}/answer", json={"answer": {"site": ""}})).status_code == 422
    good = {"answer": {"site": "n", "severity": 1}, "wait": True}
    key = {"Idempotency-Key": "inbox-1"}
    first = (await desk.http.post(f"{place}/answer", json=good, headers=key)).json()
    assert (first["status"], first["outcome"]["steps"][-1], first["waiting"]) == ("answered", "done", [])
    again = (await desk.http.post(f"{place}/answer", json=good, headers=key)).json()
    assert again["run_id"] == first["run_id"]
    late = await desk.http.post(f"{place}/answer", json=good)
    assert (late.status_code, late.json()["receipt"]["run_id"]) == (409, first["run_id"])
    assert (await desk.http.post("/inbox/nowhere/answer", json=good)).status_code == 404
    assert desk.lines().count("done") == 1


async def test_assign_snooze_and_draft(desk):
    thread, _ = await desk.paused("form")
    [pause] = await desk.waiting(thread)
    place = f"/inbox/{pause['pause_id']}"
    await desk.http.post(f"{place}/assign", json={"assignee": "eva"})
    assert [p["thread_id"] for p in await desk.inbox(assignee="eva")] == [thread]
    await desk.http.put(f"{place}/draft", json={"values": {"site": "nor"}})
    shown = (await desk.http.get(place)).json()
    assert (shown["draft"]["values"], shown["has_draft"]) == ({"site": "nor"}, True)
    await desk.http.post(f"{place}/snooze", json={"seconds": 3600})
    assert await desk.inbox(assignee="eva") == []
    assert len(await desk.inbox(assignee="eva", snoozed=True)) == 1
    await desk.http.post(f"{place}/snooze", json={})
    assert len(await desk.inbox(assignee="eva")) == 1
    await desk.http.post(f"{place}/answer", json={"answer": {"site": "n", "severity": 1}})
    for action, body in (("assign", {"assignee": "x"}), ("snooze", {"seconds": 1}), ("cancel", {})):
        assert (await desk.http.post(f"{place}/{action}", json=body)).status_code == 409


async def test_the_live_feed_tells_and_catches_up(desk):
    events = []

    async def follow(since=None, until=3):
        headers = {"Last-Event-ID": str(since)} if since else {}
        async with desk.http.stream("GET", "/inbox/stream", headers=headers) as stream:
            listening.set()
            async for line in stream.aiter_lines():
                if line.startswith("id: "):
                    number = int(line[4:])
                elif line.startswith("data: "):
                    events.append((number, json.loads(line[6:])))
                    if len(events) == until:
                        return

    listening = asyncio.Event()
    task = asyncio.create_task(follow())
    await listening.wait()
    thread, _ = await desk.paused("form")
    [pause] = await desk.waiting(thread)
    await desk.http.post(f"/inbox/{pause['pause_id']}/assign", json={"assignee": "eva"})
    await desk.http.post(f"/inbox/{pause['pause_id']}/answer", json={"answer": {"site": "n", "severity": 1}})
    async with asyncio.timeout(10):
        await task
    assert [e["event"] for _, e in events] == ["opened", "assigned", "answered"]
    assert {e["thread_id"] for _, e in events} == {thread}
    first = events[0][0]
    events.clear()
    async with asyncio.timeout(10):
        await follow(first, until=2)
    assert [e["event"] for _, e in events] == ["assigned", "answered"]
