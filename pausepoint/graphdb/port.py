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

    `keys` may be empty when there are no rows: the embedded engine does not tell them then.
    `rows` holds plain JSON values, `GraphNode`s and `GraphEdge`s (also inside lists and maps; a path is
    the list of its nodes and edges in order). Temporal and spatial values are ISO / WKT strings, bytes are
    base64, NaN and infinities are None. `truncated` tells that rows were left out: too many or too large.
    """

    keys: tuple[str, ...]
    rows: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    truncated: bool = False


class GraphDatabase(Protocol):
    """What the project asks of a graph; the embedded engine and a Neo4j server both keep it."""

    async def read(
        self, query: str, params: Params | None = None, *, timeout: float = 30.0, max_rows: int = 1000
    ) -> ReadResult:
        """Run a query with the read-only login, in a transaction that is never kept.

        Args:
            query: Cypher.
            params: its parameters.
            timeout: seconds; the embedded engine's own limit (`graph_read_timeout`) counts when it is less.
            max_rows: rows after which the result is cut off and marked as truncated.

        Raises:
            QueryTimeout: it took too long.
            QueryError: it was refused or failed; `repairable` tells whether another wording may succeed.
            GraphUnavailable: the database does not answer.
        """
        ...

    async def write(
        self, query: str, params: Params | None = None, *, repeatable: bool = True
    ) -> list[dict[str, Any]]:
        """Run one statement in a write transaction and return its rows.

        A transaction whose connection was lost is run again: it was rolled back. When that happened while the
        commit was under way nobody knows, and it is run again too, so statements should be such that twice is
        as good as once (MERGE on an id). `repeatable=False` raises `ConnectionLost` then.
        """
        ...

    async def write_all(self, statements: Sequence[tuple[str, Params]], *, repeatable: bool = True) -> None:
        """Run several statements in one write transaction, all or nothing; `repeatable` as for `write`."""
        ...

    async def ready(self) -> None:
        """Wait until queries are answered; raises `GraphUnavailable` when they will not be."""
        ...

    async def close(self) -> None:
        """Release connections; the embedded engine's child process ends when its last user closed."""
        ...
