"""The same langgraph.json under the stock `langgraph dev`, as Studio's users run it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from tiny_campaigns import TINY

ASK = f"/api/campaigns/{TINY}/assistant/query"
ANSWER = f"/api/campaigns/{TINY}/assistant/answer"
FRESH = {"use_cache": False}


def asking(question: str) -> dict[str, Any]:
    return {"question": question, "campaign": "Latarnia nad Wirem"}


@pytest.fixture
async def client(stock) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=stock.url, api_key=None) as found:
        yield found


@pytest.fixture
async def http(stock) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=stock.url, timeout=60, trust_env=False) as found:
        yield found


@pytest.fixture
async def thread(client) -> str:
    return (await client.threads.create())["thread_id"]


async def test_studio_gets_a_form_options_and_a_drawing(client):
    assistants = await client.assistants.search(graph_id="assistant")
    assert [a["name"] for a in assistants] == ["assistant"]
    key = assistants[0]["assistant_id"]
    schemas = await client.assistants.get_schemas(key)
    assert set(schemas["input_schema"]["properties"]) == {"question", "campaign"}
    assert set(schemas["output_schema"]["properties"]) == {"answer"}
    assert {"campaign", "debug", "use_cache"} <= set(schemas["context_schema"]["properties"])
    drawing = await client.assistants.get_graph(key, xray=True)
    assert {"plan", "clarify", "retrieve", "run_cypher", "synthesize"} <= {n["id"] for n in drawing["nodes"]}
    assert any(edge["conditional"] for edge in drawing["edges"] if edge["source"] == "plan")


async def test_a_question_is_answered_with_sources_as_it_is_written(client, thread):
    text, steps, values = "", [], {}
    async for part in client.runs.stream(
        thread,
        "assistant",
        input=asking("Jakie są relacje Adama?"),
        context=FRESH,
        stream_mode=["custom", "updates", "values"],
    ):
        assert part.event != "error", part.data
        if part.event == "updates":
            steps += list(part.data)
        elif part.event == "custom" and part.data["type"] == "text":
            text += part.data["text"]
        elif part.event == "values":
            values = part.data
    assert steps[:3] == ["prepare", "plan", "retrieve"]
    assert values["answer"]["responseType"] == "text_and_graph"
    assert "Sesja 2: Pożar latarni" in [s["noteTitle"] for s in values["answer"]["sources"]]
    assert text.strip().startswith(values["answer"]["textResponse"][:40])


async def test_a_clarification_pauses_and_its_answer_goes_on(client, thread):
    paused = await client.runs.wait(thread, "assistant", input=asking("Kim jest Marta?"), context=FRESH)
    question = paused["__interrupt__"][0]
    assert any("Wilk" in option for option in question["value"]["options"])
    assert (await client.threads.get(thread))["status"] == "interrupted"
    choice = next(o for o in question["value"]["options"] if "Wilk" in o)
    done = await client.runs.wait(thread, "assistant", command={"resume": {question["id"]: choice}})
    assert "Wilk" in done["answer"]["textResponse"]
    state = await client.threads.get_state(thread)
    assert [turn["question"] for turn in state["values"]["history"]] == ["Kim jest Marta?"]


async def test_the_rest_routes_run_on_the_server_they_are_in(client, http):
    reply = await http.post(ASK, json={"query": "Kim jest Marta?"})
    assert reply.status_code == 200, reply.text
    handle = reply.json()["clarification"]
    known = await client.threads.get(handle["threadId"])
    assert known["status"] == "interrupted"
    body = {"threadId": handle["threadId"], "interruptId": handle["interruptId"]}
    refused = await http.post(ANSWER, json={**body, "answer": 99})
    assert refused.status_code == 422
    done = await http.post(ANSWER, json={**body, "answer": 1})
    assert done.status_code == 200, done.text
    assert done.json()["sources"]
    again = await http.post(ANSWER, json={**body, "answer": 1})
    assert again.status_code == 409


async def test_the_rest_stream_ends_with_the_answer(http):
    reply = await http.post(f"{ASK}/stream", json={"query": "Kto podpalił latarnię?"})
    assert reply.status_code == 200, reply.text
    events = [line[7:] for line in reply.text.splitlines() if line.startswith("event: ")]
    assert events[-1] == "answer"
    assert "Bruno" in reply.text


async def test_many_questions_at_once(client):
    async def ask(number: int) -> str:
        # On threads of their own: stateless runs at once trip over a race of that server's thread deletion.
        thread = (await client.threads.create())["thread_id"]
        question = asking(f"Kto podpalił latarnię, pytanie {number}?")
        values = await client.runs.wait(thread, "assistant", input=question, context=FRESH)
        return values["answer"]["textResponse"]

    answers = await asyncio.gather(*(ask(number) for number in range(12)))
    assert all("Bruno" in answer for answer in answers)


async def test_only_studios_page_may_reach_into_this_machine(http):
    wanted = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Private-Network": "true"}
    path = "/assistants/search"
    studio = await http.options(path, headers={"Origin": "https://smith.langchain.com", **wanted})
    assert studio.status_code == 200
    assert studio.headers["access-control-allow-private-network"] == "true"
    other = await http.options(path, headers={"Origin": "https://evil.example", **wanted})
    assert other.status_code == 400
    assert "access-control-allow-origin" not in other.headers
