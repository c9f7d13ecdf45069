"""The graph port: one Bolt database, read with a read-only login, written in managed transactions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Params = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node as a query returned it; `element_id` is only valid within its result."""

    element_id: str
    labels: tuple[str, ...]
    properties: dict[str, Any]


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A relationship as a query returned it, from `start` to `end` (element ids)."""

    element_id: str
    type: str
    start: str
    end: str
    properties: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReadResult:
    """Rows of a read query.

    `rows` holds plain JSON values, `GraphNode`s and `GraphEdge`s (also inside lists and maps; a path is
    the list of its nodes and edges in order). Temporal and spatial values are ISO / WKT strings.
    """

    keys: tuple[str, ...]
    rows: list[dict[str, Any]] = field(default_factory=list)
    truncated: bool = False


class GraphDatabase(Protocol):
    """What the project asks of a graph; the embedded engine and a Neo4j server both keep it."""

    async def read(
        self, query: str, params: Params | None = None, *, timeout: float = 30.0, max_rows: int = 1000
    ) -> ReadResult:
        """Run a query with the read-only login; seconds, rows. Raises the errors of `graphdb.errors`."""
        ...

    async def write(self, query: str, params: Params | None = None) -> list[dict[str, Any]]:
        """Run one statement in a managed write transaction and return its rows."""
        ...

    async def write_all(self, statements: Sequence[tuple[str, Params]]) -> None:
        """Run several statements in one managed write transaction: all or nothing."""
        ...

    async def ready(self) -> None:
        """Wait until queries are answered; raises `GraphUnavailable` when they will not be."""
        ...

    async def close(self) -> None:
        """Release connections; the embedded engine's child process ends when its last user closed."""
        ...
