"""Which version of a graph asked: a pause that a changed graph cannot take up is held, with the reason, and never lost."""

import asyncio
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from pausepoint.pauses.decisions import digest
from pausepoint.server.clock import now
from pausepoint.server.graphs import GraphRegistry, Purpose

log = structlog.get_logger("pausepoint.pauses")


@dataclass(frozen=True)
class Version:
    """A graph as it is loaded now."""

    digest: str
    nodes: frozenset[str]


def version_of(graph: Any) -> Version:
    """The version of a compiled graph: its nodes, edges and channels, not the code inside its nodes."""
    drawing = graph.get_graph()
    edges = sorted((e.source, e.target, e.conditional) for e in drawing.edges)
    channels = sorted(name for name in graph.channels if not name.startswith(("branch:", "__")))
    nodes = sorted(name for name in graph.nodes if name != "__start__")
    return Version(digest([nodes, edges, channels])[:32], frozenset(nodes))


async def versions_of(graphs: GraphRegistry) -> dict[str, Version]:
    """The versions of all graphs that can be opened without a run."""
    found: dict[str, Version] = {}
    for graph_id in graphs.ids():
        try:
            async with graphs.open(graph_id, Purpose("threads.read")) as graph:
                found[graph_id] = await asyncio.to_thread(version_of, graph)
        except Exception as error:
            log.warning("graph has no version", graph_id=graph_id, reason=str(error)[:200])
    return found


def hold_unfit(
    conn: sqlite3.Connection, versions: Mapping[str, Version], failures: Mapping[str, str], known: list[str]
) -> int:
    """Hold every open pause whose graph cannot take the answer any more, and release those it can again.

    Returns:
        How many are held.
    """
    held = 0
    for row in conn.execute(
        "SELECT number, graph_id, graph_version, node, hold_reason FROM pauses WHERE status = 'open'"
    ).fetchall():
        reason = _unfit(row, versions, failures, known)
        held += reason is not None
        if reason != row["hold_reason"]:
            conn.execute(
                "UPDATE pauses SET hold_reason = ?, updated_at = ? WHERE number = ?",
                (reason, now(), row["number"]),
            )
    return held


def _unfit(
    row: sqlite3.Row, versions: Mapping[str, Version], failures: Mapping[str, str], known: list[str]
) -> str | None:
    graph_id = row["graph_id"]
    if graph_id not in known:
        return f"langgraph.json names no graph {graph_id!r} any more."
    if graph_id in failures:
        return f"The graph {graph_id!r} cannot be imported."
    version = versions.get(graph_id)
    if version is None or row["graph_version"] in (None, version.digest) or row["node"] is None:
        return None
    if row["node"] in version.nodes:
        return None
    return f"The graph {graph_id!r} has changed: it has no node {row['node']!r} any more, which asked this."
