import uuid

import pytest
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError


async def test_a_thread_lives(client):
    made = await client.threads.create(metadata={"owner": "ada"}, ttl=60)
    key = made["thread_id"]
    assert (made["status"], made["values"], made["interrupts"]) == ("idle", None, {})
    assert (await client.threads.get(key, include=["ttl"]))["ttl"]["ttl_minutes"] == 60
    changed = await client.threads.update(key, metadata={"topic": "tea"})
    assert changed["metadata"] == {"owner": "ada", "topic": "tea"}
    assert await client.threads.update(key, metadata={"x": 1}, return_minimal=True) is None
    await client.threads.delete(key)
    with pytest.raises(NotFoundError):
        await client.threads.get(key)


async def test_ids_are_unique_unless_the_caller_does_not_mind(client):
    key = str(uuid.uuid4())
    await client.threads.create(thread_id=key, metadata={"a": 1})
    with pytest.raises(ConflictError):
        await client.threads.create(thread_id=key)
    again = await client.threads.create(thread_id=key, if_exists="do_nothing")
    assert again["metadata"] == {"a": 1}


async def test_search_by_metadata_status_values_and_ids(client):
    mark = str(uuid.uuid4())
    keys = []
    for number in range(3):
        metadata = {
            "mark": mark,
            "number": number,
            "deep": {"flag": number == 1},
            "tags": ["a", f"t{number}"],
        }
        keys.append((await client.threads.create(metadata=metadata))["thread_id"])
    await client.runs.wait(keys[2], "pause", input={"steps": []})

    async def ids(**query):
        return [t["thread_id"] for t in await client.threads.search(**query)]

    assert await ids(metadata={"mark": mark}, sort_by="created_at", sort_order="asc") == keys
    assert await ids(metadata={"mark": mark}, limit=1, offset=1, sort_by="created_at") == [keys[1]]
    assert await ids(metadata={"mark": mark, "number": 1}) == [keys[1]]
    assert await ids(metadata={"mark": mark, "number": "1"}) == []
    assert await ids(metadata={"mark": mark, "deep": {"flag": True}}) == [keys[1]]
    assert await ids(metadata={"mark": mark, "tags": ["t2", "a"]}) == [keys[2]]
    assert await ids(metadata={"mark": mark}, status="interrupted") == [keys[2]]
    assert await ids(metadata={"mark": mark}, values={"steps": ["before"]}) == [keys[2]]
    assert set(await ids(ids=keys[:2])) == set(keys[:2])
    assert await client.threads.count(metadata={"mark": mark}) == 3
    assert await ids(metadata={"mark": mark, 'quo"te': 1}) == []

    found = await client.threads.search(
        metadata={"mark": mark},
        status="interrupted",
        select=["thread_id"],
        extract={"first": "values.steps[0]", "none": "values.nothing[3].x", "mark": "metadata.mark"},
    )
    assert found == [{"thread_id": keys[2], "extracted": {"first": "before", "none": None, "mark": mark}}]


async def test_state_can_be_read_changed_and_forked(client, thread):
    assert (await client.threads.get_state(thread))["values"] == {}
    await client.runs.wait(thread, "basics", input={"steps": ["start"]})
    state = await client.threads.get_state(thread)
    assert state["values"]["steps"] == ["start", "one", "two", "three"]
    assert (state["next"], state["tasks"], state["interrupts"]) == ([], [], [])

    history = await client.threads.get_history(thread, limit=50)
    assert history[0]["checkpoint"] == state["checkpoint"]
    before_two = next(s for s in history if s["next"] == ["two"])
    at = await client.threads.get_state(thread, checkpoint=before_two["checkpoint"])
    assert at["values"]["steps"] == ["start", "one"]
    by_id = await client.threads.get_state(thread, checkpoint_id=before_two["checkpoint"]["checkpoint_id"])
    assert by_id["values"] == at["values"]
    assert len(await client.threads.get_history(thread, limit=2)) == 2
    older = await client.threads.get_history(thread, before=before_two["checkpoint"])
    assert all(s["metadata"]["step"] < before_two["metadata"]["step"] for s in older)

    updated = await client.threads.update_state(
        thread, {"steps": ["by hand"]}, as_node="one", checkpoint=before_two["checkpoint"]
    )
    assert updated["checkpoint"]["checkpoint_id"] != before_two["checkpoint"]["checkpoint_id"]
    forked = await client.runs.wait(thread, "basics", input=None)
    assert forked["steps"] == ["start", "one", "by hand", "two", "three"]


async def test_a_run_can_start_at_an_old_checkpoint(client, thread):
    await client.runs.wait(thread, "basics", input={"steps": []})
    history = await client.threads.get_history(thread, limit=50)
    after_one = next(s for s in history if s["next"] == ["two"])
    key = after_one["checkpoint"]["checkpoint_id"]
    result = await client.runs.wait(thread, "basics", input=None, checkpoint_id=key)
    assert result["steps"] == ["one", "two", "three"]


async def test_copies_are_independent(client, thread):
    await client.runs.wait(thread, "pause", input={"steps": []})
    copied = (await client.threads.copy(thread))["thread_id"]
    assert copied != thread
    assert (await client.threads.get(copied))["interrupts"] == (await client.threads.get(thread))[
        "interrupts"
    ]
    done = await client.runs.wait(copied, "pause", command={"resume": "copy"})
    assert done["steps"] == ["before", "hello copy", "after"]
    assert (await client.threads.get(thread))["status"] == "interrupted"


async def test_pruning_deletes_or_keeps_the_latest_state(client):
    keys = [(await client.threads.create())["thread_id"] for _ in range(2)]
    for key in keys:
        await client.runs.wait(key, "basics", input={"steps": []})
    assert (await client.threads.prune([keys[0]], strategy="keep_latest"))["pruned_count"] == 1
    assert len(await client.threads.get_history(keys[0], limit=50)) == 1
    assert (await client.threads.get_state(keys[0]))["values"]["steps"] == ["one", "two", "three"]
    assert (await client.threads.prune([keys[1]]))["pruned_count"] == 1
    with pytest.raises(NotFoundError):
        await client.threads.get(keys[1])


async def test_a_thread_can_start_with_a_history(client):
    supersteps = [{"updates": [{"values": {"steps": ["old"]}, "as_node": "__start__"}]}]
    supersteps.append({"updates": [{"values": {"steps": ["older one"]}, "as_node": "one"}]})
    made = await client.threads.create(graph_id="basics", supersteps=supersteps)
    assert made["values"]["steps"] == ["old", "older one"]
    assert (await client.threads.get_state(made["thread_id"]))["next"] == ["two"]


async def test_bad_ids_say_so(client, thread):
    with pytest.raises(UnprocessableEntityError):
        await client.threads.get("not-a-uuid")
    with pytest.raises(NotFoundError):
        await client.threads.get(str(uuid.uuid4()))
    await client.runs.wait(thread, "basics", input={"steps": []})
    with pytest.raises(NotFoundError):
        await client.threads.get_state(thread, checkpoint_id=str(uuid.uuid4()))
    with pytest.raises(UnprocessableEntityError, match="refuses"):
        await client.threads.update_state(thread, {"steps": ["x"]}, as_node="no_such_node")
    with pytest.raises(UnprocessableEntityError):
        await client.threads.search(select=["secrets"])


async def test_a_thread_whose_time_is_up_goes_away(client):
    made = await client.threads.create(ttl={"ttl": 0.01, "strategy": "delete"})
    for _ in range(200):
        try:
            await client.threads.get(made["thread_id"])
        except NotFoundError:
            return
        import asyncio

        await asyncio.sleep(0.05)
    pytest.fail("the thread is still there")
