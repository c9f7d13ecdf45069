"""The graph: one Bolt port, kept by an embedded engine or a Neo4j server."""

from pausepoint.graphdb.open import open_graph
from pausepoint.graphdb.schema import delete_campaign, ensure_label, identifier

__all__ = ["delete_campaign", "ensure_label", "identifier", "open_graph"]
