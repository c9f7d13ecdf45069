"""Runs: create, wait, stream, batch; on a thread, or without one."""

from collections.abc import AsyncGenerator
from typing import Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from pausepoint.server import schemas
from pausepoint.server.accept import Draft, check_webhook
from pausepoint.server.engine import Engine
from pausepoint.server.errors import Invalid, TooMany
from pausepoint.server.protocol.present import classic
from pausepoint.server.routes.common import allowed, answer, engine_of, fields, router, user_data
from pausepoint.server.sse import HEARTBEAT, Stream, cursor, frame
from pausepoint.server.tables.runs import Run

routes = router("Runs")
stateless = router("Stateless runs")


@routes.post("/threads/{thread_id}/runs", summary="Start a run in the background")
async def create(request: Request, thread_id: UUID, body: schemas.RunBody) -> Response:
    """Accept a run; it starts at once when the thread is free."""
    return await _background(request, body, str(thread_id))


@routes.post("/threads/{thread_id}/runs/wait", summary="Run and wait for the result")
async def wait(request: Request, thread_id: UUID, body: schemas.RunBody) -> Response:
    """Accept a run and answer with the values at its end, or `__error__`."""
    return await _wait(request, body, str(thread_id))


@routes.post("/threads/{thread_id}/runs/stream", summary="Run and stream its events")
async def stream(request: Request, thread_id: UUID, body: schemas.RunBody) -> Response:
    """Accept a run and stream it; with Last-Event-ID on its own URL the stream can be resumed."""
    return await _stream(request, body, str(thread_id))


@stateless.post("/runs", summary="Start a run without a thread")
async def create_stateless(request: Request, body: schemas.RunBody) -> Response:
    """Its thread goes away at its end, unless on_completion is `keep`."""
    return await _background(request, body, None)


@stateless.post("/runs/wait", summary="Run without a thread and wait for the result")
async def wait_stateless(request: Request, body: schemas.RunBody) -> Response:
    """The values at the end, or `__error__`."""
    return await _wait(request, body, None)


@stateless.post("/runs/stream", summary="Run without a thread and stream its events")
async def stream_stateless(request: Request, body: schemas.RunBody) -> Response:
    """The events of the run."""
    return await _stream(request, body, None)


@stateless.post("/runs/batch", summary="Start several runs")
async def batch(request: Request, body: list[schemas.BatchRun]) -> Response:
    """All are accepted, or none."""
    drafts = [await draft_of(request, item, str(item.thread_id) if item.thread_id else None) for item in body]
    runs = await engine_of(request).submit_many(drafts)
    return answer([_shown(run) for run in runs])


async def draft_of(request: Request, body: schemas.RunBody, thread_id: str | None, **more: Any) -> Draft:
    """What the caller asks for, as far as they may ask for it."""
    engine = engine_of(request)
    check_webhook(body.webhook)
    if body.command is not None and not body.command.model_fields_set:
        raise Invalid("The command is empty; give it resume, update or goto.")
    value: dict[str, Any] = {
        "thread_id": thread_id,
        "assistant_id": body.assistant_id,
        "metadata": body.metadata or {},
        "kwargs": fields(body),
        "multitask_strategy": body.multitask_strategy or "enqueue",
        "if_not_exists": body.if_not_exists,
        "after_seconds": body.after_seconds or 0,
        "status": "pending",
    }
    filters = await allowed(request, "threads", "create_run", value)
    reading = await allowed(request, "assistants", "read", {"assistant_id": body.assistant_id})
    thread_value: dict[str, Any] = {"thread_id": thread_id, "metadata": {}}
    if thread_id is None or body.if_not_exists == "create":
        await allowed(request, "threads", "create", thread_value)
    body.metadata = value["metadata"]
    return Draft(
        body=body,
        thread_id=thread_id,
        graph_ids=engine.graph_ids,
        user=user_data(request),
        headers=_configurable_headers(request),
        thread_filters=filters,
        assistant_filters=reading,
        thread_metadata=thread_value["metadata"],
        thread_ttl=engine.config.thread_ttl,
        idempotency_key=request.headers.get("idempotency-key"),
        **more,
    )


async def _background(request: Request, body: schemas.RunBody, thread_id: str | None) -> Response:
    run = await engine_of(request).submit(await draft_of(request, body, thread_id))
    return answer(_shown(run), headers=_headers(run, "join"))


async def _wait(request: Request, body: schemas.RunBody, thread_id: str | None) -> Response:
    engine = engine_of(request)
    run = await engine.submit(await draft_of(request, body, thread_id, stored=False))
    gone = _cancel_when_gone(engine, run, body.on_disconnect)
    return Stream(
        waiting(engine, run), headers=_headers(run, "join"), media_type="application/json", on_gone=gone
    )


async def _stream(request: Request, body: schemas.RunBody, thread_id: str | None) -> Response:
    engine = engine_of(request)
    check_streams(engine)
    body.stream_mode = body.stream_mode or "values"
    run = await engine.submit(await draft_of(request, body, thread_id))
    gone = _cancel_when_gone(engine, run, body.on_disconnect)
    return Stream(following(engine, run.run_id, 0), headers=_headers(run, "stream"), on_gone=gone)


async def waiting(engine: Engine, run: Run) -> AsyncGenerator[bytes]:
    """White space now and then, and at the end the outcome: JSON all the same."""
    import asyncio

    task = asyncio.ensure_future(engine.outcome(run))
    try:
        while not task.done():
            done, _ = await asyncio.wait([task], timeout=engine.limits.heartbeat_seconds)
            if not done:
                yield b"\n"
        yield task.result().body()
    finally:
        task.cancel()


async def following(
    engine: Engine, run_id: str, after: int, modes: frozenset[str] | None = None
) -> AsyncGenerator[bytes]:
    """A run's events as server-sent events, with a comment when nothing comes."""
    events = engine.journal.follow_run(
        run_id,
        after,
        finished=lambda: engine.is_finished(run_id),
        idle=engine.limits.heartbeat_seconds,
    )
    try:
        async for event in events:
            if event is None:
                yield HEARTBEAT
            elif (shown := classic(event)) and (modes is None or _wanted(shown.event, modes)):
                yield frame(shown)
    finally:
        await events.aclose()


def _wanted(name: str, modes: frozenset[str]) -> bool:
    if name in ("metadata", "error", "end"):
        return True
    base = name.split("|", 1)[0]
    if base == "messages":
        return "messages-tuple" in modes
    return base in modes or (base.startswith("messages/") and "messages" in modes)


def check_streams(engine: Engine) -> None:
    """Refuse a stream beyond the limit.

    Raises:
        TooMany: There are too many.
    """
    if engine.journal.listeners >= engine.limits.streams:
        raise TooMany(f"{engine.limits.streams} streams are open, which is the limit. Try again later.", 5)


def resume_point(request: Request) -> int | None:
    """Where the client wants to go on."""
    return cursor(request.headers.get("last-event-id"))


def _cancel_when_gone(engine: Engine, run: Run, on_disconnect: str | None) -> Any:
    if on_disconnect != "cancel":
        return None

    async def gone() -> None:
        await engine.cancel(run, "interrupt", reason="the client disconnected")

    return gone


def _shown(run: Run) -> dict[str, Any]:
    # Accepted and perhaps begun already; to the caller it is what it asked for: a run that waits.
    return {**run.show(), "status": "pending"}


def _headers(run: Run, action: str) -> dict[str, str]:
    place = f"/threads/{run.thread_id}/runs/{run.run_id}"
    return {"Location": f"{place}/{action}", "Content-Location": place}


def _configurable_headers(request: Request) -> dict[str, str]:
    """Headers of the caller that graphs can read from `configurable`, as they can elsewhere: those with `x-`."""
    return {
        k: v
        for k, v in request.headers.items()
        if k.startswith("x-") and k not in ("x-api-key", "x-service-key", "x-forwarded-for")
    }
