import asyncio
import uuid

import httpx
import pytest
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError


async def until(check, seconds=10.0):
    async with asyncio.timeout(seconds):
        while not (found := await check()):
            await asyncio.sleep(0.01)
    return found


async def until_status(client, thread, run_id, *wanted):
    async def check():
        run = await client.runs.get(thread, run_id)
        return run if run["status"] in wanted else None

    return await until(check)


async def test_background_run_join_and_list(client, thread):
    run = await client.runs.create(thread, "basics", input={"steps": []}, metadata={"kind": "bg"})
    assert run["status"] == "pending"
    assert (run["thread_id"], run["metadata"]) == (thread, {"kind": "bg"})
    assert (await client.runs.join(thread, run["run_id"]))["steps"] == ["one", "two", "three"]
    found = await client.runs.get(thread, run["run_id"])
    assert found["status"] == "success"
    assert [r["run_id"] for r in await client.runs.list(thread)] == [run["run_id"]]
    assert await client.runs.list(thread, status="error") == []
    assert (await client.runs.list(thread, select=["status"])) == [{"status": "success"}]
    await client.runs.delete(thread, run["run_id"])
    assert await client.runs.list(thread) == []


async def test_the_project_environment_is_set(client):
    assert (await client.runs.wait(None, "basics", input={"steps": []}))["note"] == "from-langgraph-json"


async def test_created_runs_are_announced_in_headers(client, thread):
    seen = []
    await client.runs.wait(thread, "basics", input={"steps": []}, on_run_created=seen.append)
    assert seen[0]["thread_id"] == thread
    assert (await client.runs.get(thread, seen[0]["run_id"]))["status"] == "success"


async def test_pause_and_resume(client, thread):
    paused = await client.runs.wait(thread, "pause", input={"steps": []})
    assert paused["steps"] == ["before"]
    question = paused["__interrupt__"][0]
    assert question["value"] == {"question": "your name?"}
    assert question["response_schema"] == {"type": "string"}
    found = await client.threads.get(thread)
    assert found["status"] == "interrupted"
    assert [i["id"] for group in found["interrupts"].values() for i in group] == [question["id"]]
    done = await client.runs.wait(thread, "pause", command={"resume": "Ada"})
    assert done["steps"] == ["before", "hello Ada", "after"]
    found = await client.threads.get(thread)
    assert (found["status"], found["interrupts"]) == ("idle", {})


async def test_several_questions_are_answered_by_their_ids(client, thread):
    paused = await client.runs.wait(thread, "two", input={"steps": []})
    ids = {i["value"]: i["id"] for i in paused["__interrupt__"]}
    half = await client.runs.wait(thread, "two", command={"resume": {ids["left?"]: "L"}})
    assert [i["value"] for i in half["__interrupt__"]] == ["right?"]
    done = await client.runs.wait(thread, "two", command={"resume": {ids["right?"]: "R"}})
    assert sorted(done["steps"]) == ["left L", "right R"]


async def test_commands_update_and_goto(client, thread):
    await client.runs.wait(thread, "basics", input={"steps": []})
    done = await client.runs.wait(
        thread, "basics", command={"update": {"steps": ["patched"]}, "goto": {"node": "three", "input": {}}}
    )
    assert done["steps"] == ["one", "two", "three", "patched", "three"]
    done = await client.runs.wait(thread, "basics", command={"goto": ["two"]})
    assert done["steps"][-2:] == ["two", "three"]


async def test_interrupt_before_and_after(client, thread):
    await client.runs.wait(thread, "basics", input={"steps": []}, interrupt_before=["two"])
    assert (await client.threads.get_state(thread))["next"] == ["two"]
    assert (await client.threads.get(thread))["status"] == "interrupted"
    await client.runs.wait(thread, "basics", input=None, interrupt_after=["two"])
    assert (await client.threads.get_state(thread))["next"] == ["three"]
    done = await client.runs.wait(thread, "basics", input=None)
    assert done["steps"] == ["one", "two", "three"]


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
async def test_durability_modes(client, thread, durability):
    result = await client.runs.wait(thread, "basics", input={"steps": []}, durability=durability)
    assert result["steps"] == ["one", "two", "three"]
    assert len(await client.threads.get_history(thread)) == (1 if durability == "exit" else 6)


async def test_an_error_is_told_and_kept(client, thread):
    with pytest.raises(Exception, match="ValueError: the oven is too hot"):
        await client.runs.wait(thread, "fails", input={"steps": []})
    answer = await client.runs.wait(thread, "fails", input={"steps": []}, raise_error=False)
    assert answer["__error__"] == {"error": "ValueError", "message": "the oven is too hot"}
    found = await client.threads.get(thread)
    assert (found["status"], found["error"]["error"]) == ("error", "ValueError")
    assert found["values"]["steps"] == ["first", "first"]
    runs = await client.runs.list(thread)
    assert {r["status"] for r in runs} == {"error"}


async def test_cancel_reaches_the_node_and_keeps_what_was_done(client, thread):
    run = await client.runs.create(thread, "slow", input={"steps": []})
    await until(lambda: _has_values(client, thread, ["first"]))
    await client.runs.cancel(thread, run["run_id"], wait=True)
    found = await client.runs.get(thread, run["run_id"])
    assert (found["status"], found["cancel_reason"]) == ("interrupted", "cancelled by a client")
    state = await client.threads.get_state(thread)
    assert (state["values"]["steps"], state["next"]) == (["first"], ["wait_long"])
    with pytest.raises(ConflictError):
        await client.runs.cancel(thread, run["run_id"])


async def _has_values(client, thread, steps):
    return (await client.threads.get_state(thread))["values"].get("steps") == steps


async def test_rollback_takes_everything_back(client, thread):
    await client.runs.wait(thread, "basics", input={"steps": ["kept"]})
    before = await client.threads.get_state(thread)
    run = await client.runs.create(thread, "slow", input={"steps": ["gone"]})
    await until(lambda: _next_is(client, thread, ["wait_long"]))
    await client.runs.cancel(thread, run["run_id"], wait=True, action="rollback")
    with pytest.raises(NotFoundError):
        await client.runs.get(thread, run["run_id"])
    after = await client.threads.get_state(thread)
    assert (after["values"], after["checkpoint"]) == (before["values"], before["checkpoint"])


async def _next_is(client, thread, names):
    return (await client.threads.get_state(thread))["next"] == names


async def test_a_busy_thread_rejects(client, thread):
    run = await client.runs.create(thread, "slow", input={"steps": []})
    with pytest.raises(ConflictError, match="busy"):
        await client.runs.create(thread, "basics", input={"steps": []}, multitask_strategy="reject")
    with pytest.raises(ConflictError, match="busy"):
        await client.threads.update_state(thread, {"steps": ["x"]})
    with pytest.raises(ConflictError, match="cancel it"):
        await client.runs.delete(thread, run["run_id"])
    await client.runs.cancel(thread, run["run_id"], wait=True)


async def test_a_busy_thread_enqueues_in_order(client, thread):
    first = await client.runs.create(thread, "slow", input={"steps": []})
    second = await client.runs.create(thread, "basics", input={"steps": ["s2"]})
    third = await client.runs.create(thread, "basics", input={"steps": ["s3"]})
    assert (await client.runs.get(thread, second["run_id"]))["status"] == "pending"
    await client.runs.cancel(thread, first["run_id"], wait=True)
    done = await client.runs.join(thread, third["run_id"])
    assert done["steps"] == ["first", "s2", "one", "two", "three", "s3", "one", "two", "three"]


async def test_a_busy_thread_is_interrupted(client, thread):
    first = await client.runs.create(thread, "slow", input={"steps": []})
    await until(lambda: _next_is(client, thread, ["wait_long"]))
    done = await client.runs.wait(thread, "basics", input={"steps": ["new"]}, multitask_strategy="interrupt")
    assert done["steps"] == ["first", "new", "one", "two", "three"]
    assert (await client.runs.get(thread, first["run_id"]))["status"] == "interrupted"


async def test_a_busy_thread_is_rolled_back(client, thread):
    first = await client.runs.create(thread, "slow", input={"steps": ["gone"]})
    await until(lambda: _next_is(client, thread, ["wait_long"]))
    done = await client.runs.wait(thread, "basics", input={"steps": ["new"]}, multitask_strategy="rollback")
    assert done["steps"] == ["new", "one", "two", "three"]
    with pytest.raises(NotFoundError):
        await client.runs.get(thread, first["run_id"])


async def test_cancel_many(client):
    threads = [(await client.threads.create())["thread_id"] for _ in range(2)]
    runs = [await client.runs.create(t, "slow", input={"steps": []}) for t in threads]
    await client.runs.cancel_many(thread_id=threads[0], run_ids=[runs[0]["run_id"]])
    await until_status(client, threads[0], runs[0]["run_id"], "interrupted")
    assert (await client.runs.get(threads[1], runs[1]["run_id"]))["status"] in ("pending", "running")
    await client.runs.cancel_many(status="all")
    await until_status(client, threads[1], runs[1]["run_id"], "interrupted")


async def test_later_runs_start_later(client, thread):
    run = await client.runs.create(thread, "basics", input={"steps": []}, after_seconds=1)
    assert (await client.runs.get(thread, run["run_id"]))["status"] == "pending"
    now = await client.runs.wait(thread, "basics", input={"steps": ["now"]})
    assert now["steps"] == ["now", "one", "two", "three"]
    done = await client.runs.join(thread, run["run_id"])
    assert len(done["steps"]) == 7


async def test_threads_can_come_with_the_run(client):
    key = str(uuid.uuid4())
    with pytest.raises(httpx.HTTPStatusError, match="404"):
        await client.runs.wait(key, "basics", input={"steps": []})
    await client.runs.wait(key, "basics", input={"steps": []}, if_not_exists="create")
    assert (await client.threads.get(key))["metadata"]["graph_id"] == "basics"


async def test_stateless_runs_leave_nothing_unless_asked(client):
    seen = []
    await client.runs.wait(None, "basics", input={"steps": []}, on_run_created=seen.append)
    with pytest.raises(NotFoundError):
        await client.threads.get(seen[0]["thread_id"])
    await client.runs.wait(
        None, "basics", input={"steps": []}, on_run_created=seen.append, on_completion="keep"
    )
    assert (await client.threads.get(seen[1]["thread_id"]))["values"]["steps"] == ["one", "two", "three"]


async def test_a_batch_is_all_or_nothing(client, thread):
    runs = await client.runs.create_batch(
        [{"assistant_id": "basics", "input": {"steps": []}}, {"assistant_id": "basics", "thread_id": thread}]
    )
    assert len({r["run_id"] for r in runs}) == 2
    with pytest.raises(NotFoundError):
        await client.runs.create_batch(
            [
                {"assistant_id": "basics", "thread_id": thread, "input": {"steps": []}, "metadata": {"b": 1}},
                {"assistant_id": "no such one", "input": {}},
            ]
        )
    assert [r for r in await client.runs.list(thread) if r["metadata"].get("b")] == []


@pytest.mark.parametrize(
    ("graph", "config", "first"),
    [
        ("factory", {"configurable": {"tone": "kids"}}, "for kids"),
        ("runtime", {}, "run by anybody"),
        ("opened", {}, "opened"),
        ("builder", {}, "built"),
    ],
)
async def test_graphs_in_every_form(client, graph, config, first):
    assert (await client.runs.wait(None, graph, input={"steps": []}, config=config))["steps"] == [first]


async def test_state_that_json_cannot_hold_is_shown_all_the_same(client, thread):
    found = await client.runs.wait(thread, "odd", input={"thing": 1})
    assert found["thing"]["set"] == [1]
    assert "lone" in found["thing"]["text"]
    assert (await client.threads.get(thread))["status"] == "idle"
    assert (await client.threads.search(ids=[thread]))[0]["thread_id"] == thread


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"assistant_id": "nope"}, 404),
        ({"assistant_id": str(uuid.uuid4())}, 404),
        ({}, 422),
        ({"assistant_id": "basics", "multitask_strategy": "hope"}, 422),
        ({"assistant_id": "basics", "stream_mode": ["vibes"]}, 422),
        ({"assistant_id": "basics", "command": {}}, 422),
        ({"assistant_id": "basics", "command": {"nonsense": 1}}, 422),
        ({"assistant_id": "basics", "webhook": "file:///etc/passwd"}, 422),
        ({"assistant_id": "basics", "after_seconds": -5}, 422),
    ],
)
async def test_wrong_runs_are_refused(server_url, thread, body, status):
    async with httpx.AsyncClient(base_url=server_url) as http:
        answer = await http.post(f"/threads/{thread}/runs", json=body)
        assert answer.status_code == status
        assert isinstance(answer.json()["detail"], str)


async def test_wrong_input_fails_the_run_not_the_server(client, thread):
    with pytest.raises(Exception, match=r"InvalidUpdateError|EmptyInputError"):
        await client.runs.wait(thread, "basics", input="just text")
    with pytest.raises(UnprocessableEntityError):
        await client.runs.get(thread, "not-a-uuid")
    assert (await client.runs.wait(thread, "basics", input={"steps": []}))["steps"][-1] == "three"


async def test_recursion_has_a_limit(client, thread):
    with pytest.raises(Exception, match="GraphRecursionError"):
        await client.runs.wait(thread, "basics", input={"steps": []}, config={"recursion_limit": 2})
