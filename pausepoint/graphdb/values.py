"""Turns what the driver returns into the plain values of the port, counting their size as it goes."""

import base64
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from pausepoint.graphdb.port import GraphEdge, GraphNode

if TYPE_CHECKING:
    from neo4j import Record
    from neo4j.graph import Node, Path, Relationship

_OVERHEAD = 16
"""Bytes counted for a value beside its text."""


class Converter:
    """Converts values one by one; `size` is about how many bytes they took so far."""

    def __init__(self) -> None:
        from neo4j import graph, spatial

        self.size = 0
        self._node, self._edge, self._path, self._point = (
            graph.Node,
            graph.Relationship,
            graph.Path,
            spatial.Point,
        )

    def row(self, record: "Record") -> dict[str, Any]:
        """A record as a map of plain values."""
        values: dict[str, Any] = dict(zip(record.keys(), record.values(), strict=True))
        return {key: self.plain(value) for key, value in values.items()}

    def plain(self, value: Any) -> Any:
        """The value as JSON types, `GraphNode`s and `GraphEdge`s."""
        self.size += _OVERHEAD
        match value:
            case None | bool() | int():
                return value
            case str():
                self.size += len(value)
                return value
            case float():
                # JSON has no NaN and no infinity.
                return value if math.isfinite(value) else None
            case dict():
                return self._map(cast(dict[str, Any], value))
            case _:
                return self._compound(value)

    def _compound(self, value: Any) -> Any:
        # A path, a point and a duration are sequences too: they come before lists.
        if isinstance(value, self._node):
            return self._graph_node(value)
        if isinstance(value, self._edge):
            return self._graph_edge(value)
        if isinstance(value, self._path):
            return self._steps(value)
        if isinstance(value, self._point):
            return "POINT" + (" Z" if len(value) > 2 else "") + f" ({' '.join(map(repr, value))})"
        if isinstance(value, bytes | bytearray):
            self.size += len(value)
            return base64.b64encode(value).decode()
        iso = _iso(value)
        if iso is None and isinstance(value, list | tuple | set | frozenset):
            return [self.plain(item) for item in cast(Iterable[Any], value)]
        return str(value) if iso is None else iso

    def _map(self, value: dict[str, Any]) -> dict[str, Any]:
        self.size += sum(map(len, value))
        return {key: self.plain(item) for key, item in value.items()}

    def _graph_node(self, node: "Node") -> GraphNode:
        return GraphNode(node.element_id, tuple(sorted(node.labels)), self._map(dict(node.items())))

    def _graph_edge(self, edge: "Relationship") -> GraphEdge:
        start, end = (node.element_id if node is not None else "" for node in edge.nodes)
        return GraphEdge(edge.element_id, edge.type, start, end, self._map(dict(edge.items())))

    def _steps(self, path: "Path") -> list[GraphNode | GraphEdge]:
        steps: list[GraphNode | GraphEdge] = [self._graph_node(path.start_node)]  # type: ignore[arg-type]
        for edge, node in zip(path.relationships, path.nodes[1:], strict=True):
            steps += [self._graph_edge(edge), self._graph_node(node)]
        return steps


def _iso(value: Any) -> str | None:
    """The driver's and Python's dates, times and durations all know their ISO 8601 form."""
    for name in ("iso_format", "isoformat"):
        if hasattr(value, name):
            return str(getattr(value, name)())
    return None
