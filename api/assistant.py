"""Questions over REST: ask, answer a clarification, follow up, stream, export. Every question is a run of the server."""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import httpx
import orjson
from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import PlainTextResponse, StreamingResponse
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from pausepoint.campaigns.store import UnknownCampaign
from pausepoint.server.local import local_client
from pausepoint.services import get_services
from prompts.clarification import read_choice
from state.assistant import MAX_QUESTION, Answer, Option

router = APIRouter(prefix="/api/campaigns/{campaign_uuid}/assistant", tags=["assistant"])
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUESTION)]
GRAPH = "assistant"
_THREAD = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Query(BaseModel):
    """A question; `threadId` continues a conversation."""

    model_config = ConfigDict(extra="forbid")

    query: Text
    thread_id: str | None = Field(None, alias="threadId")


class Clarification(BaseModel):
    """A person's answer to a clarification."""

    model_config = ConfigDict(extra="forbid")

    thread_id: str = Field(alias="threadId")
    interrupt_id: str = Field(alias="interruptId")
    answer: Any = Field(description="The number of an option (from 1), its text, or a free text.")


@router.post("/query")
async def query(campaign_uuid: str, body: Query, request: Request) -> dict[str, Any]:
    """Ask. A clarification comes back with the handle to answer it."""
    campaign = await _campaign(campaign_uuid)
    client = _client(request)
    asked = {"question": body.query, "campaign": campaign}
    async with _refusals():
        thread = await _conversation(client, body.thread_id, campaign)
        values = await client.runs.wait(thread, GRAPH, input=asked, raise_error=False)
    return _shown(values, thread, campaign)


@router.post("/query/stream")
async def stream(campaign_uuid: str, body: Query, request: Request) -> StreamingResponse:
    """Ask and read the answer as it is written: events `text`, then `answer` or `clarification`, or `error`."""
    campaign = await _campaign(campaign_uuid)
    client = _client(request)
    asked = {"question": body.query, "campaign": campaign}
    async with _refusals():
        thread = await _conversation(client, body.thread_id, campaign)
        parts = client.runs.stream(thread, GRAPH, input=asked, stream_mode=["custom", "values"])
        first = await anext(parts)  # a run that is refused has a status of its own, not a stream
    events = _events(first, parts, thread, campaign)
    return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


@router.post("/answer")
async def answer(campaign_uuid: str, body: Clarification, request: Request) -> dict[str, Any]:
    """Answer a clarification; the same run goes on. A bad answer is a 422 and the pause stays."""
    campaign = await _campaign(campaign_uuid)
    client = _client(request)
    async with _refusals():
        pending = _pending(await _state(client, body.thread_id, campaign))
    if body.interrupt_id not in pending:
        raise HTTPException(
            409,
            f"Interrupt {body.interrupt_id!r} of thread {body.thread_id!r} waits for no answer: it was answered already.",
        )
    asked = pending[body.interrupt_id]
    problem = read_choice(body.answer, _options(asked), asked.get("language", "en"))
    if isinstance(problem, str):
        raise HTTPException(422, [{"loc": ["body", "answer"], "msg": problem, "type": "value_error"}])
    async with _refusals():
        values = await client.runs.wait(
            body.thread_id, GRAPH, command={"resume": {body.interrupt_id: body.answer}}, raise_error=False
        )
    return _shown(values, body.thread_id, campaign)


@router.get("/threads/{thread_id}/export")
async def export(campaign_uuid: str, thread_id: str, request: Request) -> PlainTextResponse:
    """The conversation as Markdown."""
    view = await (await get_services()).view(await _campaign(campaign_uuid))
    async with _refusals():
        state = await _state(_client(request), thread_id, view.campaign.uuid)
    turns = (state["values"] or {}).get("history") or []
    parts = [f"# {view.campaign.name}", *(f"## {t['question']}\n\n{t['answer']}" for t in turns)]
    return PlainTextResponse("\n\n".join(parts) + "\n", media_type="text/markdown; charset=utf-8")


@router.get("/cache")
async def cache(campaign_uuid: str) -> dict[str, Any]:
    """How often questions were answered from the cache."""
    services = await get_services()
    counts = await services.cache.counts(await _campaign(campaign_uuid))
    return {"hits": counts.hits, "misses": counts.misses, "hitRate": round(counts.rate, 4)}


async def _campaign(uuid: str) -> str:
    try:
        return (await (await get_services()).campaigns.find(uuid)).uuid
    except UnknownCampaign as error:
        raise HTTPException(404, str(error)) from error


@asynccontextmanager
async def _refusals() -> AsyncGenerator[None]:
    """What the server refuses (an unknown thread, a thread that waits, a wrong answer) is refused in its words."""
    try:
        yield
    except (httpx.HTTPStatusError, APIStatusError) as error:
        try:
            detail = error.response.json()["detail"]
        except (ValueError, KeyError, TypeError, httpx.ResponseNotRead):
            detail = str(error)
        raise HTTPException(error.response.status_code, detail) from error


async def _conversation(client: Any, thread: str | None, campaign: str) -> str:
    """The thread to go on with, or a new one."""
    if thread:
        await _state(client, thread, campaign)
        return thread
    made = await client.threads.create(metadata={"campaign": campaign}, graph_id=GRAPH)
    return made["thread_id"]


async def _state(client: Any, thread: str, campaign: str) -> dict[str, Any]:
    """A thread's state; a conversation on another campaign is as unknown as one that does not exist."""
    if not _THREAD.fullmatch(thread):  # it becomes part of an address, where "../" would lead elsewhere
        raise HTTPException(404, f"There is no thread {thread[:80]!r}: a thread id is a UUID.")
    state = await client.threads.get_state(thread)
    if (state["values"] or {}).get("campaign", campaign) != campaign:
        raise HTTPException(404, f"Thread {thread!r} is no conversation on campaign {campaign!r}.")
    return state


def _pending(state: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Interrupt values by id."""
    found = (i for task in state["tasks"] for i in task.get("interrupts") or [])
    return {i["id"]: i["value"] for i in found}


def _options(envelope: dict[str, Any]) -> list[Option]:
    return [
        {"label": label, "artifact_id": None, "question": label} for label in envelope.get("options") or []
    ]


def _shown(values: Any, thread: str, campaign: str) -> dict[str, Any]:
    """The answer object; threadId is for follow-ups, clarification for what waits. A run that failed is a 500."""
    failure = values.get("__error__")
    if failure:
        raise HTTPException(500, f"The run failed: {failure.get('error')}: {failure.get('message')}")
    waiting = (values.get("__interrupt__") or [None])[0]
    if waiting is None:
        return {**values["answer"], "threadId": thread}
    envelope = waiting["value"]
    numbered = "\n".join(f"{n}. {text}" for n, text in enumerate(envelope["options"], 1))
    shown: Answer = {
        "responseType": "clarification_needed",
        "errorType": None,
        "textResponse": f"{envelope['message']}\n{numbered}",
        "graphData": None,
        "sources": [],
        "executedActions": ["planning"],
        "debugInfo": None,
    }
    handle = {
        "threadId": thread,
        "interruptId": waiting["id"],
        "message": envelope["message"],
        "options": envelope["options"],
        "answerUrl": f"/api/campaigns/{campaign}/assistant/answer",
    }
    return {**shown, "threadId": thread, "clarification": handle}


async def _events(first: Any, more: AsyncIterator[Any], thread: str, campaign: str) -> AsyncIterator[bytes]:
    values: dict[str, Any] = {}
    async for part in _all(first, more):
        if part.event == "custom" and part.data.get("type") == "text":
            yield _event("text", {"text": part.data["text"]})
        elif part.event == "custom" and part.data.get("type") == "text_start":
            yield _event("start", {})
        elif part.event == "values":
            values = {**values, **part.data}
        elif part.event == "error":
            yield _event("error", part.data)
            return
    shown = _shown(values, thread, campaign)
    yield _event("clarification" if "clarification" in shown else "answer", shown)


async def _all(first: Any, more: AsyncIterator[Any]) -> AsyncIterator[Any]:
    yield first
    async for part in more:
        yield part


def _event(name: str, data: Any) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"


def _client(request: Request) -> LangGraphClient:
    """A client of this server; the caller's own credentials go with it."""
    wanted = ("authorization", "x-api-key", "cookie")
    headers = {name: value for name in wanted if (value := request.headers.get(name))}
    return local_client(headers, request.scope)
