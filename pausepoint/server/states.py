"""Reads and changes the state of threads through their graphs."""

import sqlite3
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import orjson
from langgraph.errors import InvalidUpdateError
from langgraph.types import StateUpdate

from pausepoint.server import schemas
from pausepoint.server.changes import Change
from pausepoint.server.errors import Conflict, Invalid, NotFound
from pausepoint.server.execute import Graph, state_of, to_command
from pausepoint.server.graphs import Purpose
from pausepoint.server.snapshots import address, checkpoint_json, empty_state, state_json
from pausepoint.server.tables import threads as threads_table
from pausepoint.server.users import ServedUser

if TYPE_CHECKING:
    from pausepoint.server.engine import Engine


@asynccontextmanager
async def graph_of(
    engine: "Engine", row: sqlite3.Row, access: str, user: dict[str, Any] | None
) -> AsyncGenerator[Graph | None]:
    """The graph that ran on a thread, or None when none has."""
    graph_id = orjson.loads(row["metadata"]).get("graph_id")
    if graph_id is None:
        yield None
        return
    purpose = Purpose(cast("Any", access), orjson.loads(row["config"]), None, ServedUser.of(user))
    async with engine.graphs.open(graph_id, purpose) as graph:
        yield graph


async def read(
    engine: "Engine",
    row: sqlite3.Row,
    user: dict[str, Any] | None,
    *,
    checkpoint: Mapping[str, Any] | None = None,
    subgraphs: bool = False,
    select: Sequence[str] | None = None,
) -> dict[str, Any]:
    """A thread's state, the latest or that at a checkpoint.

    Raises:
        NotFound: There is no such checkpoint.
    """
    thread_id = str(row["thread_id"])
    async with graph_of(engine, row, "threads.read", user) as graph:
        if graph is None:
            return empty_state(thread_id)
        config = address(thread_id, checkpoint)
        try:
            snapshot = await graph.aget_state(cast("Any", config), subgraphs=subgraphs)
        except ValueError as error:
            raise NotFound("Checkpoint", checkpoint) from error
        if snapshot.created_at is None and (checkpoint or {}).get("checkpoint_id"):
            raise NotFound("Checkpoint", (checkpoint or {})["checkpoint_id"])
        if snapshot.created_at is None:
            return empty_state(thread_id)
        return state_json(snapshot, select)


async def history(
    engine: "Engine", row: sqlite3.Row, user: dict[str, Any] | None, body: schemas.HistoryRead
) -> list[dict[str, Any]]:
    """A thread's states, newest first."""
    thread_id = str(row["thread_id"])
    async with graph_of(engine, row, "threads.read", user) as graph:
        if graph is None:
            return []
        start = (
            body.checkpoint.model_dump(exclude_none=True, exclude={"checkpoint_id"})
            if body.checkpoint
            else None
        )
        before = body.before
        if isinstance(before, schemas.Checkpoint):
            before = before.checkpoint_id
        limits = None if before is None else address(thread_id, {"checkpoint_id": before})
        found: list[dict[str, Any]] = []
        states = graph.aget_state_history(
            cast("Any", address(thread_id, start)),
            limit=body.limit,
            before=cast("Any", limits),
            filter=body.metadata,
        )
        try:
            async for snapshot in states:
                found.append(state_json(snapshot, body.select))
        except ValueError as error:
            raise Invalid(f"The history cannot be read: {error}") from error
        return found


async def update(
    engine: "Engine",
    row: sqlite3.Row,
    user: dict[str, Any] | None,
    body: schemas.StateWrite,
    change: Change | None = None,
) -> dict[str, Any]:
    """Write to a thread's state as if a node had.

    Raises:
        Conflict: A run is at work.
        Invalid: The graph refuses it.
    """
    if row["status"] == "busy":
        raise Conflict(f"Thread {row['thread_id']!r} is busy; wait for its run, or cancel it.")
    thread_id = str(row["thread_id"])
    change = change or Change("update", thread_id, user)
    await engine.database.read(lambda conn: engine.change(conn, change))
    checkpoint = (
        body.checkpoint.model_dump(exclude_none=True, exclude={"thread_id"}) if body.checkpoint else {}
    )
    if body.checkpoint_id:
        checkpoint["checkpoint_id"] = body.checkpoint_id
    async with graph_of(engine, row, "threads.update", user) as graph:
        if graph is None:
            raise Invalid(
                "Nothing has run on this thread, so it is not known which graph's state to change; "
                "set 'graph_id' in the thread's metadata first."
            )
        config = address(thread_id, checkpoint)
        values = cast("Any", body.values)
        if isinstance(values, list):
            updates = [[StateUpdate(v, body.as_node, None)] for v in cast("list[Any]", values)]
        else:
            updates = [[StateUpdate(values, body.as_node, None)]]
        config = await _apply(graph, config, updates)
        await _remember(engine, graph, change)
    return {"checkpoint": checkpoint_json(config), **_ids(config)}


async def replay(
    engine: "Engine",
    thread_id: str,
    graph_id: str,
    supersteps: Sequence[schemas.Superstep],
    user: dict[str, Any] | None,
) -> None:
    """Give a new thread a history.

    Raises:
        Invalid: The graph refuses it.
    """
    purpose = Purpose("threads.update", user=ServedUser.of(user))
    async with engine.graphs.open(graph_id, purpose) as graph:
        steps = [[_update(u) for u in step.updates] for step in supersteps]
        await _apply(graph, address(thread_id), steps)
        await _remember(engine, graph, Change("update", thread_id, user))


def _update(update: schemas.StateUpdate) -> StateUpdate:
    values: Any = update.values
    if update.command is not None:
        values = to_command(update.command.model_dump(exclude_unset=True))
    return StateUpdate(values, update.as_node, None)


async def _apply(graph: Graph, config: dict[str, Any], updates: list[list[StateUpdate]]) -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", await graph.abulk_update_state(cast("Any", config), updates))
    except (
        InvalidUpdateError,
        ValueError,
        TypeError,
        KeyError,
        NotImplementedError,
        AttributeError,
    ) as error:
        raise Invalid(f"The graph refuses the update: {error}") from error


async def _remember(engine: "Engine", graph: Graph, change: Change) -> None:
    thread_id = change.thread_id
    state = state_of(await graph.aget_state(cast("Any", address(thread_id))))
    after = replace(change, state=state, final=True)

    def note(conn: sqlite3.Connection) -> None:
        engine.change(conn, after)
        threads_table.set_state(
            conn, thread_id, status=state.status, values=state.values, interrupts=state.interrupts
        )

    await engine.database.write(note)


def _ids(config: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "configurable": config.get("configurable", {}),
        "checkpoint_id": config["configurable"]["checkpoint_id"],
    }
