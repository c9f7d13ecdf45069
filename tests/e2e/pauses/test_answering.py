"""One answer, one pause, one effect: on every road an answer can take."""

import asyncio
import random
import uuid

import pytest


async def test_a_wrong_answer_is_told_field_by_field_and_the_pause_stays(desk):
    thread, [asked] = await desk.paused("form")
    refused = await desk.resume(thread, "form", {"severity": 9, "colour": "red"})
    assert refused.status_code == 422
    found = {e["field"]: e["message"] for e in refused.json()["errors"]}
    assert found["site"] == "To pole jest wymagane."
    assert found["severity"] == "Najwyżej 5."
    assert "colour" in found
    assert [p["interrupt_id"] for p in await desk.waiting(thread)] == [asked["id"]]
    assert (await desk.client.threads.get(thread))["status"] == "interrupted"
    assert desk.lines() == ["ask"]


@pytest.mark.parametrize("keyed", [True, False])
async def test_a_right_answer_goes_on(desk, keyed):
    thread, [asked] = await desk.paused("form")
    answer = {"site": "north", "severity": 3}
    done = await desk.resume(thread, "form", {asked["id"]: answer} if keyed else answer)
    assert done.json()["steps"] == [answer, "done"]
    assert await desk.waiting(thread) == []


@pytest.mark.parametrize("nothing", [None, {}])
async def test_nothing_is_no_answer(desk, nothing):
    thread, [asked] = await desk.paused("plain")
    for given in (nothing, {asked["id"]: nothing}):
        refused = await desk.resume(thread, "plain", given)
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["code"] == "empty"
    assert len(await desk.waiting(thread)) == 1


@pytest.mark.parametrize("something", ["", 0, False, [], "text", {"a": 1}])
async def test_without_a_schema_anything_else_is_an_answer(desk, something):
    thread, _ = await desk.paused("plain")
    pause = (await desk.waiting(thread))[0]
    shown = (await desk.http.get(f"/inbox/{pause['pause_id']}")).json()
    assert (shown["checked"], shown["unchecked_because"]) == (False, "The graph gave no response schema.")
    assert (await desk.resume(thread, "plain", something)).json()["steps"] == [something, "done"]


async def test_a_second_answer_gets_the_receipt_of_the_first(desk):
    thread, [asked] = await desk.paused("form")
    answer = {"site": "north", "severity": 3}
    await desk.resume(thread, "form", {asked["id"]: answer})
    late = await desk.resume(thread, "form", {asked["id"]: {"site": "south", "severity": 1}})
    assert late.status_code == 409
    receipt = late.json()["receipt"]
    assert (receipt["answer"], receipt["answered_by"], receipt["status"]) == (answer, "anonymous", "answered")
    assert len(receipt["decision"]["hash"]) == 64
    assert desk.lines().count("done") == 1


async def test_a_double_click_does_not_answer_the_next_question(desk):
    thread, [first] = await desk.paused("chain")
    answers = await asyncio.gather(*[desk.resume(thread, "chain", "yes") for _ in range(2)])
    assert sorted(a.status_code for a in answers) == [200, 409]
    later = await desk.resume(thread, "chain", "yes")
    assert later.status_code == 409
    assert "second click" in later.json()["detail"]
    [second] = await desk.waiting(thread)
    assert (second["title"], second["interrupt_id"] != first["id"]) == ("Delete B?", True)
    stale = await desk.resume(thread, "chain", {first["id"]: "yes"})
    assert (stale.status_code, stale.json()["receipt"]["interrupt_id"]) == (409, first["id"])
    done = await desk.resume(thread, "chain", {second["interrupt_id"]: "no"})
    assert done.json()["steps"] == ["yes", "no", "done"]


async def test_an_unknown_id_and_one_of_another_thread(desk):
    thread, _ = await desk.paused("plain")
    _, [other] = await desk.paused("plain")
    assert (await desk.resume(thread, "plain", {uuid.uuid4().hex: "x"})).status_code == 404
    assert (await desk.resume(thread, "plain", {other["id"]: "x"})).status_code == 409
    assert len(await desk.waiting(thread)) == 1


async def test_two_hundred_at_once_one_counts(desk):
    thread, [asked] = await desk.paused("form")
    good = {asked["id"]: {"site": "north", "severity": 1}}
    answers = await asyncio.gather(*[desk.resume(thread, "form", good, wait=False) for _ in range(200)])
    codes = [a.status_code for a in answers]
    assert (codes.count(200), codes.count(409)) == (1, 199)
    winner = next(a for a in answers if a.status_code == 200).json()["run_id"]
    assert {a.json()["receipt"]["run_id"] for a in answers if a.status_code == 409} == {winner}
    await desk.client.runs.join(thread, winner)
    assert desk.lines().count("done") == 1


async def test_the_same_key_is_the_same_answer(desk):
    thread, [asked] = await desk.paused("form")
    good = {asked["id"]: {"site": "north", "severity": 1}}
    key = {"Idempotency-Key": "click-1"}
    answers = await asyncio.gather(*[desk.resume(thread, "form", good, key) for _ in range(5)])
    assert [a.status_code for a in answers] == [200] * 5
    assert len({a.text for a in answers}) == 1
    other = await desk.resume(thread, "form", {asked["id"]: {"site": "south", "severity": 1}}, key)
    assert other.status_code == 422
    assert desk.lines().count("done") == 1
    assert len(await desk.client.runs.list(thread)) == 2


async def test_several_questions_each_on_its_own(desk):
    thread, asked = await desk.paused("two")
    ids = {i["value"]["title"]: i["id"] for i in asked}
    unnamed = await desk.resume(thread, "two", "x")
    assert unnamed.status_code == 422
    assert {p["title"] for p in unnamed.json()["pending"]} == {"Left", "Right"}
    mixed = await desk.resume(thread, "two", {ids["Left"]: "L", ids["Right"]: "no number"})
    assert mixed.status_code == 422
    assert len(await desk.waiting(thread)) == 2
    half = await desk.resume(thread, "two", {ids["Left"]: "L"})
    assert [i["id"] for i in half.json()["__interrupt__"]] == [ids["Right"]]
    again = await desk.resume(thread, "two", {ids["Left"]: "L2"})
    assert again.status_code == 409
    done = await desk.resume(thread, "two", {ids["Right"]: 7})
    assert sorted(map(str, done.json()["steps"])) == ["7", "L", "done"]


async def test_several_questions_answered_at_the_same_moment(desk):
    thread, asked = await desk.paused("two")
    ids = {i["value"]["title"]: i["id"] for i in asked}
    answers = await asyncio.gather(
        desk.resume(thread, "two", {ids["Left"]: "L"}), desk.resume(thread, "two", {ids["Right"]: 7})
    )
    assert [a.status_code for a in answers] == [200, 200]
    state = await desk.client.threads.get_state(thread)
    assert sorted(map(str, state["values"]["steps"])) == ["7", "L", "done"]
    assert await desk.waiting(thread) == []


async def test_both_questions_in_one_answer(desk):
    thread, asked = await desk.paused("two")
    ids = {i["value"]["title"]: i["id"] for i in asked}
    done = await desk.resume(thread, "two", {ids["Left"]: "L", ids["Right"]: 7})
    assert sorted(map(str, done.json()["steps"])) == ["7", "L", "done"]


async def test_the_commands_road(desk):
    thread, [asked] = await desk.paused("form")

    async def respond(answer):
        params = {"interrupt_id": asked["id"], "response": answer}
        body = {"id": 1, "method": "input.respond", "params": params}
        return (await desk.http.post(f"/threads/{thread}/commands", json=body)).json()

    wrong = await respond({"site": "north"})
    assert (wrong["type"], wrong["error"]) == ("error", "invalid_argument")
    assert wrong["details"]["errors"][0]["field"] == "severity"
    assert (await respond({"site": "north", "severity": 2}))["type"] == "success"


async def test_an_answer_that_breaks_its_node_comes_back(desk):
    thread, [asked] = await desk.paused("fails")
    await desk.client.runs.wait(thread, "fails", command={"resume": {asked["id"]: "boom"}}, raise_error=False)
    [pause] = await desk.waiting(thread)
    shown = (await desk.http.get(f"/inbox/{pause['pause_id']}")).json()
    assert "the fuse is wet" in shown["reason"]
    assert shown["draft"]["values"] == "boom"
    told = (await desk.http.get(f"/inbox/{pause['pause_id']}/history")).json()
    assert [entry["event"] for entry in told] == ["answered", "reopened"]
    done = await desk.resume(thread, "fails", {asked["id"]: "dry"})
    assert done.json().get("steps") == ["dry", "done"], done.text


async def test_a_pydantic_schema_is_checked_before_the_node(desk):
    thread, _ = await desk.paused("typed")
    assert (await desk.resume(thread, "typed", {"count": 0})).status_code == 422
    assert len(await desk.waiting(thread)) == 1
    assert (await desk.resume(thread, "typed", {"count": 2})).json()["steps"] == [2, "done"]


async def test_a_question_inside_a_subgraph(desk):
    thread, _ = await desk.paused("nested")
    assert (await desk.resume(thread, "nested", 5)).status_code == 422
    [pause] = await desk.waiting(thread)
    assert (pause["node"], pause["title"]) == ("inner", "Inside?")
    done = await desk.resume(thread, "nested", "yes")
    assert done.json()["steps"][-1] == "done"


async def test_a_graph_that_asks_again_itself_costs_the_same_each_time(desk):
    thread, [asked] = await desk.paused("reask")
    before = len(desk.lines())
    attempts = 20
    for n in range(attempts):
        wrong = {"site": f"south {n}"}
        again = (await desk.resume(thread, "reask", {asked["id"]: wrong})).json()
        [asked] = again["__interrupt__"]
        assert asked["value"]["errors"] == [{"field": "site", "message": "only north"}]
    assert (len(desk.lines()) - before) / attempts <= 3
    done = await desk.resume(thread, "reask", {asked["id"]: {"site": "north"}})
    assert "__interrupt__" not in done.json()


WRONG = [
    None,
    {},
    "",
    0,
    [],
    True,
    {"site": ""},
    {"site": "x", "severity": 9},
    {"severity": 3},
    {"x": "y" * 99},
]


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.soak)])
async def test_random_wrong_answers_on_every_road(desk, count):
    chance = random.Random(count)
    thread, [asked] = await desk.paused("form")
    [pause] = await desk.waiting(thread)
    for _ in range(count):
        wrong = chance.choice(WRONG)
        command = {"interrupt_id": asked["id"], "response": wrong}
        roads = (
            lambda w=wrong: desk.resume(thread, "form", w),
            lambda w=wrong: desk.resume(thread, "form", {asked["id"]: w}, wait=False),
            lambda w=wrong: desk.http.post(f"/inbox/{pause['pause_id']}/answer", json={"answer": w}),
            lambda c=command: desk.http.post(
                f"/threads/{thread}/commands", json={"id": 1, "method": "input.respond", "params": c}
            ),
        )
        told = await chance.choice(roads)()
        assert told.status_code == 422 or told.json()["type"] == "error"
        assert [p["pause_id"] for p in await desk.waiting(thread)] == [pause["pause_id"]]
    assert desk.lines() == ["ask"]


async def test_a_run_without_a_thread_that_asks_keeps_its_thread(desk):
    seen = []
    await desk.client.runs.wait(None, "plain", input={"steps": []}, on_run_created=seen.append)
    thread = seen[0]["thread_id"]
    assert len(await desk.waiting(thread)) == 1
    assert (await desk.resume(thread, "plain", "on")).json()["steps"] == ["on", "done"]
