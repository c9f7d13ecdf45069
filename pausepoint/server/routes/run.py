"""One run that there is: get, join, stream again, cancel, delete; and several at once."""

from collections.abc import AsyncGenerator
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from pausepoint.server import schemas
from pausepoint.server.errors import Conflict, Invalid
from pausepoint.server.protocol.present import classic
from pausepoint.server.routes.common import allowed, answer, chosen, engine_of, nothing, router
from pausepoint.server.routes.runs import check_streams, following, resume_point, waiting
from pausepoint.server.sse import HEARTBEAT, Stream, frame
from pausepoint.server.tables import runs as table
from pausepoint.server.tables import threads as threads_table
from pausepoint.server.tables.runs import UNFINISHED, Run

routes = router("Runs")
Action = Annotated[Literal["interrupt", "rollback"], Query()]


@routes.get("/threads/{thread_id}/runs", summary="List a thread's runs")
async def listing(
    request: Request,
    thread_id: UUID,
    limit: Annotated[int, Query(ge=1, le=schemas.MAX_PAGE)] = 10,
    offset: Annotated[int, Query(ge=0, le=2**31)] = 0,
    status: Annotated[schemas.RunStatus | None, Query()] = None,
    select: Annotated[list[str] | None, Query()] = None,
) -> Response:
    """Newest first."""
    key = str(thread_id)
    await _check_thread(request, key, "read")
    runs = await engine_of(request).database.read(
        lambda conn: table.of_thread(conn, key, status=status, limit=limit, offset=offset)
    )
    shown = [run.show() for run in runs]
    return answer(shown if select is None else [chosen(run, select) for run in shown])


@routes.get("/threads/{thread_id}/runs/{run_id}", summary="Get a run")
async def get(request: Request, thread_id: UUID, run_id: UUID) -> Response:
    """Its status, and what it was asked to do."""
    return answer((await _run(request, thread_id, run_id, "read")).show())


@routes.get("/threads/{thread_id}/runs/{run_id}/join", summary="Wait for a run")
async def join(request: Request, thread_id: UUID, run_id: UUID) -> Response:
    """The thread's values at the run's end, or `__error__`."""
    run = await _run(request, thread_id, run_id, "read")
    return Stream(waiting(engine_of(request), run), media_type="application/json")


@routes.get("/threads/{thread_id}/runs/{run_id}/stream", summary="Stream a run that there is")
async def stream(
    request: Request,
    thread_id: UUID,
    run_id: UUID,
    cancel_on_disconnect: Annotated[bool, Query()] = False,
    stream_mode: Annotated[list[str] | None, Query()] = None,
) -> Response:
    """Its events from the beginning, or after Last-Event-ID."""
    engine = engine_of(request)
    run = await _run(request, thread_id, run_id, "read")
    check_streams(engine)
    # The SDK sends an empty parameter for "all".
    modes = frozenset(mode for mode in stream_mode or () if mode) or None

    async def gone() -> None:
        await engine.cancel(run, "interrupt", reason="the client disconnected")

    return Stream(
        following(engine, run.run_id, resume_point(request) or 0, modes),
        headers={"Location": request.url.path, "Content-Location": request.url.path.removesuffix("/stream")},
        on_gone=gone if cancel_on_disconnect else None,
    )


@routes.get("/threads/{thread_id}/stream", summary="Stream a thread")
async def thread_stream(
    request: Request,
    thread_id: UUID,
    stream_mode: Annotated[list[Literal["run_modes", "lifecycle", "state_update"]] | None, Query()] = None,
) -> Response:
    """The events of all runs of a thread, as they come; with Last-Event-ID those since."""
    key = str(thread_id)
    await _check_thread(request, key, "read")
    check_streams(engine_of(request))
    modes = frozenset(stream_mode or ["run_modes"])
    return Stream(_thread_events(request, key, modes), headers={"Location": request.url.path})


@routes.post("/threads/{thread_id}/runs/{run_id}/cancel", summary="Cancel a run")
async def cancel(
    request: Request,
    thread_id: UUID,
    run_id: UUID,
    wait: Annotated[bool, Query()] = False,
    action: Action = "interrupt",
) -> Response:
    """`interrupt` keeps what was done, `rollback` takes back the run and its checkpoints."""
    run = await _run(request, thread_id, run_id, "update", action=action)
    if run.status not in UNFINISHED:
        raise Conflict(f"Run {run.run_id!r} has already ended with status {run.status!r}.")
    await engine_of(request).cancel(run, action, reason="cancelled by a client", wait=wait)
    return nothing() if wait else Response(status_code=202)


@routes.post("/runs/cancel", summary="Cancel several runs", status_code=204)
async def cancel_many(request: Request, body: schemas.CancelMany, action: Action = "interrupt") -> Response:
    """Runs of a thread by id, or all runs of a status."""
    engine = engine_of(request)
    if body.status is None and not (body.run_ids and body.thread_id):
        raise Invalid("Give 'status', or 'thread_id' with 'run_ids'.")
    value: dict[str, Any] = {"action": action, "metadata": {}}
    filters = await allowed(request, "threads", "update", value)
    wanted = {str(run_id) for run_id in body.run_ids or ()}
    for run in await engine.database.read(table.unfinished):
        matches = (
            (not wanted or run.run_id in wanted)
            and (body.thread_id is None or run.thread_id == str(body.thread_id))
            and body.status in (None, "all", run.status)
        )
        if matches and await engine.may_see(run.thread_id, filters):
            await engine.cancel(run, action, reason="cancelled by a client")
    return nothing()


@routes.delete("/threads/{thread_id}/runs/{run_id}", summary="Delete a run", status_code=204)
async def delete(request: Request, thread_id: UUID, run_id: UUID) -> Response:
    """Delete the record of a run that has ended; its checkpoints stay."""
    run = await _run(request, thread_id, run_id, "delete")
    if run.status in UNFINISHED:
        raise Conflict(f"Run {run.run_id!r} has status {run.status!r}; cancel it before deleting it.")
    await engine_of(request).database.write(lambda conn: table.delete(conn, run.run_id))
    return nothing()


async def _thread_events(request: Request, thread_id: str, modes: frozenset[str]) -> AsyncGenerator[bytes]:
    engine = engine_of(request)
    events = engine.journal.follow_thread(
        thread_id, resume_point(request), idle=engine.limits.heartbeat_seconds
    )
    try:
        async for found in events:
            if found is None:
                yield HEARTBEAT
                continue
            event = classic(found)
            if event is None:
                continue
            lifecycle = event.event in ("metadata", "error", "end")
            if "run_modes" in modes or ("lifecycle" in modes and lifecycle):
                yield frame(event._replace(event="run_done") if event.event == "end" else event)
            elif "state_update" in modes and event.event.startswith(("values", "updates")):
                yield frame(event)
    finally:
        await events.aclose()


async def _run(request: Request, thread_id: UUID, run_id: UUID, verb: str, **more: Any) -> Run:
    key = str(thread_id)
    await _check_thread(request, key, verb, run_id=str(run_id), **more)
    return await engine_of(request).database.read(lambda conn: table.get(conn, key, str(run_id)))


async def _check_thread(request: Request, thread_id: str, verb: str, **more: Any) -> None:
    filters = await allowed(request, "threads", verb, {"thread_id": thread_id, **more})
    await engine_of(request).database.read(lambda conn: threads_table.row_of(conn, thread_id, filters))
