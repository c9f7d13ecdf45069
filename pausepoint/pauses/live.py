"""The inbox as it changes: events from their table, so that a listener who was away gets what it missed."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import Any

from pausepoint.pauses.bell import Bell
from pausepoint.server.engine import Engine
from pausepoint.server.serialize import to_json
from pausepoint.server.sse import HEARTBEAT
from pausepoint.server.tables.filters import Where

_PAGE = 200
_LOOK_SECONDS = 1.0
_SHOWN = "p.kind, p.title, p.status, p.assignee, p.due_at, p.graph_id, p.interrupt_id"


async def following(
    engine: Engine, bell: Bell, start: int | None, filters: Mapping[str, Any] | None
) -> AsyncGenerator[bytes]:
    """Server-sent events after an id; None starts with what comes next."""
    rung, silent = bell.listen(), 0.0
    try:
        after = start if start is not None else await engine.database.read(_last)
        yield HEARTBEAT
        while not engine.draining:
            rung.clear()
            found, after = await engine.database.read(lambda conn, a=after: _page(conn, a, filters))
            for event in found:
                yield b"id: %d\nevent: %s\ndata: %s\n\n" % (
                    event["seq"],
                    event["event"].encode(),
                    to_json({key: value for key, value in event.items() if key != "seq"}),
                )
            if found:
                silent = 0.0
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_SECONDS):
                    await rung.wait()
                    continue
            silent += _LOOK_SECONDS
            if silent >= engine.limits.heartbeat_seconds:
                silent = 0.0
                yield HEARTBEAT
    finally:
        with suppress(KeyError):
            bell.leave(rung)


def _last(conn: sqlite3.Connection) -> int:
    return conn.execute("SELECT coalesce(max(seq), 0) FROM pause_events").fetchone()[0]


def _page(
    conn: sqlite3.Connection, after: int, filters: Mapping[str, Any] | None
) -> tuple[list[dict[str, Any]], int]:
    where = Where()
    where.add("e.seq > ?", after)
    where.allowed("t.metadata", filters)
    source = (
        "pause_events e JOIN pauses p ON p.pause_id = e.pause_id JOIN threads t ON t.thread_id = e.thread_id"
    )
    found = conn.execute(
        f"SELECT e.*, {_SHOWN} FROM {source} WHERE {where.sql()} ORDER BY e.seq LIMIT ?",  # noqa: S608
        [*where.values, _PAGE],
    ).fetchall()
    shown = [dict(row) for row in found]
    return shown, shown[-1]["seq"] if shown else after
