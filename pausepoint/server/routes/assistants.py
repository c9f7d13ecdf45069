"""Assistants: a graph with its configuration, in versions."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from pausepoint.server import schemas
from pausepoint.server.drawing import draw, schemas_of, subgraphs_of
from pausepoint.server.engine import Engine
from pausepoint.server.errors import Conflict, Invalid, NotFound
from pausepoint.server.graphs import Purpose
from pausepoint.server.routes.common import (
    allowed,
    answer,
    change_by,
    engine_of,
    fields,
    nothing,
    page,
    router,
    user_of,
)
from pausepoint.server.tables import assistants as table

routes = router("Assistants")
Key = Annotated[str, Path(description="The assistant's id, or a graph's name for the graph's own assistant.")]


def resolve(engine: Engine, key: str) -> str:
    """The assistant's id for an id or a graph's name.

    Raises:
        NotFound: It is neither.
    """
    found = engine.graph_ids.get(key)
    if found is not None:
        return found
    try:
        return str(UUID(key))
    except ValueError:
        raise NotFound("Assistant", key) from None


@routes.post("/assistants", summary="Create an assistant")
async def create(request: Request, body: schemas.AssistantCreate) -> Response:
    """Store a graph with a configuration under an id."""
    engine = engine_of(request)
    values = fields(body)
    filters = await allowed(request, "assistants", "create", values)
    if body.graph_id is None and not body.assistant_id:
        raise Invalid("'graph_id' is missing: name the graph the assistant uses.")
    if body.graph_id is not None and body.graph_id not in engine.graphs:
        raise NotFound("Graph", body.graph_id)
    if body.graph_id is None:
        raise Invalid("'graph_id' may not be null for a new assistant.")
    return answer(
        await engine.database.write(lambda conn: table.create(conn, values, body.if_exists, filters))
    )


@routes.post("/assistants/search", summary="Search assistants")
async def search(request: Request, body: schemas.AssistantSearch) -> Response:
    """Find assistants by metadata, graph and name."""
    query = fields(body)
    filters = await allowed(request, "assistants", "search", query)
    rows = await engine_of(request).database.read(lambda conn: table.search(conn, query, filters))
    return page(rows, body.limit, body.offset, body.select)


@routes.post("/assistants/count", summary="Count assistants")
async def count(request: Request, body: schemas.AssistantCount) -> Response:
    """How many a search would find."""
    query = fields(body)
    filters = await allowed(request, "assistants", "search", query)
    return answer(await engine_of(request).database.read(lambda conn: table.count(conn, query, filters)))


@routes.get("/assistants/{assistant_id}", summary="Get an assistant")
async def get(request: Request, assistant_id: Key) -> Response:
    """One assistant in its current version."""
    return answer(await _read(request, assistant_id))


@routes.patch("/assistants/{assistant_id}", summary="Change an assistant")
async def patch(request: Request, assistant_id: Key, body: schemas.AssistantPatch) -> Response:
    """Store changes as a new version."""
    engine = engine_of(request)
    key = resolve(engine, assistant_id)
    changes = fields(body)
    filters = await allowed(request, "assistants", "update", {"assistant_id": key, **changes})
    if body.graph_id is not None and body.graph_id not in engine.graphs:
        raise NotFound("Graph", body.graph_id)
    return answer(await engine.database.write(lambda conn: table.update(conn, key, changes, filters)))


@routes.delete("/assistants/{assistant_id}", summary="Delete an assistant", status_code=204)
async def delete(
    request: Request, assistant_id: Key, delete_threads: Annotated[bool, Query()] = False
) -> Response:
    """Delete an assistant, with its threads when asked; a graph's own assistant stays."""
    engine = engine_of(request)
    key = resolve(engine, assistant_id)
    filters = await allowed(request, "assistants", "delete", {"assistant_id": key})
    if key in engine.graph_ids.values():
        raise Conflict("A graph's own assistant cannot be deleted.")
    await engine.database.write(lambda conn: table.delete(conn, key, filters))
    if delete_threads:
        query = {"metadata": {"assistant_id": key}, "limit": schemas.MAX_PAGE, "offset": 0}
        visible = await allowed(request, "threads", "delete", dict(query))
        await engine.delete_threads_of(query, visible, change_by(request, "delete", ""))
    return nothing()


@routes.post("/assistants/{assistant_id}/versions", summary="List an assistant's versions")
async def versions(request: Request, assistant_id: Key, body: schemas.VersionsSearch) -> Response:
    """All versions, newest first."""
    engine = engine_of(request)
    key = resolve(engine, assistant_id)
    query = fields(body)
    filters = await allowed(request, "assistants", "read", {"assistant_id": key})
    return answer(await engine.database.read(lambda conn: table.versions(conn, key, query, filters)))


@routes.post("/assistants/{assistant_id}/latest", summary="Choose an assistant's version")
async def latest(request: Request, assistant_id: Key, body: schemas.VersionChoice) -> Response:
    """Make an earlier version the current one."""
    engine = engine_of(request)
    key = resolve(engine, assistant_id)
    filters = await allowed(request, "assistants", "update", {"assistant_id": key, "version": body.version})
    return answer(
        await engine.database.write(lambda conn: table.set_latest(conn, key, body.version, filters))
    )


@routes.get("/assistants/{assistant_id}/graph", summary="Draw an assistant's graph")
async def graph(request: Request, assistant_id: Key, xray: Annotated[str, Query()] = "false") -> Response:
    """Nodes and edges; `xray` opens subgraphs, a number says how deep."""
    assistant = await _read(request, assistant_id)
    depth = _xray(xray)
    async with engine_of(request).graphs.open(assistant["graph_id"], _purpose(request, assistant)) as opened:
        return answer(await draw(opened, assistant["config"], depth))


@routes.get("/assistants/{assistant_id}/schemas", summary="Get an assistant's schemas")
async def schemas_route(request: Request, assistant_id: Key) -> Response:
    """JSON Schemas of input, output, state, config and context."""
    assistant = await _read(request, assistant_id)
    async with engine_of(request).graphs.open(assistant["graph_id"], _purpose(request, assistant)) as opened:
        return answer({"graph_id": assistant["graph_id"], **schemas_of(opened)})


@routes.get("/assistants/{assistant_id}/subgraphs", summary="Get the schemas of subgraphs")
async def subgraphs(
    request: Request, assistant_id: Key, recurse: Annotated[bool, Query()] = False
) -> Response:
    """Namespace → schemas, for the subgraphs of an assistant's graph."""
    return await _subgraphs(request, assistant_id, None, recurse)


@routes.get("/assistants/{assistant_id}/subgraphs/{namespace}", summary="Get the schemas of one subgraph")
async def subgraph(
    request: Request, assistant_id: Key, namespace: str, recurse: Annotated[bool, Query()] = False
) -> Response:
    """The same for one namespace."""
    return await _subgraphs(request, assistant_id, namespace, recurse)


async def _subgraphs(request: Request, assistant_id: str, namespace: str | None, recurse: bool) -> Response:
    assistant = await _read(request, assistant_id)
    async with engine_of(request).graphs.open(assistant["graph_id"], _purpose(request, assistant)) as opened:
        return answer(await subgraphs_of(opened, namespace, recurse))


async def _read(request: Request, assistant_id: str) -> dict[str, Any]:
    engine = engine_of(request)
    key = resolve(engine, assistant_id)
    filters = await allowed(request, "assistants", "read", {"assistant_id": key})
    # A graph's own assistant belongs to nobody; the handler has been asked, its filter on owners cannot fit.
    own = key in engine.graph_ids.values()
    return await engine.database.read(lambda conn: table.get(conn, key, None if own else filters))


def _purpose(request: Request, assistant: dict[str, Any]) -> Purpose:
    return Purpose("assistants.read", assistant["config"], assistant["context"], user_of(request))


def _xray(value: str) -> int | bool:
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    try:
        return max(0, min(int(value), 100))
    except ValueError:
        raise Invalid(f"'xray' is {value!r}; expected true, false or a number.") from None
