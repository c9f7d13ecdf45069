"""Who answers: authenticated, on record, and only where they may."""

import json
from pathlib import Path

import httpx
import pytest
from pause_pictures import png
from server_process import Served

SECURED = Path(__file__).parent / "secured"


@pytest.fixture(scope="module")
def secured(tmp_path_factory):
    place = tmp_path_factory.mktemp("secured")
    with Served(SECURED / "langgraph.json", place / "data", env={"OUTSIDE": str(place)}) as found:
        yield found


@pytest.fixture
def person(secured):
    def called(name):
        return httpx.AsyncClient(
            base_url=secured.url, headers={"Authorization": f"Bearer {name}"}, timeout=30
        )

    return called


async def paused(http, graph="who"):
    thread = (await http.post("/threads", json={})).json()["thread_id"]
    body = {"assistant_id": graph, "input": {}}
    found = (await http.post(f"/threads/{thread}/runs/wait", json=body)).json()
    return thread, found["__interrupt__"][0]["id"]


async def test_the_boss_answers_and_the_run_goes_on_as_its_owner(person):
    async with person("ada") as ada, person("boss") as boss, person("eve") as eve:
        thread, _ = await paused(ada)
        assert (await eve.get("/inbox")).json()["items"] == []
        [pause] = (await boss.get("/inbox", params={"thread_id": thread})).json()["items"]
        place = f"/inbox/{pause['pause_id']}"
        assert (await eve.get(place)).status_code == 404
        assert (await eve.post(f"{place}/answer", json={"answer": "yes"})).status_code == 404
        assert (await eve.post(f"{place}/assign", json={"assignee": "eve"})).status_code == 404
        assert (await eve.post(f"{place}/cancel", json={})).status_code == 404
        done = (await boss.post(f"{place}/answer", json={"answer": "yes", "wait": True})).json()
        assert (done["answered_by"], done["outcome"]["runs_as"]) == ("boss", "ada")
        [entry] = (await ada.get(f"{place}/history")).json()
        assert entry["actor"] == {"identity": "boss", "kind": "user"}
        late = await ada.post(f"{place}/answer", json={"answer": "no"})
        assert (late.status_code, late.json()["receipt"]["answered_by"]) == (409, "boss")


async def test_an_id_of_somebody_elses_thread_tells_nothing(person):
    async with person("ada") as ada, person("eve") as eve:
        _, secret = await paused(ada)
        thread, _ = await paused(eve)
        body = {"assistant_id": "who", "command": {"resume": {secret: "yes"}}}
        told = await eve.post(f"/threads/{thread}/runs", json=body)
        assert told.status_code == 409
        assert "receipt" not in told.json()


async def test_keys_of_two_people_are_not_mixed_up(person):
    async with person("ada") as ada, person("eve") as eve:
        for one in (ada, eve):
            thread, asked = await paused(one)
            body = {"assistant_id": "who", "command": {"resume": {asked: "yes"}}}
            done = await one.post(f"/threads/{thread}/runs", json=body, headers={"Idempotency-Key": "1"})
            assert done.json()["thread_id"] == thread


async def test_attachments_belong_to_people(person):
    async with person("ada") as ada, person("eve") as eve, person("boss") as boss:
        sent = await ada.post("/attachments", content=png(), headers={"Content-Type": "image/png"})
        key = sent.json()["attachment_id"]
        assert (await eve.get(f"/attachments/{key}")).status_code == 404
        assert (await eve.delete(f"/attachments/{key}")).status_code == 404
        thread, asked = await paused(eve, "photo")
        body = {"assistant_id": "photo", "command": {"resume": {asked: {"photo": key}}}}
        assert (await eve.post(f"/threads/{thread}/runs", json=body)).status_code == 422
        assert (await boss.get(f"/attachments/{key}/content")).status_code == 404
        thread, asked = await paused(ada, "photo")
        body["command"]["resume"] = {asked: {"photo": key}}
        assert (await ada.post(f"/threads/{thread}/runs/wait", json=body)).status_code == 200
        assert (await boss.get(f"/attachments/{key}/content")).content == png()
        assert (await eve.get(f"/attachments/{key}/content")).status_code == 404


async def test_the_feed_shows_only_ones_own(person):
    async with person("ada") as ada, person("eve") as eve:
        hidden, _ = await paused(ada)
        thread, _ = await paused(eve)
        async with eve.stream("GET", "/inbox/stream", headers={"Last-Event-ID": "0"}) as stream:
            async for line in stream.aiter_lines():
                if line.startswith("data:"):
                    told = json.loads(line[5:])
                    assert told["thread_id"] != hidden
                    if told["thread_id"] == thread:
                        break
