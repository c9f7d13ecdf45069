"""The thread stream protocol of newer SDKs: commands in, one filtered stream of events out."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any
from uuid import UUID

import orjson
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from pausepoint.server import schemas, states
from pausepoint.server.accept import pending_ids
from pausepoint.server.drawing import draw
from pausepoint.server.errors import ApiError, Invalid
from pausepoint.server.protocol.present import wire
from pausepoint.server.protocol.subscribe import wanted
from pausepoint.server.routes.common import allowed, answer, engine_of, router, user_data
from pausepoint.server.routes.runs import check_streams, draft_of
from pausepoint.server.serialize import to_json
from pausepoint.server.sse import HEARTBEAT, Stream
from pausepoint.server.tables import threads as threads_table

routes = router("Thread stream")
_RUN_KEYS = ("config", "metadata", "multitask_strategy", "context", "strict_resume", "durability")
_CODES = {403: "permission_denied", 404: "no_such_run", 422: "invalid_argument", 400: "invalid_argument"}


class Refused(ApiError):
    """A command that cannot be done; the protocol has its own codes for why."""

    def __init__(self, code: str, message: str) -> None:
        """Keep the protocol's code."""
        super().__init__(200, message)
        self.code = code


@routes.post("/threads/{thread_id}/commands", summary="Send a command to a thread")
async def command(request: Request, thread_id: UUID, body: schemas.ProtocolCommand) -> Response:
    """run.start, input.respond, state.get, state.listCheckpoints, agent.getTree."""
    doing = _COMMANDS.get(body.method)
    before = engine_of(request).journal.last_id
    try:
        if doing is None:
            raise Refused(
                "unknown_command", f"There is no command {body.method!r}; known: {', '.join(_COMMANDS)}."
            )
        result = await doing(request, str(thread_id), body.params, before)
    except Refused as error:
        return _refusal(body.id, error.code, error.detail)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return _refusal(body.id, "invalid_argument", f"{place}: {first['msg']}")
    except ApiError as error:
        if error.status not in (403, 404, 409, 410, 422):
            raise
        return _refusal(body.id, _CODES.get(error.status, "unknown_error"), error.detail, error.extra)
    return answer(
        {"type": "success", "id": body.id, "result": result, "meta": {"applied_through_seq": before}}
    )


@routes.post("/threads/{thread_id}/stream/events", summary="Stream the events of a thread")
async def events(request: Request, thread_id: UUID, body: schemas.EventsRequest) -> Response:
    """Events of the asked channels and namespaces; `since` replays from a sequence number on."""
    engine = engine_of(request)
    key = str(thread_id)
    filters = await allowed(request, "threads", "read", {"thread_id": key})
    row = await engine.database.read(lambda conn: threads_table.row_of(conn, key, filters))
    check_streams(engine)
    start = body.since
    if start is None:
        start = engine.claims.take(key, body.channels)
    if start is None and row["status"] in ("busy", "interrupted"):
        start = await engine.start_of_latest_run(key)
    return Stream(_events(request, key, body, start))


async def _events(
    request: Request, thread_id: str, body: schemas.EventsRequest, start: int | None
) -> AsyncGenerator[bytes]:
    engine = engine_of(request)
    yield HEARTBEAT
    found = engine.journal.follow_thread(thread_id, start, idle=engine.limits.heartbeat_seconds)
    try:
        async for event in found:
            if event is None:
                yield HEARTBEAT
                continue
            shown = wire(event)
            if shown is not None and wanted(shown, body):
                data = to_json(shown)
                yield b"id: %d\nevent: %s\ndata: %s\n\n" % (event.id, shown["method"].encode(), data)
    finally:
        await found.aclose()


async def _start(request: Request, thread_id: str, params: dict[str, Any], before: int) -> dict[str, Any]:
    more = {k: params[k] for k in _RUN_KEYS if params.get(k) is not None}
    body = schemas.RunBody.model_validate(
        {
            **more,
            "assistant_id": params.get("assistant_id"),
            "input": params.get("input"),
            "if_not_exists": "create",
        }
    )
    return await _submit(request, thread_id, body, before)


async def _respond(request: Request, thread_id: str, params: dict[str, Any], before: int) -> dict[str, Any]:
    answers = _answers(params)
    engine = engine_of(request)
    filters = await allowed(request, "threads", "read", {"thread_id": thread_id})
    row = await engine.database.read(lambda conn: threads_table.row_of(conn, thread_id, filters))
    pending = pending_ids(row)
    unknown = [key for key in answers if key not in pending]
    if unknown:
        raise Refused("no_such_interrupt", f"Interrupt {unknown[0]!r} is not waiting for an answer.")
    told = {k: params[k] for k in ("update", "goto") if params.get(k) is not None}
    more = {k: params[k] for k in _RUN_KEYS if params.get(k) is not None}
    metadata = orjson.loads(row["metadata"])
    body = schemas.RunBody.model_validate(
        {**more, "assistant_id": metadata.get("assistant_id"), "command": {"resume": answers, **told}}
    )
    return await _submit(request, thread_id, body, before)


async def _submit(request: Request, thread_id: str, body: schemas.RunBody, before: int) -> dict[str, Any]:
    engine = engine_of(request)
    run = await engine.submit(
        await draft_of(request, body, thread_id, protocol=True),
        then=lambda run: engine.claims.expect(thread_id, run.run_id, before),
    )
    return {"run_id": run.run_id}


async def _state(request: Request, thread_id: str, params: dict[str, Any], before: int) -> dict[str, Any]:
    namespace = params.get("namespace") or []
    state = await states.read(
        engine_of(request),
        await _row(request, thread_id),
        user_data(request),
        checkpoint={"checkpoint_ns": "|".join(str(part) for part in namespace)},
    )
    values = state["values"]
    keys = params.get("keys")
    if keys and isinstance(values, dict):
        values = {k: v for k, v in values.items() if k in keys}
    found: dict[str, Any] = {"values": values}
    if state["checkpoint_id"]:
        found["checkpoint"] = {"id": state["checkpoint_id"], "ns": state["checkpoint"]["checkpoint_ns"]}
    return found


async def _checkpoints(
    request: Request, thread_id: str, params: dict[str, Any], before: int
) -> dict[str, Any]:
    body = schemas.HistoryRead.model_validate(
        {"limit": params.get("limit") or 10, "before": params.get("before")}
    )
    history = await states.history(
        engine_of(request), await _row(request, thread_id), user_data(request), body
    )
    return {
        "checkpoints": [
            {
                "id": state["checkpoint_id"],
                "timestamp": state["created_at"],
                "step": state["metadata"].get("step"),
                "metadata": state["metadata"],
            }
            for state in history
        ]
    }


async def _tree(request: Request, thread_id: str, params: dict[str, Any], before: int) -> dict[str, Any]:
    row = await _row(request, thread_id)
    status = {"busy": "running", "interrupted": "interrupted", "error": "failed"}.get(
        row["status"], "completed"
    )
    found: dict[str, Any] = {"namespace": [], "status": status, "graph_name": ""}
    async with states.graph_of(engine_of(request), row, "threads.read", user_data(request)) as graph:
        if graph is not None:
            found["graph_name"] = orjson.loads(row["metadata"])["graph_id"]
            found["metadata"] = {"graph": await draw(graph, None, False)}
    return {"tree": found}


async def _row(request: Request, thread_id: str) -> Any:
    filters = await allowed(request, "threads", "read", {"thread_id": thread_id})
    return await engine_of(request).database.read(lambda conn: threads_table.row_of(conn, thread_id, filters))


def _answers(params: dict[str, Any]) -> dict[str, Any]:
    entries = params.get("responses")
    entries = [params] if entries is None else entries
    if not isinstance(entries, list) or not entries:
        raise Invalid("'responses' must be a list of answers.")
    found: dict[str, Any] = {}
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("interrupt_id"), str):
            raise Invalid("Every answer needs an 'interrupt_id'.")
        found[entry["interrupt_id"]] = entry.get("response")
    return found


def _refusal(command_id: int, code: str, message: str, extra: Mapping[str, Any] | None = None) -> Response:
    shown = {"type": "error", "id": command_id, "error": code, "message": message}
    return answer({**shown, **({"details": extra} if extra else {})})


_COMMANDS = {
    "run.start": _start,
    "input.respond": _respond,
    "state.get": _state,
    "state.listCheckpoints": _checkpoints,
    "agent.getTree": _tree,
}
