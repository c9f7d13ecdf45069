"""Deadlines, reminders, webhooks, effects: what happens without anybody looking."""

import asyncio
import hashlib
import hmac
import json

import pytest


async def until(check, seconds=15.0):
    async with asyncio.timeout(seconds):
        while not (found := await check()):
            await asyncio.sleep(0.02)
    return found


async def events(desk, pause_id):
    return [e["event"] for e in (await desk.http.get(f"/inbox/{pause_id}/history")).json()]


async def closed(desk, pause_id):
    async def check():
        found = (await desk.http.get(f"/inbox/{pause_id}")).json()
        return found if found["status"] != "open" else None

    return await until(check)


def deadline(action, due=0.1):
    return {"due": due, "on_expiry": action}


async def test_a_default_answer_is_given_by_the_policy(desk):
    thread, [asked] = await desk.paused("timed", deadline=deadline({"action": "answer", "value": "no"}))
    [pause] = (await desk.inbox(thread_id=thread)) or [None]
    found = await closed(desk, pause["pause_id"])
    assert (found["status"], found["answered_by"]) == ("expired", "policy:deadline")
    await until(lambda: _steps(desk, thread, ["no", "done"]))
    late = await desk.resume(thread, "timed", {asked["id"]: "yes"})
    assert (late.status_code, late.json()["receipt"]["answer"]) == (410, "no")


async def _steps(desk, thread, wanted):
    return (await desk.client.threads.get_state(thread))["values"].get("steps") == wanted


async def test_a_person_who_answers_in_time_is_not_overruled(desk):
    thread, [asked] = await desk.paused("timed", deadline=deadline({"action": "answer", "value": "no"}, 1.0))
    done = await desk.resume(thread, "timed", {asked["id"]: "yes"})
    assert done.json()["steps"] == ["yes", "done"]
    pauses = await desk.inbox(thread_id=thread, status="answered")
    assert pauses[0]["answered_by"] == "anonymous"


async def test_a_deadline_can_end_the_wait(desk):
    thread, _ = await desk.paused("timed", deadline=deadline({"action": "cancel"}, 0.3))
    [pause] = await desk.inbox(thread_id=thread)
    assert (await closed(desk, pause["pause_id"]))["status"] == "expired"
    assert (await desk.client.threads.get_state(thread))["next"] == []


@pytest.mark.parametrize(
    ("action", "event"),
    [
        ({"action": "escalate", "assignee": "the boss"}, "escalated"),
        ({}, "overdue"),
        ({"action": "answer", "value": "not allowed"}, "overdue"),
    ],
)
async def test_what_a_deadline_cannot_settle_waits_on(desk, action, event):
    thread, _ = await desk.paused("timed", deadline=deadline(action))
    [pause] = await desk.waiting(thread)

    async def told():
        return event in await events(desk, pause["pause_id"])

    await until(told)
    [pause] = await desk.waiting(thread)
    assert pause["assignee"] == action.get("assignee")
    await asyncio.sleep(0.3)
    assert (await events(desk, pause["pause_id"])).count(event) == 1


async def test_webhooks_are_signed_repeated_and_come_once(desk):
    desk.receiver.refuse = 1
    thread, [asked] = await desk.paused("timed", deadline={"due": 600, "remind_before": 599.9})
    await until(lambda: _told(desk, thread, {"opened", "reminded"}))
    await desk.resume(thread, "timed", {asked["id"]: "yes"})
    await until(lambda: _told(desk, thread, {"opened", "reminded", "answered"}))
    mine = [g for g in desk.receiver.got if thread.encode() in g[2]]
    assert len({headers["Idempotency-Key"] for _, headers, _ in mine}) == len(mine) == 3
    for _, headers, body in mine:
        stamp, found = (part.split("=")[1] for part in headers["Pausepoint-Signature"].split(","))
        right = hmac.new(b"a secret", f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
        assert found == right
        assert json.loads(body)["event"] == headers["Pausepoint-Event"]


async def _told(desk, thread, wanted):
    told = {json.loads(b)["event"] for p, _, b in desk.receiver.got if p == "/hook" and thread.encode() in b}
    return wanted <= told


async def test_effects_happen_once_though_the_node_runs_twice(desk):
    thread, [asked] = await desk.paused("effects")
    await desk.run(thread, "effects", input=None)
    await desk.run(thread, "effects", input=None)
    done = await desk.resume(thread, "effects", {asked["id"]: "yes"})
    assert done.json()["steps"] == ["hello", "yes", "done"]
    assert (desk.lines().count("greeted"), desk.lines().count("sent")) == (1, 1)

    async def received():
        return [b for p, _, b in desk.receiver.got if p == "/effect"]

    assert await until(received) == [b'{"answer":"yes"}']


async def test_an_effect_that_failed_is_tried_again(desk):
    thread = (await desk.client.threads.create())["thread_id"]
    failed = await desk.run(thread, "charging", input={"steps": []})
    assert failed.json()["__error__"]["error"] == "ConnectionError"
    (desk.outside / "gate").touch()
    assert (await desk.run(thread, "charging", input=None)).json()["steps"] == ["charged"]
    assert desk.lines() == ["charge-1", "charge-2"]
