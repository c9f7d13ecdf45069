"""The inbox over HTTP."""

import sqlite3
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from pausepoint.pauses import bodies, doing, inbox, rows
from pausepoint.pauses.accepting import WrongAnswer, check_open, try_answer
from pausepoint.pauses.live import following
from pausepoint.pauses.rows import Actor
from pausepoint.server.auth import Filters
from pausepoint.server.errors import Invalid
from pausepoint.server.routes.common import allowed, answer, engine_of, router, user_data
from pausepoint.server.routes.runs import check_streams
from pausepoint.server.sse import Stream, cursor

if TYPE_CHECKING:
    from pausepoint.pauses.service import Pauses

routes = router("Inbox")
PauseId = Annotated[str, Path(max_length=64, description="The pause's id.")]
Word = Annotated[str | None, Query(max_length=256)]
Status = Literal["open", "answered", "expired", "cancelled", "discarded", "gone"]


def pauses_of(request: Request) -> "Pauses":
    """The pauses of the app that got the request."""
    return request.app.state.pauses


@routes.get("/inbox", summary="List what waits for a person")
async def listing(
    request: Request,
    status: Status = "open",
    kind: Word = None,
    graph_id: Word = None,
    assistant_id: Word = None,
    thread_id: Word = None,
    assignee: Word = None,
    due_before: Word = None,
    text: Word = None,
    metadata: Annotated[str | None, Query(max_length=4096)] = None,
    snoozed: bool = False,
    order: Literal["newest", "due"] = "newest",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(max_length=512)] = None,
    count: bool = False,
) -> Response:
    """Over all threads and graphs, newest first or by what is due next; `next` is the cursor of the next page."""
    query = inbox.Query(
        status=status,
        kind=kind,
        graph_id=graph_id,
        assistant_id=assistant_id,
        thread_id=thread_id,
        assignee=assignee,
        due_before=None if due_before is None else doing.parsed_time(due_before),
        text=text,
        metadata=_metadata(metadata),
        snoozed=snoozed,
        order=order,
        limit=limit,
        cursor=cursor,
    )
    filters = await allowed(request, "threads", "search", {"metadata": query.metadata or {}})
    database = engine_of(request).database
    items, following_page = await database.read(lambda conn: inbox.listing(conn, query, filters))
    shown: dict[str, Any] = {"items": items, "next": following_page}
    if count:
        shown["total"] = await database.read(lambda conn: inbox.count(conn, query, filters))
    return answer(shown)


@routes.get("/inbox/stream", summary="Follow the inbox")
async def stream(request: Request) -> Response:
    """Server-sent events: opened, answered, reopened, expired, reminded and so on; with Last-Event-ID those since."""
    engine = engine_of(request)
    filters = await allowed(request, "threads", "search", {"metadata": {}})
    check_streams(engine)
    start = cursor(request.headers.get("last-event-id"))
    return Stream(_feed(request, start, filters))


async def _feed(request: Request, start: int | None, filters: Filters) -> AsyncGenerator[bytes]:
    async for chunk in following(engine_of(request), pauses_of(request).bell, start, filters):
        yield chunk


@routes.get("/inbox/{pause_id}", summary="Get one pause")
async def get(request: Request, pause_id: PauseId) -> Response:
    """The question, the schema of its answer, the draft, and what became of it."""
    filters = await _allowed(request, pause_id, "read")
    return answer(
        await engine_of(request).database.read(
            lambda conn: inbox.detail(conn, inbox.find(conn, pause_id, filters))
        )
    )


@routes.get("/inbox/{pause_id}/history", summary="What happened to a pause")
async def history(request: Request, pause_id: PauseId) -> Response:
    """The entries of the decision record, oldest first."""
    filters = await _allowed(request, pause_id, "read")

    def read(conn: sqlite3.Connection) -> list[dict[str, Any]]:
        inbox.find(conn, pause_id, filters)
        found = conn.execute(
            "SELECT seq, content, hash FROM decisions WHERE pause_id = ? ORDER BY seq", (pause_id,)
        )
        return [{"seq": row[0], **orjson.loads(row[1]), "hash": row[2]} for row in found]

    return answer(await engine_of(request).database.read(read))


@routes.post("/inbox/{pause_id}/answer", summary="Answer a pause")
async def give_answer(request: Request, pause_id: PauseId, body: bodies.AnswerBody) -> Response:
    """Checked, bound, recorded and started in one transaction; the receipt says with which run the graph goes on."""
    engine = engine_of(request)
    filters = await _allowed(request, pause_id, "create_run")
    row = await engine.database.read(lambda conn: inbox.find(conn, pause_id, filters))
    run = await doing.answer(
        engine,
        row,
        body.answer,
        actor=user_data(request),
        filters=filters,
        idempotency_key=request.headers.get("idempotency-key"),
    )
    shown = await engine.database.read(lambda conn: _receipt(conn, row))
    shown["run_id"] = run.run_id
    if body.wait:
        outcome = await engine.outcome(run)
        shown["outcome"] = orjson.loads(outcome.body())
        shown["waiting"] = await engine.database.read(
            lambda conn: inbox.listing(conn, inbox.Query(thread_id=row["thread_id"]), None)[0]
        )
    return answer(shown)


@routes.post("/inbox/{pause_id}/check", summary="Check an answer without giving it")
async def check(request: Request, pause_id: PauseId, body: bodies.CheckBody) -> Response:
    """What would be wrong with it, field by field; an empty list when it would be accepted."""
    filters = await _allowed(request, pause_id, "read")
    actor = Actor.of(user_data(request))

    def read(conn: sqlite3.Connection) -> list[dict[str, Any]]:
        row = inbox.find(conn, pause_id, filters)
        check_open(conn, row)
        try:
            try_answer(conn, row, body.answer, actor)
        except WrongAnswer as wrong:
            return [error.show() for error in wrong.errors]
        return []

    return answer({"errors": await engine_of(request).database.read(read)})


@routes.post("/inbox/{pause_id}/assign", summary="Say who shall answer")
async def assign(request: Request, pause_id: PauseId, body: bodies.AssignBody) -> Response:
    """Anybody who may still can answer; it is a filter, not a lock."""
    actor = Actor.of(user_data(request))
    return await _changed(request, pause_id, lambda conn, row: doing.assign(conn, row, body.assignee, actor))


@routes.post("/inbox/{pause_id}/snooze", summary="Put a pause out of sight for a while")
async def snooze(request: Request, pause_id: PauseId, body: bodies.SnoozeBody) -> Response:
    """It comes back by itself; deadlines go on."""
    return await _changed(
        request, pause_id, lambda conn, row: doing.snooze(conn, row, body.until, body.seconds)
    )


@routes.put("/inbox/{pause_id}/draft", summary="Keep a half-filled form")
async def draft(request: Request, pause_id: PauseId, body: bodies.DraftBody) -> Response:
    """Nothing is checked, nothing is answered."""
    actor = Actor.of(user_data(request))
    return await _changed(
        request, pause_id, lambda conn, row: doing.keep_draft(conn, row, body.values, actor)
    )


@routes.post("/inbox/{pause_id}/cancel", summary="End the wait without an answer")
async def cancel(request: Request, pause_id: PauseId, body: bodies.CancelBody | None = None) -> Response:
    """The graph ends where it stands; everything that waits on the thread is closed and put on record."""
    engine = engine_of(request)
    filters = await _allowed(request, pause_id, "update")
    row = await engine.database.read(lambda conn: inbox.find(conn, pause_id, filters))
    await doing.cancel(engine, row, user_data(request), body.reason if body else None)
    return answer(await engine.database.read(lambda conn: _receipt(conn, row)))


@routes.post("/inbox/{pause_id}/migrate", summary="Go on with a changed graph")
async def migrate(request: Request, pause_id: PauseId, body: bodies.MigrateBody) -> Response:
    """For a held pause: the thread goes on at a node of the graph as it is now."""
    engine = engine_of(request)
    filters = await _allowed(request, pause_id, "create_run")
    row = await engine.database.read(lambda conn: inbox.find(conn, pause_id, filters))
    run = await doing.migrate(engine, row, body.node, user_data(request))
    return answer({"run_id": run.run_id, "thread_id": run.thread_id})


async def _allowed(request: Request, pause_id: str, action: str) -> Filters:
    """Ask the project's handlers as the routes of threads and runs do, with the same members in the value.

    Raises:
        NotFound: There is no such pause.
        ApiError: A handler refuses.
    """
    row = await engine_of(request).database.read(lambda conn: inbox.find(conn, pause_id, None))
    value: dict[str, Any] = {"thread_id": row["thread_id"], "pause_id": pause_id, "metadata": {}}
    if action == "create_run":
        value.update(assistant_id=row["assistant_id"], kwargs={}, status="pending", if_not_exists="reject")
        value.update(multitask_strategy="enqueue", after_seconds=0)
    return await allowed(request, "threads", action, value)


async def _changed(request: Request, pause_id: str, change: Any) -> Response:
    engine = engine_of(request)
    filters = await _allowed(request, pause_id, "update")

    def write(conn: sqlite3.Connection) -> dict[str, Any]:
        change(conn, inbox.find(conn, pause_id, filters))
        return inbox.detail(conn, inbox.find(conn, pause_id, filters))

    shown = await engine.database.write(write)
    pauses_of(request).bell.ring()
    return answer(shown)


def _receipt(conn: sqlite3.Connection, row: sqlite3.Row) -> dict[str, Any]:
    return rows.receipt(conn, rows.by_id(conn, row["pause_id"]) or row)


def _metadata(text: str | None) -> dict[str, Any] | None:
    if not text:
        return None
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise Invalid(f"'metadata' must be a JSON object: {error}.") from error
    if not isinstance(found, dict):
        raise Invalid("'metadata' must be a JSON object.")
    return found
