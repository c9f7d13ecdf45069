"""The graph: one Bolt port, kept by an embedded engine or a Neo4j server."""

from pausepoint.graphdb.open import open_graph

__all__ = ["open_graph"]
