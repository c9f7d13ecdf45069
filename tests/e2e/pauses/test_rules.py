"""What else may happen to a thread that waits: nothing that makes a question vanish unsaid."""

import asyncio

import pytest

DISCARD = {"X-On-Pause": "discard"}


async def history(desk, pause_id):
    return [e["event"] for e in (await desk.http.get(f"/inbox/{pause_id}/history")).json()]


@pytest.mark.parametrize(
    "body",
    [
        {"input": {"steps": ["new"]}},
        {"input": {"steps": ["new"]}, "multitask_strategy": "enqueue"},
        {"input": {"steps": ["new"]}, "multitask_strategy": "reject"},
        {"command": {"goto": "done"}},
        {"command": {"update": {"steps": ["x"]}}},
    ],
)
async def test_new_work_on_a_thread_that_waits_is_refused(desk, body):
    thread, [asked] = await desk.paused("form")
    refused = await desk.run(thread, "form", **body)
    assert refused.status_code == 409
    assert refused.json()["pending"][0]["interrupt_id"] == asked["id"]
    [pause] = await desk.waiting(thread)
    assert pause["interrupt_id"] == asked["id"]
    assert desk.lines() == ["ask"]


@pytest.mark.parametrize(
    ("headers", "more"),
    [(DISCARD, {}), (None, {"multitask_strategy": "interrupt"}), (None, {"multitask_strategy": "rollback"})],
)
async def test_new_work_discards_what_waits_when_the_caller_says_so(desk, headers, more):
    thread, [asked] = await desk.paused("form")
    [pause] = await desk.waiting(thread)
    anew = await desk.run(thread, "form", headers, input={"steps": ["new"]}, **more)
    assert anew.json()["__interrupt__"][0]["id"] != asked["id"]
    assert await history(desk, pause["pause_id"]) == ["discarded"]
    gone = await desk.resume(thread, "form", {asked["id"]: {"site": "n", "severity": 1}})
    assert (gone.status_code, gone.json()["receipt"]["status"]) == (410, "discarded")
    assert len(await desk.waiting(thread)) == 1


async def test_carrying_on_asks_the_same_again(desk):
    thread, [asked] = await desk.paused("form")
    again = await desk.run(thread, "form", input=None)
    assert again.json()["__interrupt__"][0]["id"] == asked["id"]
    assert len(await desk.waiting(thread)) == 1


async def test_input_that_waited_its_turn_does_not_bury_a_question_that_opened_meanwhile(desk):
    thread, [asked] = await desk.paused("gated")
    first = (await desk.resume(thread, "gated", {asked["id"]: "yes"}, wait=False)).json()
    second = (await desk.run(thread, "gated", input={"steps": ["new"]}, wait=False)).json()
    (desk.outside / "gate").touch()
    await desk.client.runs.join(thread, first["run_id"])
    told = await desk.client.runs.join(thread, second["run_id"])
    assert told["__interrupt__"][0]["value"] == "Close?"
    run = await desk.client.runs.get(thread, second["run_id"])
    assert run["status"] == "interrupted"
    assert "question opened" in run["cancel_reason"]
    [pause] = await desk.waiting(thread)
    assert pause["title"] == "Close?"
    assert "new" not in (await desk.client.threads.get_state(thread))["values"]["steps"]


async def test_update_state(desk):
    thread, _ = await desk.paused("form")
    place = f"/threads/{thread}/state"
    assert (await desk.http.post(place, json={"values": {"steps": ["x"]}})).status_code == 409
    [pause] = await desk.waiting(thread)
    done = await desk.http.post(place, json={"values": {"steps": ["x"]}}, headers=DISCARD)
    assert done.status_code == 200
    assert await history(desk, pause["pause_id"]) == ["discarded"]
    assert await desk.waiting(thread) == []
    assert (await desk.run(thread, "form", input=None)).json()["__interrupt__"]
    assert len(await desk.waiting(thread)) == 1


async def test_deleting(desk):
    thread, _ = await desk.paused("form")
    assert (await desk.http.delete(f"/threads/{thread}")).status_code == 409
    pruned = await desk.http.post("/threads/prune", json={"thread_ids": [thread]})
    assert pruned.json() == {"pruned_count": 0}
    [pause] = await desk.waiting(thread)
    assert (await desk.http.delete(f"/threads/{thread}", headers=DISCARD)).status_code == 204
    assert (await desk.http.get(f"/inbox/{pause['pause_id']}")).status_code == 404


async def test_pruning_old_checkpoints_keeps_the_pause(desk):
    thread, [asked] = await desk.paused("form")
    body = {"thread_ids": [thread], "strategy": "keep_latest"}
    assert (await desk.http.post("/threads/prune", json=body)).json() == {"pruned_count": 1}
    done = await desk.resume(thread, "form", {asked["id"]: {"site": "n", "severity": 1}})
    assert done.json()["steps"][-1] == "done"


async def test_a_copy_waits_on_its_own(desk):
    thread, [asked] = await desk.paused("form")
    copied = (await desk.client.threads.copy(thread))["thread_id"]
    assert [p["interrupt_id"] for p in await desk.waiting(copied)] == [asked["id"]]
    answer = {asked["id"]: {"site": "n", "severity": 1}}
    assert (await desk.resume(thread, "form", answer)).status_code == 200
    assert len(await desk.waiting(copied)) == 1
    assert (await desk.resume(copied, "form", answer)).status_code == 200
    assert desk.lines().count("done") == 2


async def test_a_fork_from_an_older_checkpoint(desk):
    thread, [asked] = await desk.paused("form")
    history_ = await desk.client.threads.get_history(thread)
    older = {"checkpoint_id": history_[-1]["checkpoint"]["checkpoint_id"]}
    assert (await desk.run(thread, "form", input=None, **older)).status_code == 409
    backwards = await desk.resume(thread, "form", {asked["id"]: {"site": "n", "severity": 1}}, **older)
    assert backwards.status_code == 409
    forked = await desk.run(thread, "form", DISCARD, input=None, **older)
    assert forked.status_code == 200
    assert len(await desk.waiting(thread)) == 1


async def test_replaying_an_answered_question_asks_again(desk):
    thread, [asked] = await desk.paused("form")
    before = (await desk.client.threads.get_state(thread))["checkpoint"]["checkpoint_id"]
    answer = {"site": "n", "severity": 1}
    await desk.resume(thread, "form", {asked["id"]: answer})
    again = await desk.run(thread, "form", input=None, checkpoint_id=before)
    assert again.status_code == 200
    [pause] = await desk.waiting(thread)
    done = await desk.resume(thread, "form", {pause["interrupt_id"]: {**answer, "severity": 2}})
    assert done.json()["steps"][0]["severity"] == 2


@pytest.mark.parametrize("action", ["interrupt", "rollback"])
async def test_cancelling_the_run_an_answer_started(desk, action):
    thread, [asked] = await desk.paused("gated")
    run = (await desk.resume(thread, "gated", {asked["id"]: "yes"}, wait=False)).json()
    async with asyncio.timeout(10):
        while "gate" not in desk.lines():
            await asyncio.sleep(0.01)
    await desk.client.runs.cancel(thread, run["run_id"], wait=True, action=action)
    waiting = await desk.waiting(thread)
    if action == "interrupt":
        assert waiting == []
        (desk.outside / "gate").touch()
        assert (await desk.run(thread, "gated", input=None)).json()["steps"] == ["yes", "through"]
        return
    [pause] = waiting
    assert pause["interrupt_id"] == asked["id"]
    assert await history(desk, pause["pause_id"]) == ["answered", "reopened"]
    (desk.outside / "gate").touch()
    assert (await desk.resume(thread, "gated", {asked["id"]: "no"})).json()["steps"] == ["no", "through"]


async def test_cancelling_a_run_that_only_waits_its_turn_gives_the_answer_back(desk):
    thread, asked = await desk.paused("two")
    ids = {i["value"]["title"]: i["id"] for i in asked}
    run = (await desk.resume(thread, "two", {ids["Left"]: "L"}, wait=False, after_seconds=60)).json()
    assert [p["title"] for p in await desk.inbox(thread_id=thread)] == ["Right"]
    await desk.client.runs.cancel(thread, run["run_id"], wait=True)
    assert {p["title"] for p in await desk.waiting(thread)} == {"Left", "Right"}


async def test_the_inbox_can_end_the_wait(desk):
    thread, asked = await desk.paused("two")
    pauses = await desk.waiting(thread)
    ended = await desk.http.post(f"/inbox/{pauses[0]['pause_id']}/cancel", json={"reason": "not needed"})
    assert (ended.json()["status"], ended.json()["reason"]) == ("cancelled", "not needed")
    assert await desk.waiting(thread) == []
    state = await desk.client.threads.get_state(thread)
    assert state["next"] == []
    assert (await desk.resume(thread, "two", {asked[0]["id"]: "x"})).status_code == 410
    assert (await desk.run(thread, "two", input={"steps": []})).json()["__interrupt__"]


async def test_a_thread_that_waits_does_not_expire(desk):
    thread = (await desk.client.threads.create(ttl=0.001))["thread_id"]
    idle = (await desk.client.threads.create(ttl=0.001))["thread_id"]
    await desk.client.runs.wait(thread, "plain", input={"steps": []})
    async with asyncio.timeout(20):
        while (await desk.http.get(f"/threads/{idle}")).status_code == 200:
            await asyncio.sleep(0.05)
    assert len(await desk.waiting(thread)) == 1


async def test_a_batch_is_all_or_nothing_with_answers_too(desk):
    thread, [asked] = await desk.paused("form")
    other, [second] = await desk.paused("form")
    good, bad = {"site": "n", "severity": 1}, {"site": ""}
    batch = [
        {"assistant_id": "form", "thread_id": thread, "command": {"resume": {asked["id"]: good}}},
        {"assistant_id": "form", "thread_id": other, "command": {"resume": {second["id"]: bad}}},
    ]
    assert (await desk.http.post("/runs/batch", json=batch)).status_code == 422
    assert len(await desk.waiting(thread)) == len(await desk.waiting(other)) == 1
