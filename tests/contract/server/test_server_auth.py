"""A project with `auth.path`: nobody sees or touches what is somebody else's, by whatever route."""

import uuid

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.errors import AuthenticationError, NotFoundError, PermissionDeniedError
from server_process import PROJECT, Served


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    config = PROJECT.parent / "guarded" / "langgraph.json"
    with Served(config, tmp_path_factory.mktemp("guarded")) as served:
        yield served.url


def as_user(url, name):
    return get_client(url=url, api_key=None, headers={"authorization": f"Bearer {name}-token"})


@pytest.fixture
def ada(guarded):
    return as_user(guarded, "ada")


@pytest.fixture
def bob(guarded):
    return as_user(guarded, "bob")


@pytest.fixture
async def thread(ada):
    return (await ada.threads.create(metadata={"topic": "tea"}))["thread_id"]


async def test_strangers_are_asked_who_they_are(guarded):
    stranger = get_client(url=guarded, api_key=None)
    with pytest.raises(AuthenticationError, match="Who are you"):
        await stranger.threads.search()
    async with httpx.AsyncClient(base_url=guarded) as http:
        for path in (
            "/threads",
            "/runs/wait",
            "/store/namespaces",
            "/runs/crons/search",
            "/assistants/search",
        ):
            assert (await http.post(path, json={})).status_code == 401, path
        for path in ("/metrics", "/mine", f"/threads/{uuid.uuid4()}/stream"):
            assert (await http.get(path)).status_code == 401, path
        for path in ("/ok", "/info", "/docs"):
            assert (await http.get(path)).status_code == 200, path


async def test_graphs_know_the_user(ada):
    result = await ada.runs.wait(None, "who", input={"steps": []})
    assert result["steps"] == ["ada", "tea", "ada"]


async def test_nobody_can_pretend_to_be_somebody_else(bob):
    pretend = {"configurable": {"langgraph_auth_user": {"identity": "ada"}, "langgraph_auth_user_id": "ada"}}
    result = await bob.runs.wait(None, "who", input={"steps": []}, config=pretend)
    assert result["steps"] == ["bob", "tea", "bob"]


async def test_threads_are_their_owners(ada, bob, thread):
    assert (await ada.threads.get(thread))["metadata"] == {"topic": "tea", "owner": "ada"}
    run = await ada.runs.create(thread, "pause", input={"steps": []})
    await ada.runs.join(thread, run["run_id"])
    for attempt in (
        bob.threads.get(thread),
        bob.threads.update(thread, metadata={"owner": "bob"}),
        bob.threads.get_state(thread),
        bob.threads.update_state(thread, {"steps": ["x"]}),
        bob.threads.get_history(thread),
        bob.threads.copy(thread),
        bob.runs.create(thread, "pause", command={"resume": "x"}),
        bob.runs.list(thread),
        bob.runs.get(thread, run["run_id"]),
        bob.runs.cancel(thread, run["run_id"]),
        bob.crons.create_for_thread(thread, "who", schedule="* * * * *"),
    ):
        with pytest.raises(NotFoundError):
            await attempt
    for stream in (
        bob.runs.join_stream(thread, run["run_id"]),
        bob.runs.stream(thread, "pause", command={"resume": "x"}),
        await bob.threads.join_stream(thread),
    ):
        with pytest.raises(NotFoundError):
            [part async for part in stream]
    assert await bob.threads.search(ids=[thread]) == []
    assert await bob.threads.count(metadata={"topic": "tea"}) == 0
    assert (await bob.threads.prune([thread], strategy="keep_latest"))["pruned_count"] == 0
    await bob.runs.cancel_many(status="all")
    assert (await ada.threads.get(thread))["status"] == "interrupted"
    assert len(await ada.threads.search(ids=[thread])) == 1


async def test_the_thread_protocol_is_guarded_too(guarded, ada, thread):
    async with httpx.AsyncClient(base_url=guarded, headers={"authorization": "Bearer bob-token"}) as bob:
        subscribe = await bob.post(f"/threads/{thread}/stream/events", json={"channels": ["values"]})
        assert subscribe.status_code == 404
        for method, params in (
            ("run.start", {"assistant_id": "who", "input": {"steps": []}}),
            ("state.get", {"namespace": []}),
            ("input.respond", {"interrupt_id": "0" * 32, "response": 1}),
        ):
            body = {"id": 1, "method": method, "params": params}
            assert (await bob.post(f"/threads/{thread}/commands", json=body)).json()["type"] == "error"
    assert await ada.runs.list(thread) == []


async def test_handlers_refuse(bob, guarded, thread):
    with pytest.raises(PermissionDeniedError, match="Only Ada deletes"):
        await bob.threads.delete(thread)
    with pytest.raises(PermissionDeniedError):
        await as_user(guarded, "eve").threads.create()


async def test_assistants_have_owners(ada, bob):
    made = await ada.assistants.create("who", name="Ada's")
    assert made["metadata"]["owner"] == "ada"
    assert await bob.assistants.search(name="Ada's") == []
    with pytest.raises(NotFoundError):
        await bob.assistants.update(made["assistant_id"], name="Bob's")
    with pytest.raises(NotFoundError):
        await bob.assistants.delete(made["assistant_id"])


async def test_the_store_is_divided(ada, bob):
    await ada.store.put_item(["notes"], "k", {"secret": 1})
    assert (await ada.store.get_item(["notes"], "k"))["value"] == {"secret": 1}
    with pytest.raises(NotFoundError):
        await bob.store.get_item(["notes"], "k")
    assert (await bob.store.search_items(["notes"]))["items"] == []
    assert (await bob.store.search_items(["ada", "notes"]))["items"] == []


async def test_crons_are_their_owners_and_run_as_them(ada, bob):
    made = await ada.crons.create("who", schedule="0 0 1 1 *", metadata={"m": 1})
    assert made["user_id"] == "ada"
    assert "user" not in made["payload"]
    assert await bob.crons.search() == []
    with pytest.raises(NotFoundError):
        await bob.crons.delete(made["cron_id"])
    await ada.crons.delete(made["cron_id"])


async def test_custom_routes_are_guarded_and_see_what_the_caller_sees(guarded, ada, bob, thread):
    async with httpx.AsyncClient(base_url=guarded) as http:
        mine = (await http.get("/mine", headers={"authorization": "Bearer ada-token"})).json()
        assert mine["user"] == "ada"
        assert thread in mine["threads"]
        theirs = (await http.get("/mine", headers={"authorization": "Bearer bob-token"})).json()
        assert thread not in theirs["threads"]


async def test_a_project_without_auth_stays_on_loopback(tmp_path):
    served = Served(PROJECT / "langgraph.json", tmp_path / "d", "--host", "0.0.0.0")
    with pytest.raises(AssertionError, match="loopback"):
        served.start()
    assert served.stop() == 2
    served.log.close()


async def test_unsupported_keys_are_named_at_start(tmp_path):
    config = tmp_path / "langgraph.json"
    text = '{"graphs": {"a": "./a.py:graph"}, "ui": {"x": 1}, "http": {"disable_mcp": true}}'
    config.write_text(text)
    (tmp_path / "a.py").write_text("graph = 5")
    with Served(config, tmp_path / "d") as served:
        assert "'ui' is not supported" in served.stderr()
        assert "'http.disable_mcp' is not supported" in served.stderr()
        client = get_client(url=served.url, api_key=None)
        with pytest.raises(Exception, match="found int"):
            await client.runs.wait(None, "a", input={})
