"""Bodies that are refused before a campaign is looked for: the answer is always a 422 that can be read."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from api.app import app

QUERY = "/api/campaigns/any/assistant/query"


@pytest.fixture
def client() -> Iterator[TestClient]:
    """The app without its stores: nothing of this reaches them."""
    yield TestClient(app)


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b'{"query": "a \\ud800 half character"}', ["body", "query"]),
        (b'{"query": NaN}', ["body", "query"]),
        (b'{"query": {"deep": [Infinity, -Infinity]}}', ["body", "query"]),
        (b'{"query": "fine", "\\ud800": 1}', ["body"]),
        (b'{"query": "fine", "' + b"k" * 5000 + b'": 1}', ["body", "k" * 80]),
    ],
)
def test_what_has_no_form_in_json_is_a_422(client: TestClient, body: bytes, place: list[str]):
    response = client.post(QUERY, content=body, headers={"content-type": "application/json"})
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == place


def test_a_422_does_not_send_back_what_was_sent(client: TestClient):
    response = client.post(QUERY, json={"query": "x" * 1_000_000})
    assert response.status_code == 422
    assert "500 characters" in response.json()["detail"][0]["msg"]
    assert len(response.content) < 1000
