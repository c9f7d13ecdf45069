"""Crons: runs that repeat, in a time zone."""

from typing import Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from pausepoint.server import crontimes, schemas
from pausepoint.server.accept import check_webhook
from pausepoint.server.clock import stamp
from pausepoint.server.routes.assistants import resolve
from pausepoint.server.routes.common import (
    allowed,
    answer,
    engine_of,
    fields,
    nothing,
    page,
    router,
    user_data,
    user_of,
)
from pausepoint.server.tables import assistants as assistants_table
from pausepoint.server.tables import crons as table
from pausepoint.server.tables import threads as threads_table

routes = router("Crons")
_OWN = frozenset({"schedule", "timezone", "end_time", "enabled", "on_run_completed", "assistant_id"})


@routes.post("/runs/crons", summary="Create a cron")
async def create(request: Request, body: schemas.CronCreate) -> Response:
    """Each run gets its own thread."""
    return await _create(request, body, None)


@routes.post("/threads/{thread_id}/runs/crons", summary="Create a cron on a thread")
async def create_for_thread(request: Request, thread_id: UUID, body: schemas.CronCreate) -> Response:
    """All runs use the thread."""
    return await _create(request, body, str(thread_id))


@routes.post("/runs/crons/search", summary="Search crons")
async def search(request: Request, body: schemas.CronSearch) -> Response:
    """Find crons by assistant, thread and metadata."""
    query = _query(request, body)
    filters = await allowed(request, "crons", "search", query)
    rows = await engine_of(request).database.read(lambda conn: table.search(conn, query, filters))
    return page([_shown(row) for row in rows], body.limit, body.offset, body.select)


@routes.post("/runs/crons/count", summary="Count crons")
async def count(request: Request, body: schemas.CronCount) -> Response:
    """How many a search would find."""
    query = _query(request, body)
    filters = await allowed(request, "crons", "search", query)
    return answer(await engine_of(request).database.read(lambda conn: table.count(conn, query, filters)))


@routes.patch("/runs/crons/{cron_id}", summary="Change a cron")
async def patch(request: Request, cron_id: UUID, body: schemas.CronPatch) -> Response:
    """Change the schedule, switch it on or off, change what is run."""
    engine = engine_of(request)
    key = str(cron_id)
    changes = body.model_dump(mode="json", exclude_unset=True)
    check_webhook(body.webhook)
    filters = await allowed(request, "crons", "update", {"cron_id": key, **changes})
    cron = await engine.database.read(lambda conn: table.get(conn, key, filters))
    cron.update({k: v for k, v in changes.items() if k in _OWN})
    for required in ("schedule", "enabled"):
        if cron[required] is None:
            cron[required] = (await engine.database.read(lambda conn: table.get(conn, key, None)))[required]
    payload = {k: v for k, v in changes.items() if k not in _OWN and k != "metadata"}
    cron["payload"] = {**cron["payload"], **payload}
    cron["metadata"] = {**cron["metadata"], **(changes.get("metadata") or {})}
    cron["next_run_date"] = _next(cron)
    changed = await engine.database.write(lambda conn: table.write(conn, cron))
    engine.scheduler.wake()
    return answer(_shown(changed))


@routes.delete("/runs/crons/{cron_id}", summary="Delete a cron", status_code=204)
async def delete(request: Request, cron_id: UUID) -> Response:
    """Runs that it has started stay."""
    key = str(cron_id)
    filters = await allowed(request, "crons", "delete", {"cron_id": key})
    await engine_of(request).database.write(lambda conn: table.delete(conn, key, filters))
    return nothing()


async def _create(request: Request, body: schemas.CronCreate, thread_id: str | None) -> Response:
    engine = engine_of(request)
    check_webhook(body.webhook)
    assistant_id = resolve(engine, body.assistant_id)
    value: dict[str, Any] = {
        "assistant_id": assistant_id,
        "thread_id": thread_id,
        "schedule": body.schedule,
        "timezone": body.timezone,
        "end_time": body.end_time,
        "enabled": body.enabled,
        "on_run_completed": body.on_run_completed,
        "metadata": body.metadata or {},
        "payload": {k: v for k, v in fields(body).items() if k not in _OWN},
    }
    filters = await allowed(request, "crons", "create", value)
    reading = await allowed(request, "assistants", "read", {"assistant_id": assistant_id})
    on_thread = await allowed(request, "threads", "create_run", {"thread_id": thread_id, "metadata": {}})
    user = user_of(request)
    value["user_id"] = user.identity if user else None
    value["payload"]["user"] = user_data(request)
    value["next_run_date"] = _next(value)
    del filters
    own = assistant_id in engine.graph_ids.values()

    def insert(conn: Any) -> dict[str, Any]:
        assistants_table.get(conn, assistant_id, None if own else reading)
        if thread_id is not None:
            threads_table.row_of(conn, thread_id, on_thread)
        return table.insert(conn, value)

    cron = await engine.database.write(insert)
    engine.scheduler.wake()
    return answer(_shown(cron))


def _next(cron: dict[str, Any]) -> str | None:
    """Checks the schedule and returns the next time; a cron that is off has one, too."""
    crontimes.check(cron["schedule"], cron["timezone"], cron["end_time"])
    if cron["end_time"] is not None:
        cron["end_time"] = stamp(crontimes.moment(cron["end_time"]))
    return crontimes.next_time(cron["schedule"], cron["timezone"], cron["end_time"])


def _query(request: Request, body: schemas.CronCount) -> dict[str, Any]:
    query = fields(body)
    if body.assistant_id is not None:
        query["assistant_id"] = engine_of(request).graph_ids.get(body.assistant_id, body.assistant_id)
    return query


def _shown(cron: dict[str, Any]) -> dict[str, Any]:
    payload = {k: v for k, v in cron["payload"].items() if k != "user"}
    return {**cron, "payload": {**payload, "assistant_id": cron["assistant_id"]}}
