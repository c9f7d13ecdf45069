"""Threads: create, find, change, copy, prune, delete."""

from typing import Annotated, Any, cast
from uuid import UUID

import orjson
from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from pausepoint.server import schemas, states
from pausepoint.server.errors import Conflict, Invalid
from pausepoint.server.extract import extracted
from pausepoint.server.routes.common import (
    allowed,
    answer,
    change_by,
    engine_of,
    fields,
    nothing,
    page,
    router,
    user_data,
)
from pausepoint.server.tables import threads as table

routes = router("Threads")
ThreadId = Annotated[UUID, Path(description="The thread's id.")]


@routes.post("/threads", summary="Create a thread")
async def create(request: Request, body: schemas.ThreadCreate) -> Response:
    """Create a thread; with `supersteps` it starts with a history."""
    engine = engine_of(request)
    value = fields(body)
    value.setdefault("metadata", {})
    filters = await allowed(request, "threads", "create", value)
    graph_id = value["metadata"].get("graph_id")
    if body.supersteps and graph_id not in engine.graphs:
        raise Invalid("'supersteps' need 'graph_id' in the metadata: whose nodes wrote them?")
    ttl = value.get("ttl") or engine.config.thread_ttl
    thread_id = str(body.thread_id) if body.thread_id else None
    thread, fresh = await engine.database.write(
        lambda conn: table.create(conn, thread_id, value["metadata"], body.if_exists, ttl, filters)
    )
    if body.supersteps and fresh:
        await states.replay(engine, thread["thread_id"], graph_id, body.supersteps, user_data(request))
        thread = await engine.database.read(lambda conn: table.get(conn, thread["thread_id"], None))
    if ttl is not None:
        engine.scheduler.wake()
    return answer(thread)


@routes.post("/threads/search", summary="Search threads")
async def search(request: Request, body: schemas.ThreadSearch) -> Response:
    """Find threads by metadata, values, status and ids."""
    query = fields(body)
    filters = await allowed(request, "threads", "search", query)
    rows = await engine_of(request).database.read(lambda conn: table.search(conn, query, filters))
    shown = [table.show(row) for row in rows]
    if body.extract:
        for found, row in zip(shown, rows, strict=True):
            found["extracted"] = extracted(row, body.extract)
    select = None if body.select is None else [*body.select, *(["extracted"] if body.extract else [])]
    return page(shown, body.limit, body.offset, select)


@routes.post("/threads/count", summary="Count threads")
async def count(request: Request, body: schemas.ThreadCount) -> Response:
    """How many a search would find."""
    query = fields(body)
    filters = await allowed(request, "threads", "search", query)
    return answer(await engine_of(request).database.read(lambda conn: table.count(conn, query, filters)))


@routes.post("/threads/prune", summary="Delete threads, or reduce them to their latest state")
async def prune(request: Request, body: schemas.ThreadsPrune) -> Response:
    """Strategy `delete` removes the threads, `keep_latest` only their older checkpoints."""
    engine = engine_of(request)
    ids = [str(i) for i in body.thread_ids]
    action = "delete" if body.strategy == "delete" else "update"
    filters = await allowed(request, "threads", action, {"thread_ids": ids})
    query = {"ids": ids, "limit": schemas.MAX_PAGE, "offset": 0}
    rows = await engine.database.read(lambda conn: table.search(conn, query, filters))
    found = [row["thread_id"] for row in rows if row["status"] != "busy"]
    if body.strategy == "delete":
        found = [key for key in found if await _deleted(request, key)]
    else:
        await engine.backends.keep_latest(found)
    return answer({"pruned_count": len(found)})


async def _deleted(request: Request, thread_id: str) -> bool:
    """Delete one of several threads; one that must not go stays."""
    try:
        await engine_of(request).delete_thread(thread_id, change_by(request, "delete", thread_id))
    except Conflict:
        return False
    return True


@routes.get("/threads/{thread_id}", summary="Get a thread")
async def get(
    request: Request, thread_id: ThreadId, include: Annotated[str | None, Query()] = None
) -> Response:
    """The thread with its latest values and the interrupts it waits on."""
    key = str(thread_id)
    filters = await allowed(request, "threads", "read", {"thread_id": key})
    found = await engine_of(request).database.read(lambda conn: table.get(conn, key, filters))
    if "ttl" not in (include or ""):
        found.pop("ttl", None)
    return answer(found)


@routes.patch("/threads/{thread_id}", summary="Change a thread's metadata")
async def patch(request: Request, thread_id: ThreadId, body: schemas.ThreadPatch) -> Response:
    """Merge metadata, set the time to live."""
    engine = engine_of(request)
    key = str(thread_id)
    value: dict[str, Any] = {"thread_id": key, **fields(body)}
    filters = await allowed(request, "threads", "update", value)
    ttl = cast("dict[str, Any] | None", value.get("ttl"))
    found = await engine.database.write(
        lambda conn: table.patch(conn, key, value.get("metadata"), ttl, filters)
    )
    engine.scheduler.wake()
    return nothing() if "return=minimal" in request.headers.get("prefer", "") else answer(found)


@routes.delete("/threads/{thread_id}", summary="Delete a thread", status_code=204)
async def delete(request: Request, thread_id: ThreadId) -> Response:
    """Delete a thread with everything that belongs to it; a run at work is stopped first."""
    engine = engine_of(request)
    key = str(thread_id)
    filters = await allowed(request, "threads", "delete", {"thread_id": key})
    await engine.database.read(lambda conn: table.row_of(conn, key, filters))
    await engine.delete_thread(key, change_by(request, "delete", key))
    return nothing()


@routes.post("/threads/{thread_id}/copy", summary="Copy a thread")
async def copy(request: Request, thread_id: ThreadId) -> Response:
    """A new thread with the same history."""
    engine = engine_of(request)
    key = str(thread_id)
    filters = await allowed(request, "threads", "read", {"thread_id": key})
    row = await engine.database.read(lambda conn: table.row_of(conn, key, filters))
    value: dict[str, Any] = {"metadata": orjson.loads(row["metadata"])}
    await allowed(request, "threads", "create", value)
    copied = await engine.database.write(lambda conn: table.copy(conn, key, filters))
    await engine.backends.copy_thread(key, copied)
    await engine.database.write(
        lambda conn: engine.change(conn, change_by(request, "copy", key, copied_to=copied, final=True))
    )
    if value["metadata"]:
        await engine.database.write(lambda conn: table.patch(conn, copied, value["metadata"], None, None))
    return answer(await engine.database.read(lambda conn: table.get(conn, copied, None)))
