import uuid

import httpx
import pytest
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError


async def test_every_graph_has_its_own_assistant(client):
    found = await client.assistants.search(limit=100)
    names = {a["graph_id"] for a in found if a["metadata"].get("created_by") == "system"}
    assert {"basics", "chat", "pause", "react", "mapreduce", "nested", "broken"} <= names
    by_name = await client.assistants.get("basics")
    assert by_name == await client.assistants.get(by_name["assistant_id"])


async def test_an_assistant_lives(client):
    made = await client.assistants.create(
        "basics", config={"tags": ["t"]}, context={"greeting": "Hi"}, metadata={"team": "a"}, name="Greeter"
    )
    key = made["assistant_id"]
    assert (made["version"], made["name"], made["context"]) == (1, "Greeter", {"greeting": "Hi"})

    changed = await client.assistants.update(key, context={"greeting": "Hello"}, metadata={"extra": 1})
    assert (changed["version"], changed["metadata"]) == (2, {"team": "a", "extra": 1})
    assert changed["context"] == {"greeting": "Hello"}

    versions = await client.assistants.get_versions(key)
    assert [v["version"] for v in versions] == [2, 1]
    back = await client.assistants.set_latest(key, 1)
    assert (back["version"], back["context"]) == (1, {"greeting": "Hi"})

    result = await client.runs.wait(None, key, input={"steps": []})
    assert result["steps"] == ["Hi one", "Hi two", "Hi three"]

    found = await client.assistants.search(metadata={"team": "a"}, graph_id="basics", name="greet")
    assert [a["assistant_id"] for a in found] == [key]
    assert await client.assistants.count(metadata={"team": "a"}) == 1
    page = await client.assistants.search(limit=1, response_format="object", sort_by="name", sort_order="asc")
    assert page["next"] == "1"

    await client.assistants.delete(key)
    with pytest.raises(NotFoundError):
        await client.assistants.get(key)


async def test_ids_are_unique_unless_the_caller_does_not_mind(client):
    key = str(uuid.uuid4())
    first = await client.assistants.create("basics", assistant_id=key)
    with pytest.raises(ConflictError):
        await client.assistants.create("basics", assistant_id=key)
    assert await client.assistants.create("basics", assistant_id=key, if_exists="do_nothing") == first


@pytest.mark.parametrize("key", ["no-such-graph", "2b7c6f0e-8f5d-4b1e-9a53-0c5a4f0f7b11", "../etc", "%00"])
async def test_unknown_assistants_are_not_found(client, key):
    with pytest.raises(NotFoundError):
        await client.assistants.get(key)


async def test_a_graph_can_be_drawn(client):
    drawn = await client.assistants.get_graph("nested", xray=True)
    assert {"review:draft", "review:approve", "publish"} <= {n["id"] for n in drawn["nodes"]}
    flat = await client.assistants.get_graph("nested")
    assert {n["id"] for n in flat["nodes"]} == {"__start__", "review", "publish", "__end__"}


async def test_schemas_tell_what_a_graph_takes(client):
    schemas = await client.assistants.get_schemas("basics")
    assert schemas["graph_id"] == "basics"
    assert set(schemas["input_schema"]["properties"]) == {"steps", "note"}
    assert "greeting" in schemas["context_schema"]["properties"]
    subgraphs = await client.assistants.get_subgraphs("nested")
    assert set(subgraphs) == {"review"}
    assert set(await client.assistants.get_subgraphs("nested", namespace="review")) == {"review"}


async def test_a_graph_that_cannot_be_imported_says_why_to_whoever_asks_for_it(client):
    with pytest.raises(Exception, match="missing licence file"):
        await client.assistants.get_schemas("broken")
    with pytest.raises(Exception, match="missing licence file"):
        await client.runs.wait(None, "broken", input={})


async def test_a_graphs_own_assistant_cannot_be_deleted(client):
    with pytest.raises(ConflictError, match="own assistant"):
        await client.assistants.delete("basics")


async def test_wrong_bodies_are_refused_with_the_place(server_url):
    async with httpx.AsyncClient(base_url=server_url) as http:
        wrong = await http.post("/assistants/search", json={"limit": -1})
        assert wrong.status_code == 422
        assert "limit" in wrong.json()["detail"]
        broken = await http.post("/assistants/search", content=b'{"limit":')
        assert broken.status_code == 422


async def test_select_names_what_there_is(client):
    found = await client.assistants.search(select=["name"], limit=1)
    assert list(found[0]) == ["name"]
    with pytest.raises(UnprocessableEntityError, match="no_such_field"):
        await client.assistants.search(select=["no_such_field"], limit=1)
