"""Questions over REST: ask, answer a clarification, follow up, stream, export. Every question is a run of the server."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import PlainTextResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from pausepoint.campaigns.store import UnknownCampaign
from pausepoint.server.local import local_client
from pausepoint.services import get_services
from prompts.clarification import read_choice
from state.assistant import MAX_QUESTION, Answer, Option

router = APIRouter(prefix="/api/campaigns/{campaign_uuid}/assistant", tags=["assistant"])
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUESTION)]
GRAPH = "assistant"


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
    await _campaign(campaign_uuid)
    client = local_client(_headers(request))
    thread = body.thread_id or await _thread(client, campaign_uuid)
    values = await client.runs.wait(thread, GRAPH, input={"question": body.query, "campaign": campaign_uuid})
    return _shown(values, thread, campaign_uuid)


@router.post("/query/stream")
async def stream(campaign_uuid: str, body: Query, request: Request) -> StreamingResponse:
    """Ask and read the answer as it is written: events `text`, then `answer` or `clarification`, or `error`."""
    await _campaign(campaign_uuid)
    client = local_client(_headers(request))
    thread = body.thread_id or await _thread(client, campaign_uuid)
    events = _events(client, thread, {"question": body.query, "campaign": campaign_uuid}, campaign_uuid)
    return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


@router.post("/answer")
async def answer(campaign_uuid: str, body: Clarification, request: Request) -> dict[str, Any]:
    """Answer a clarification; the same run goes on. A bad answer is a 422 and the pause stays."""
    await _campaign(campaign_uuid)
    client = local_client(_headers(request))
    pending = await _pending(client, body.thread_id)
    if body.interrupt_id not in pending:
        raise HTTPException(
            409,
            f"Interrupt {body.interrupt_id!r} of thread {body.thread_id!r} waits for no answer: it was answered already.",
        )
    asked = pending[body.interrupt_id]
    problem = read_choice(body.answer, _options(asked), asked.get("language", "en"))
    if isinstance(problem, str):
        raise HTTPException(422, [{"loc": ["body", "answer"], "msg": problem, "type": "value_error"}])
    values = await client.runs.wait(
        body.thread_id, GRAPH, command={"resume": {body.interrupt_id: body.answer}}
    )
    return _shown(values, body.thread_id, campaign_uuid)


@router.get("/threads/{thread_id}/export")
async def export(campaign_uuid: str, thread_id: str, request: Request) -> PlainTextResponse:
    """The conversation as Markdown."""
    view = await (await get_services()).view(await _campaign(campaign_uuid))
    state = await local_client(_headers(request)).threads.get_state(thread_id)
    turns = (state["values"] or {}).get("history") or []  # type: ignore[union-attr]
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


async def _thread(client: Any, campaign: str) -> str:
    thread = await client.threads.create(metadata={"campaign": campaign}, graph_id=GRAPH)
    return thread["thread_id"]


async def _pending(client: Any, thread: str) -> dict[str, dict[str, Any]]:
    """Interrupt values by id."""
    state = await client.threads.get_state(thread)
    found = (i for task in state["tasks"] for i in task.get("interrupts") or [])
    return {i["id"]: i["value"] for i in found}


def _options(envelope: dict[str, Any]) -> list[Option]:
    return [
        {"label": label, "artifact_id": None, "question": label} for label in envelope.get("options") or []
    ]


def _shown(values: Any, thread: str, campaign: str) -> dict[str, Any]:
    """The answer object; threadId is for follow-ups, clarification for what waits."""
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


async def _events(client: Any, thread: str, question: dict[str, str], campaign: str) -> AsyncIterator[bytes]:
    values: dict[str, Any] = {}
    async for part in client.runs.stream(thread, GRAPH, input=question, stream_mode=["custom", "values"]):
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


def _event(name: str, data: Any) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"


def _headers(request: Request) -> dict[str, str]:
    """The caller's own credentials go with the run."""
    wanted = ("authorization", "x-api-key", "cookie")
    return {name: value for name in wanted if (value := request.headers.get(name))}
