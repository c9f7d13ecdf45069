"""A thread's state: read it, at a checkpoint too, change it, and its history."""

import sqlite3
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from pausepoint.server import schemas, states
from pausepoint.server.errors import Invalid
from pausepoint.server.routes.common import allowed, answer, change_by, engine_of, router, user_data
from pausepoint.server.tables import threads as table

routes = router("Thread state")
Select = Annotated[list[str] | None, Query()]


@routes.get("/threads/{thread_id}/state", summary="Get a thread's state")
async def latest(
    request: Request, thread_id: UUID, subgraphs: Annotated[bool, Query()] = False, select: Select = None
) -> Response:
    """The latest state."""
    row = await _row(request, thread_id, "read")
    return answer(
        await states.read(engine_of(request), row, user_data(request), subgraphs=subgraphs, select=select)
    )


@routes.post("/threads/{thread_id}/state", summary="Change a thread's state")
async def update(request: Request, thread_id: UUID, body: schemas.StateWrite) -> Response:
    """Write values as if a node had returned them; this makes a new checkpoint."""
    row = await _row(request, thread_id, "update")
    _same_thread(thread_id, body.checkpoint)
    change = change_by(request, "update", str(thread_id))
    return answer(await states.update(engine_of(request), row, user_data(request), body, change))


@routes.post("/threads/{thread_id}/state/checkpoint", summary="Get a thread's state at a checkpoint")
async def at_checkpoint(request: Request, thread_id: UUID, body: schemas.StateRead) -> Response:
    """The state at a checkpoint, of a subgraph too."""
    row = await _row(request, thread_id, "read")
    _same_thread(thread_id, body.checkpoint)
    checkpoint = body.checkpoint.model_dump(exclude_none=True, exclude={"thread_id"})
    return answer(
        await states.read(
            engine_of(request),
            row,
            user_data(request),
            checkpoint=checkpoint,
            subgraphs=body.subgraphs,
            select=body.select,
        )
    )


@routes.get("/threads/{thread_id}/state/{checkpoint_id}", summary="Get a thread's state at a checkpoint id")
async def at_id(
    request: Request,
    thread_id: UUID,
    checkpoint_id: str,
    subgraphs: Annotated[bool, Query()] = False,
    select: Select = None,
) -> Response:
    """The state at a checkpoint of the thread's own graph."""
    row = await _row(request, thread_id, "read")
    return answer(
        await states.read(
            engine_of(request),
            row,
            user_data(request),
            checkpoint={"checkpoint_id": checkpoint_id},
            subgraphs=subgraphs,
            select=select,
        )
    )


@routes.post("/threads/{thread_id}/history", summary="Get a thread's history")
async def history(request: Request, thread_id: UUID, body: schemas.HistoryRead) -> Response:
    """States, newest first."""
    row = await _row(request, thread_id, "read")
    _same_thread(thread_id, body.checkpoint)
    return answer(await states.history(engine_of(request), row, user_data(request), body))


@routes.get("/threads/{thread_id}/history", summary="Get a thread's latest states")
async def short_history(
    request: Request,
    thread_id: UUID,
    limit: Annotated[int, Query(ge=1, le=schemas.MAX_PAGE)] = 10,
    before: Annotated[str | None, Query()] = None,
) -> Response:
    """The same without filters."""
    row = await _row(request, thread_id, "read")
    body = schemas.HistoryRead(limit=limit, before=before)
    return answer(await states.history(engine_of(request), row, user_data(request), body))


async def _row(request: Request, thread_id: UUID, action: str) -> sqlite3.Row:
    key = str(thread_id)
    value: dict[str, Any] = {"thread_id": key}
    filters = await allowed(request, "threads", action, value)
    return await engine_of(request).database.read(lambda conn: table.row_of(conn, key, filters))


def _same_thread(thread_id: UUID, checkpoint: schemas.Checkpoint | None) -> None:
    if checkpoint is not None and checkpoint.thread_id not in (None, thread_id):
        raise Invalid(
            f"The checkpoint is one of thread {str(checkpoint.thread_id)!r}, not of {str(thread_id)!r}."
        )
