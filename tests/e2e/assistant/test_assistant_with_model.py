"""The whole server with a configured chat model: an OpenAI-compatible one on loopback that does what it is told."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx
import pytest
from model_servers import ModelServer, Reply, completion, failure, model_server, stream
from running import Running
from tiny_campaigns import TINY

Serve = Callable[..., Running]
NODE = "Latarnia_nad_Wirem_7c1e0000_Artifact"
PLAN = json.dumps(
    {
        "action": "search_artifacts_then_graph",
        "reasoning": "it names Adam",
        "parameters": {"artifact_search_query": "Adam Kruk", "expected_cypher_scope": "relationships"},
    }
)
QUERY = json.dumps(
    {
        "reasoning": "one hop",
        "cypher_query": f"MATCH (a:{NODE} {{id: $artifactId}})-[r]-(b:{NODE}) RETURN a, r, b",
    }
)
TEXT = ("Adam uratował ", "Martę Solską. ", "[Notatka: Sesja 2: Pożar latarni]")


def skilled(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Plans, writes the query and answers, by the schema that is asked for."""
    wanted = body.get("response_format", {}).get("json_schema", {}).get("name")
    reply: Reply = {"PlanDraft": completion(PLAN), "CypherDraft": completion(QUERY)}.get(
        wanted, stream(*TEXT)
    )
    reply(handler, body)


def test_a_model_that_cannot_be_is_said_at_the_start(tiny_server: Serve):
    with pytest.raises(AssertionError, match="known are openai, ollama and python"):
        tiny_server(PAUSEPOINT_MODEL="nobody:x")


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with model_server(skilled) as running:
        yield running


@pytest.fixture(scope="module")
def server(tiny_server: Serve, model: ModelServer) -> Running:
    return tiny_server(
        PAUSEPOINT_MODEL="openai:x",
        PAUSEPOINT_MODEL_BASE_URL=model.url,
        PAUSEPOINT_MODEL_API_KEY="k-1",
        PAUSEPOINT_MODEL_RETRIES="0",
    )


def test_the_server_answers_with_the_model_and_streams_its_words(server: Running, model: ModelServer):
    path, events, name = f"/api/campaigns/{TINY}/assistant/query/stream", [], ""
    with (
        httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client,
        client.stream("POST", path, json={"query": "Jakie są relacje Adama?"}) as reply,
    ):
        for line in reply.iter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                events.append((name, json.loads(line[6:])))
    assert [data["text"] for name, data in events if name == "text"] == list(TEXT)
    answer = events[-1][1]
    assert answer["textResponse"] == "".join(TEXT)
    assert {n["name"] for n in answer["graphData"]["nodes"]} >= {"Adam Kruk", "Marta Solska"}
    assert model.keys == ["Bearer k-1"] * 3


def test_ask_prints_the_models_words_and_no_secret(server: Running):
    printed = server.command("ask", "Jakie są relacje Adama Kruka?", "-c", "latarnia")
    assert printed.returncode == 0, printed.stderr
    assert "".join(TEXT) in printed.stdout
    assert "k-1" not in printed.stdout + printed.stderr


def test_a_model_that_is_down_leaves_the_offline_answer(server: Running, model: ModelServer):
    model.replies[:] = [failure(503)]
    try:
        answer = server.ask(TINY, "Co łączy Adama i Martę Solską?")
    finally:
        model.replies[:] = [skilled]
    assert answer["responseType"] == "text_and_graph"
    assert "Bez modelu językowego" in answer["textResponse"]
