"""Indexes and removal, in Cypher that the embedded engine and Neo4j both take; safe to repeat."""

import re

from pausepoint.graphdb.errors import GraphError
from pausepoint.graphdb.port import GraphDatabase

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,119}")
_BATCH = 1000


class InvalidName(GraphError):
    """A label, relationship type or property that is no plain ASCII identifier."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name[:80]!r} is no name for the graph: use an ASCII letter or '_', then letters, digits or '_' "
            "(at most 120); pausepoint.campaigns.ids makes such names from any text"
        )


def identifier(name: str) -> str:
    """The name itself when it can stand in Cypher without quoting.

    Labels cannot be parameters; so nothing else is ever put into a query's text.

    Raises:
        InvalidName: it is not an ASCII identifier.
    """
    if not _IDENTIFIER.fullmatch(name):
        raise InvalidName(name)
    return name


async def ensure_label(graph: GraphDatabase, label: str, *, properties: tuple[str, ...] = ("id",)) -> None:
    """Create the label's indexes, one a property, unless they exist.

    Raises:
        InvalidName: the label or a property is not an ASCII identifier.
    """
    for name in properties:
        index = f"{identifier(label)}_{identifier(name)}"
        await graph.write(f"CREATE INDEX {index} IF NOT EXISTS FOR (n:{label}) ON (n.{name})")


async def delete_campaign(graph: GraphDatabase, campaign_uuid: str, *, label: str | None = None) -> int:
    """Delete a campaign's nodes and relationships in transactions of a thousand; returns the number of nodes.

    Args:
        graph: the graph.
        campaign_uuid: the `campaignUuid` of its nodes.
        label: look only at nodes of this label, which is faster.

    Raises:
        InvalidName: the label is not an ASCII identifier.
    """
    nodes = f"(n:{identifier(label)})" if label is not None else "(n)"
    query = f"MATCH {nodes} WHERE n.campaignUuid = $campaign WITH n LIMIT $batch DETACH DELETE n RETURN count(*) AS n"
    total = 0
    while True:
        rows = await graph.write(query, {"campaign": campaign_uuid, "batch": _BATCH})
        deleted = int(rows[0]["n"]) if rows else 0
        total += deleted
        if deleted == 0:
            return total
