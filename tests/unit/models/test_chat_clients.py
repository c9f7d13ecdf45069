"""The real chat clients against small servers that behave, stumble, break off and talk nonsense."""

import threading
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from model_servers import Reply, chunk, completion, failure, hang_up, model_server, ollama_reply, send, stream
from pydantic import BaseModel, SecretStr

from pausepoint.models.chat import UnknownModel, open_chat_model
from pausepoint.models.task import ModelOptions, Task, run_task
from pausepoint.settings import Settings

QUICK = ModelOptions(retries=2, delay=0.0, timeout=10.0)


class Verdict(BaseModel):
    """A task's value."""

    verdict: str
    score: int = 0


def plain_task(**more: Any) -> Task[str, Verdict]:
    return Task(
        name="verdict",
        output=Verdict,
        system="Judge {{what}}.",
        user="{{what}}?",
        variables=lambda what: {"what": what},
        offline=lambda what: Verdict(verdict=f"offline {what}"),
        **more,
    )


def openai(url: str, **more: Any) -> Any:
    settings = Settings(model="openai:x", model_base_url=url, **more)
    return open_chat_model(settings)


async def test_json_is_asked_for_by_schema_and_tokens_are_counted():
    with model_server(completion('{"verdict": "good", "score": 3}')) as server:
        result = await run_task(plain_task(), "tea", openai(server.url, model_api_key=SecretStr("k1")), QUICK)
    assert result.value == Verdict(verdict="good", score=3)
    assert (result.model, result.input_tokens, result.output_tokens) == ("x", 11, 5)
    (body,) = server.bodies
    wanted = body["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["schema"]["properties"].keys() == {"verdict", "score"}
    assert [m["content"] for m in body["messages"]] == ["Judge tea.", "tea?"]
    assert server.paths == ["/v1/chat/completions"]
    assert server.keys == ["Bearer k1"]


async def test_text_streams_piece_by_piece():
    pieces: list[str | None] = []
    with model_server(stream("Dob", "ra ", "herbata.")) as server:
        result = await run_task(
            plain_task(text_field="verdict"), "tea", openai(server.url), QUICK, pieces.append
        )
    assert result.value.verdict == "Dobra herbata."
    assert pieces == [None, "Dob", "ra ", "herbata."]
    assert (result.input_tokens, result.output_tokens) == (7, 3)
    assert server.bodies[0]["stream"] is True


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_server_is_tried_again(status: int):
    with model_server(failure(status), completion('{"verdict": "good"}')) as server:
        result = await run_task(plain_task(), "tea", openai(server.url), QUICK)
    assert result.value.verdict == "good"
    assert len(server.bodies) == 2, "the client's own retries are off: each try is one request"
    assert "slow down" in result.failures[0]


async def test_a_server_that_stays_busy_leaves_the_offline_answer():
    with model_server(failure(429)) as server:
        result = await run_task(plain_task(), "tea", openai(server.url), QUICK)
    assert (result.value.verdict, result.model) == ("offline tea", "offline")
    assert len(server.bodies) == 3


async def test_a_stream_that_breaks_off_is_tried_again_from_its_start():
    pieces: list[str | None] = []
    with model_server(stream("Dobra her", finish=None), stream("Dobra herbata.")) as server:
        result = await run_task(
            plain_task(text_field="verdict"), "tea", openai(server.url), QUICK, pieces.append
        )
    assert result.value.verdict == "Dobra herbata."
    assert pieces == [None, "Dobra her", None, "Dobra herbata."]
    assert server.bodies[0]["messages"] == server.bodies[1]["messages"], "it was no fault of the answer"


async def test_an_answer_cut_at_its_length_is_asked_for_again_with_the_reason():
    with model_server(stream("Dobra her", finish="length"), stream("Dobra.")) as server:
        result = await run_task(plain_task(text_field="verdict"), "tea", openai(server.url), QUICK)
    assert result.value.verdict == "Dobra."
    assert "cut off" in server.bodies[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "garbage",
    [
        lambda h, _: send(h, 200, b"<html>It works!</html>", "text/html"),
        lambda h, _: send(h, 200, b'{"choices": []}'),
        lambda h, _: send(h, 200, b"null"),
        lambda h, _: send(h, 200, b"{"),
        lambda h, _: send(h, 200, b"\xff\xfe\x00"),
        lambda h, _: send(h, 401, b'{"error": {"message": "bad key"}}'),
        lambda h, _: send(h, 404, b"not here"),
        hang_up,
        completion("no JSON at all"),
        completion('{"verdict": 7}'),
        completion('{"score": "many"}'),
    ],
)
async def test_garbage_never_fails_a_task(garbage: Reply):
    with model_server(garbage) as server:
        result = await run_task(plain_task(), "tea", openai(server.url), QUICK)
    assert result.value.verdict == "offline tea"
    assert len(result.failures) == 3
    assert all(result.failures)


@pytest.mark.parametrize(
    "garbage",
    [
        lambda h, _: send(h, 200, b"data: {not json}\n\n", "text/event-stream"),
        lambda h, _: send(h, 200, b"data: [DONE]\n\n", "text/event-stream"),
        lambda h, _: send(h, 200, b"", "text/event-stream"),
        lambda h, _: send(
            h, 200, chunk("a") + b'data: {"error": {"message": "overloaded"}}\n\n', "text/event-stream"
        ),
        hang_up,
        stream("   "),
    ],
)
async def test_a_garbled_stream_never_fails_a_task(garbage: Reply):
    with model_server(garbage) as server:
        result = await run_task(plain_task(text_field="verdict"), "tea", openai(server.url), QUICK)
    assert result.value.verdict == "offline tea"
    assert len(result.failures) == 3


async def test_a_server_that_never_answers_is_given_up():
    release = threading.Event()

    def silent(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        release.wait(20)
        handler.close_connection = True

    with model_server(silent) as server:
        options = ModelOptions(retries=0, delay=0.0, timeout=0.3)
        result = await run_task(plain_task(), "tea", openai(server.url), options)
        release.set()
    assert result.value.verdict == "offline tea"
    assert "Timeout" in result.failures[0]


async def test_nobody_listening_is_an_offline_answer():
    result = await run_task(plain_task(), "tea", openai("http://127.0.0.1:9/v1"), QUICK)
    assert result.value.verdict == "offline tea"


def ollama(url: str) -> Any:
    return open_chat_model(Settings(model="ollama:y:7b", model_base_url=url.removesuffix("/v1")))


async def test_ollama_gets_the_schema_and_its_tokens_are_counted():
    with model_server(ollama_reply('{"verdict": ', '"good"}')) as server:
        result = await run_task(plain_task(), "tea", ollama(server.url), QUICK)
    assert result.value.verdict == "good"
    assert (result.model, result.input_tokens, result.output_tokens) == ("y:7b", 9, 4)
    assert server.bodies[0]["format"]["properties"].keys() == {"verdict", "score"}
    assert server.paths == ["/api/chat"]


async def test_ollama_streams_and_a_broken_stream_is_tried_again():
    with model_server(ollama_reply("Dob", done=False), ollama_reply("Dobra", ".")) as server:
        result = await run_task(plain_task(text_field="verdict"), "tea", ollama(server.url), QUICK)
    assert result.value.verdict == "Dobra."
    assert len(server.bodies) == 2


@pytest.mark.parametrize(
    ("name", "says"), [("gpt-4o", "provider:model"), ("openai:", "provider:model"), ("nobody:x", "nobody")]
)
def test_a_name_that_is_none_says_what_is_right(name: str, says: str):
    with pytest.raises(UnknownModel, match=says):
        open_chat_model(Settings(model=name))


def test_no_model_is_offline():
    assert open_chat_model(Settings(model="")) is None


def test_a_model_of_ones_own_is_made_by_its_factory():
    made = open_chat_model(Settings(model="python:pausepoint.models.scripted:ScriptedChatModel"))
    assert made is not None
    assert made._llm_type == "scripted"


@pytest.mark.parametrize(
    "name", ["python:no.such.module:x", "python:pausepoint.models.scripted:nothing", "python:os"]
)
def test_a_factory_that_is_not_there_is_named(name: str):
    with pytest.raises(UnknownModel, match=name.partition(":")[2].partition(":")[0]):
        open_chat_model(Settings(model=name))
