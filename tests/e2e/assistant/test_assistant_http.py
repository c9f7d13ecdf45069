"""The assistant over HTTP, as a client meets it: status codes, fields, events, clarifications, export, cache."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from running import Running

POLISH = "3f0b6c1e-8a52-4d7b-9c46-e1d7a25f9083"
ENGLISH = "6f1d0c52-8a3e-4b7f-9c45-2e9b71d4a8e3"
BASE = f"/api/campaigns/{POLISH}/assistant"
FIELDS = {
    "responseType",
    "errorType",
    "textResponse",
    "graphData",
    "sources",
    "executedActions",
    "debugInfo",
    "threadId",
}
NODE = {"id", "name", "type", "description", "campaignUuid", "noteIds"}
EDGE = {"id", "source", "target", "label", "description", "reasoning", "noteIds"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": "  \n"}, "query"),
        ({"query": "a" * 501}, "query"),
        ({"query": 7}, "query"),
        ({"query": None}, "query"),
        ({}, "query"),
        ({"query": "Kim jest Adam?", "colour": "red"}, "colour"),
        ({"query": "Kim jest Adam?", "threadId": 7}, "threadId"),
    ],
)
@pytest.mark.parametrize("path", ["/query", "/query/stream"])
def test_a_bad_body_is_a_422_that_names_the_field(
    samples_server: Running, path: str, body: dict[str, Any], field: str
):
    reply = samples_server.http("POST", BASE + path, body)
    assert reply.status_code == 422
    assert reply.json()["detail"][0]["loc"] == ["body", field]
    assert reply.json()["detail"][0]["msg"]


@pytest.mark.parametrize("campaign", ["00000000-0000-4000-8000-000000000000", "nope", "%00", "a" * 300])
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/query", {"query": "Kim jest Adam?"}),
        ("POST", "/query/stream", {"query": "Kim jest Adam?"}),
        ("POST", "/answer", {"threadId": "t", "interruptId": "i", "answer": 1}),
        ("GET", "/cache", None),
        ("GET", "/threads/00000000-0000-4000-8000-000000000000/export", None),
    ],
)
def test_an_unknown_campaign_is_a_404(
    samples_server: Running, campaign: str, method: str, path: str, body: Any
):
    reply = samples_server.http(method, f"/api/campaigns/{campaign}/assistant{path}", body)
    assert reply.status_code == 404
    assert reply.json()["detail"]


def test_an_answer_has_exactly_its_fields(samples_server: Running):
    answer = samples_server.ask(POLISH, "Jakie są relacje Adama?")
    assert answer.keys() == FIELDS
    assert answer["responseType"] == "text_and_graph"
    assert answer["errorType"] is None
    assert answer["debugInfo"] is None
    assert answer["graphData"].keys() == {"nodes", "edges"}
    assert all(node.keys() == NODE for node in answer["graphData"]["nodes"])
    assert all(edge.keys() == EDGE for edge in answer["graphData"]["edges"])
    assert {n["campaignUuid"] for n in answer["graphData"]["nodes"]} == {POLISH}
    ids = {n["id"] for n in answer["graphData"]["nodes"]}
    assert all(e["source"] in ids and e["target"] in ids for e in answer["graphData"]["edges"])
    notes = {n["id"]: n["title"] for n in samples_server.get(f"/api/campaigns/{POLISH}/notes")}
    assert answer["sources"]
    for source in answer["sources"]:
        assert source == {"noteId": source["noteId"], "noteTitle": notes[source["noteId"]]}
        assert f"[Notatka: {source['noteTitle']}]" in answer["textResponse"]
    assert len(answer["textResponse"].split()) <= 330


def test_a_declined_question_has_its_type(samples_server: Running):
    answer = samples_server.ask(ENGLISH, "How do I bake a chocolate cake?")
    assert (answer["responseType"], answer["errorType"]) == ("out_of_scope", "out_of_scope")
    assert answer.keys() == FIELDS


def events(server: Running, question: str, **more: Any) -> Iterator[tuple[str, Any]]:
    body = {"query": question, **more}
    with (
        httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client,
        client.stream("POST", BASE + "/query/stream", json=body) as reply,
    ):
        assert reply.headers["content-type"].startswith("text/event-stream")
        name = ""
        for line in reply.iter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                yield name, json.loads(line[6:])


def test_the_stream_brings_text_before_the_answer_and_ends_with_it(samples_server: Running):
    seen = list(events(samples_server, "Co wydarzyło się na balu?"))
    names = [name for name, _ in seen]
    assert names[0] == "start"
    assert names[1] == "text"
    assert names.count("answer") == 1
    assert names[-1] == "answer"
    text = "".join(data["text"] for name, data in seen if name == "text")
    answer = seen[-1][1]
    assert text.strip() == answer["textResponse"].strip()
    assert answer.keys() == FIELDS


def test_a_repeated_question_streams_its_kept_answer(samples_server: Running):
    question = "Kto rządzi w mieście?"
    first, second = list(events(samples_server, question)), list(events(samples_server, question))
    assert second[-1][0] in ("answer", "clarification")
    assert second[-1][1]["textResponse"] == first[-1][1]["textResponse"]


def test_a_vague_question_streams_a_clarification(samples_server: Running):
    (name, data) = list(events(samples_server, "Opowiedz coś"))[-1]
    assert name == "clarification"
    assert data["clarification"]["options"]


def test_a_clarification_has_a_handle_and_its_answer_continues_the_same_run(samples_server: Running):
    asked = samples_server.ask(POLISH, "Opowiedz coś")
    assert asked["responseType"] == "clarification_needed"
    handle = asked["clarification"]
    assert handle.keys() == {"threadId", "interruptId", "message", "options", "answerUrl"}
    assert handle["answerUrl"] == f"{BASE}/answer"
    assert handle["threadId"] == asked["threadId"]
    assert "1. " + handle["options"][0] in asked["textResponse"]
    body = {"threadId": handle["threadId"], "interruptId": handle["interruptId"]}

    bad = samples_server.http("POST", handle["answerUrl"], {**body, "answer": 99})
    assert bad.status_code == 422
    assert bad.json()["detail"][0]["loc"] == ["body", "answer"]
    for wrong in ("", None, "x" * 501, {}, True):
        assert samples_server.http("POST", handle["answerUrl"], {**body, "answer": wrong}).status_code == 422
    state = samples_server.get(f"/threads/{handle['threadId']}/state")
    waiting = [i["id"] for task in state["tasks"] for i in task["interrupts"]]
    assert waiting == [handle["interruptId"]], "a bad answer leaves the pause open"

    good = samples_server.http("POST", handle["answerUrl"], {**body, "answer": 1})
    assert good.status_code == 200
    assert good.json().keys() == FIELDS
    assert good.json()["textResponse"]
    assert good.json()["threadId"] == handle["threadId"]

    again = samples_server.http("POST", handle["answerUrl"], {**body, "answer": 1})
    assert again.status_code == 409
    assert handle["interruptId"] in again.json()["detail"]


@pytest.mark.parametrize(("campaign", "vague"), [(POLISH, "Opowiedz coś"), (ENGLISH, "Tell me something")])
def test_every_suggestion_of_a_clarification_leads_to_a_cited_answer(
    samples_server: Running, campaign: str, vague: str
):
    for number in range(1, 1 + len(samples_server.ask(campaign, vague)["clarification"]["options"])):
        handle = samples_server.ask(campaign, vague)["clarification"]
        body = {"threadId": handle["threadId"], "interruptId": handle["interruptId"], "answer": number}
        answer = samples_server.http("POST", handle["answerUrl"], body).json()
        assert answer["responseType"] in ("text", "text_and_graph"), handle["options"][number - 1]
        assert answer["sources"]


def test_two_answers_at_once_are_one_answer(samples_server: Running):
    handle = samples_server.ask(POLISH, "Opowiedz coś")["clarification"]
    body = {"threadId": handle["threadId"], "interruptId": handle["interruptId"], "answer": 1}
    with ThreadPoolExecutor(4) as pool:
        replies = list(
            pool.map(lambda _: samples_server.http("POST", handle["answerUrl"], body).status_code, range(4))
        )
    assert replies.count(200) >= 1
    assert set(replies) <= {200, 409}
    runs = samples_server.get(f"/threads/{handle['threadId']}/runs")
    history = samples_server.get(f"/threads/{handle['threadId']}/state")["values"]["history"]
    assert len(history) == 1, runs


@pytest.mark.parametrize(
    "body",
    [
        {"threadId": "00000000-0000-4000-8000-000000000000", "interruptId": "i", "answer": 1},
        {"threadId": "no uuid", "interruptId": "i", "answer": 1},
    ],
)
def test_an_answer_to_nothing_is_refused(samples_server: Running, body: dict[str, Any]):
    reply = samples_server.http("POST", BASE + "/answer", body)
    assert reply.status_code in (404, 409, 422)
    assert reply.json()["detail"]


def test_an_answer_without_its_fields_is_a_422(samples_server: Running):
    reply = samples_server.http("POST", BASE + "/answer", {"answer": 1})
    assert reply.status_code == 422
    assert {tuple(e["loc"]) for e in reply.json()["detail"]} == {
        ("body", "threadId"),
        ("body", "interruptId"),
    }


@pytest.mark.parametrize("thread", ["no uuid", "00000000-0000-4000-8000-00000000dead"])
def test_a_conversation_that_does_not_exist_is_not_a_server_error(samples_server: Running, thread: str):
    reply = samples_server.http("POST", BASE + "/query", {"query": "Kim jest Adam?", "threadId": thread})
    assert 400 <= reply.status_code < 500, reply.text
    export = samples_server.http("GET", f"{BASE}/threads/{thread}/export")
    assert 400 <= export.status_code < 500, export.text


def test_a_conversation_is_followed_up_and_exported(samples_server: Running):
    first = samples_server.ask(ENGLISH, "Who is Mara Quill?")
    second = samples_server.ask(ENGLISH, "And who are her friends?", threadId=first["threadId"])
    assert second["threadId"] == first["threadId"]
    assert "Mara Quill" in {n["name"] for n in second["graphData"]["nodes"]}
    path = f"/api/campaigns/{ENGLISH}/assistant/threads/{first['threadId']}/export"
    reply = samples_server.http("GET", path)
    assert reply.headers["content-type"].startswith("text/markdown")
    lines = reply.text.splitlines()
    assert lines[0] == "# The Long Ebb"
    assert [line for line in lines if line.startswith("## ")] == [
        "## Who is Mara Quill?",
        "## And who are her friends?",
    ]
    assert first["textResponse"] in reply.text
    assert second["textResponse"] in reply.text


def test_a_conversation_on_another_campaign_is_unknown(samples_server: Running):
    theirs = samples_server.ask(ENGLISH, "Who is Mara Quill?")["threadId"]
    asked = {"query": "Kim ona jest?", "threadId": theirs}
    assert samples_server.http("POST", BASE + "/query", asked).status_code == 404
    assert samples_server.http("POST", BASE + "/query/stream", asked).status_code == 404
    assert samples_server.http("GET", f"{BASE}/threads/{theirs}/export").status_code == 404
    handle = samples_server.ask(ENGLISH, "Tell me something")["clarification"]
    body = {"threadId": handle["threadId"], "interruptId": handle["interruptId"], "answer": 1}
    assert samples_server.http("POST", BASE + "/answer", body).status_code == 404
    assert samples_server.http("POST", handle["answerUrl"], body).status_code == 200


def test_a_new_question_while_one_is_asked_back_is_a_409_that_keeps_the_pause(samples_server: Running):
    handle = samples_server.ask(POLISH, "Opowiedz coś")["clarification"]
    asked = {"query": "Kim jest Adam?", "threadId": handle["threadId"]}
    for path in ("/query", "/query/stream"):
        refused = samples_server.http("POST", BASE + path, asked)
        assert refused.status_code == 409
        assert refused.json()["detail"]
    body = {"threadId": handle["threadId"], "interruptId": handle["interruptId"], "answer": 2}
    assert samples_server.http("POST", handle["answerUrl"], body).status_code == 200


def test_the_cache_tells_its_hits(samples_server: Running):
    question = "Kim jest Ludmiła?"
    before = samples_server.get(BASE + "/cache")
    assert before.keys() == {"hits", "misses", "hitRate"}
    first, second = samples_server.ask(POLISH, question), samples_server.ask(POLISH, question)
    after = samples_server.get(BASE + "/cache")
    if first["responseType"] != "clarification_needed":
        assert {**first, "threadId": ""} == {**second, "threadId": ""}
        assert after["hits"] == before["hits"] + 1
        assert 0 < after["hitRate"] <= 1


def test_20_questions_at_once_are_all_answered(samples_server: Running):
    questions = [
        *("Jakie są relacje Adama?", "Co wydarzyło się na balu?", "Kto mieszka w Sowiej Wsi?"),
        *("Od czego zaczął się pożar w Sowiej Wsi?", "Opowiedz coś", "Jaka będzie jutro pogoda?"),
    ]
    asked = [f"{questions[n % len(questions)]}{' ' * (n % 2)}{'?' * (n // 6)}" for n in range(20)]
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda q: samples_server.ask(POLISH, q), asked))
    assert [a for a in answers if a["responseType"] == "error" or not a["textResponse"]] == []
    assert len({a["threadId"] for a in answers}) == 20
