"""The campaign routes on real stores: what a client sends, what it gets, and that a faulty batch writes nothing."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from folders import write_campaign
from stores import everything, load, opened

from api import campaigns
from pausepoint.campaigns.folder import read_folder
from pausepoint.campaigns.load import load_into
from pausepoint.campaigns.remote import HttpTarget, ServerRefused
from pausepoint.services import Services

UUID = "0a1b2c3d-0000-4000-8000-000000000009"
BASE = f"/api/campaigns/{UUID}"


@pytest.fixture
async def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Services]:
    async with opened(tmp_path / "data") as services:

        async def get_services() -> Services:
            return services

        monkeypatch.setattr(campaigns, "get_services", get_services)
        yield services


@pytest.fixture
async def client(services: Services) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    app.include_router(campaigns.router)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


async def filled(client: httpx.AsyncClient) -> dict[str, Any]:
    made = await client.put(BASE, json={"name": "Nocna straż", "language": "pl"})
    assert made.status_code == 200, made.text
    notes = [{"id": "n1", "title": "Pierwsza", "content": "Adam zna Ewę.", "createdAt": "2024-05-01"}]
    assert (await client.post(f"{BASE}/notes", json=notes)).json() == {
        "added": 1,
        "changed": 0,
        "unchanged": 0,
    }
    people = [{"name": name, "type": "characters", "noteIds": ["n1"]} for name in ("Adam", "Ewa")]
    assert (await client.post(f"{BASE}/artifacts", json=people)).json()["added"] == 2
    knows = [{"source": "Adam", "target": "ewa", "label": "zna", "note_ids": ["n1"]}]
    assert (await client.post(f"{BASE}/relations", json=knows)).json()["added"] == 1
    return (await client.get(BASE)).json()


async def test_a_campaign_is_made_filled_read_and_removed(client: httpx.AsyncClient, services: Services):
    about = await filled(client)
    assert about["counts"] == {"notes": 1, "artifacts": 2, "relations": 1}
    assert [c["id"] for c in about["categories"]] == ["characters", "locations", "items", "events"]
    assert [c["uuid"] for c in (await client.get("/api/campaigns")).json()] == [UUID]
    (listed,) = (await client.get(f"{BASE}/notes")).json()
    assert "content" not in listed
    note = (await client.get(f"{BASE}/notes/{listed['id']}")).json()
    assert note == {**listed, "content": "Adam zna Ewę.", "createdAt": "2024-05-01T00:00:00Z"}
    assert (await client.get(f"{BASE}/notes/n1")).json() == note
    (relation,) = (await client.get(f"{BASE}/relations")).json()
    assert relation["noteIds"] == [note["id"]]
    assert (await client.delete(BASE)).status_code == 204
    assert (await client.get(BASE)).status_code == 404
    assert await everything(services) == {}


async def test_a_campaign_made_again_is_seen_as_it_is_now(client: httpx.AsyncClient, services: Services):
    await filled(client)
    assert len((await services.view(UUID)).artifacts) == 2
    await client.delete(BASE)
    await client.put(BASE, json={"name": "Nocna straż"})
    for name in ("Jan", "Ewa", "Ola"):
        await client.post(f"{BASE}/artifacts", json=[{"name": name, "type": "characters"}])
        assert name in {artifact.name for artifact in (await services.view(UUID)).artifacts.values()}


async def test_an_artifact_takes_its_relations_along(client: httpx.AsyncClient):
    await filled(client)
    assert (await client.delete(f"{BASE}/artifacts/Adam")).status_code == 204
    assert (await client.get(BASE)).json()["counts"] == {"notes": 1, "artifacts": 1, "relations": 0}
    assert (await client.delete(f"{BASE}/artifacts/Adam")).status_code == 404
    gone = await client.delete(f"{BASE}/notes", params={"id": ["n1", "unknown"]})
    assert gone.json() == {"removed": 1}


@pytest.mark.parametrize(
    ("kind", "items", "at"),
    [
        ("notes", [{"title": "ok", "content": "x"}, {"title": " ", "content": "x"}], [1, "title"]),
        ("notes", [{"title": "ok", "content": "x"}, {"title": "ok", "content": "y"}], [1, "id"]),
        ("notes", [{"title": "a", "content": "x", "colour": "red"}], [0, "colour"]),
        ("notes", [{"title": "a", "content": "x", "createdAt": "soon"}], [0, "createdAt"]),
        (
            "notes",
            [{"title": "a", "content": "x", "createdAt": "0001-01-01T00:00:00+05:00"}],
            [0, "createdAt"],
        ),
        ("notes", [{"id": "n2", "title": "\x00", "content": "\x00"}], [0, "title"]),
        ("artifacts", [{"name": "ok", "type": "items"}, {"name": "b"}], [1, "type"]),
        ("artifacts", [{"name": "b", "type": "items", "noteIds": ["nope"]}], [0, "noteIds"]),
        ("relations", [{"source": "Adam", "target": "Nobody", "label": "zna"}], [0, "target"]),
        ("relations", [{"source": "Adam", "target": "Ewa", "label": "x" * 121}], [0, "label"]),
        ("relations", [], []),
    ],
)
async def test_a_faulty_batch_names_item_and_field_and_writes_nothing(
    client: httpx.AsyncClient, services: Services, kind: str, items: list[Any], at: list[Any]
):
    await filled(client)
    before = await everything(services)
    refused = await client.post(f"{BASE}/{kind}", json=items)
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == ["body", *at]
    assert refused.json()["detail"][0]["msg"]
    assert await everything(services) == before


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/campaigns/nope", 404),
        ("GET", f"{BASE}/notes", 404),
        ("POST", f"{BASE}/notes", 404),
        ("DELETE", f"{BASE}/relations/x", 404),
        ("PUT", "/api/campaigns/nope", 422),
        ("GET", f"{BASE}/dragons/x", 422),
    ],
)
async def test_what_is_not_there_is_said(client: httpx.AsyncClient, method: str, path: str, status: int):
    body = [{"title": "a", "content": "b"}] if method == "POST" else {"name": "a"}
    reply = await client.request(method, path, json=body)
    assert reply.status_code == status
    assert reply.json()["detail"]


async def test_a_folder_loaded_over_http_is_the_same_as_one_loaded_here(
    client: httpx.AsyncClient, services: Services, tmp_path: Path
):
    source = read_folder(write_campaign(tmp_path / "campaign"))
    report = await load_into(source, HttpTarget(client, source.campaign.uuid))
    assert report.changes == 7
    over_http = await everything(services)
    assert (await load(services, tmp_path / "campaign")).changes == 0
    assert await everything(services) == over_http
    smaller = read_folder(write_campaign(tmp_path / "campaign", relations="[]"))
    report = await load_into(smaller, HttpTarget(client, source.campaign.uuid), prune=True)
    assert (report.kinds["relation"].removed, report.changes) == (2, 2)


async def test_a_server_that_is_gone_is_said(tmp_path: Path):
    source = read_folder(write_campaign(tmp_path / "campaign"))
    async with httpx.AsyncClient(base_url="http://127.0.0.1:9") as client:
        with pytest.raises(ServerRefused, match="cannot be reached"):
            await load_into(source, HttpTarget(client, source.campaign.uuid))
