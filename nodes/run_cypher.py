"""Step `run_cypher`: the guarded query with the read-only login, within its time; rows become nodes and edges."""

from collections.abc import Iterator
from typing import Any

from pausepoint.graphdb.errors import QueryError, QueryTimeout
from pausepoint.graphdb.port import GraphEdge, GraphNode, ReadResult
from pausepoint.services import Services, get_services
from state.assistant import AssistantState, Cypher, Edge, GraphData, Node

MAX_NODES, MAX_EDGES = 60, 120


async def run_cypher(state: AssistantState) -> AssistantState:
    """Run it; what the model can mend goes back to it as a reason."""
    services = await get_services()
    cypher: Cypher = state["cypher"]  # type: ignore[assignment]
    try:
        result = await services.graph.read(
            cypher["query"], cypher["params"], timeout=services.settings.graph_read_timeout
        )
    except (QueryError, QueryTimeout) as error:
        return {"cypher": {**cypher, "error": str(error)}}
    graph = await _complete(_graph(result), result, services)
    return {"graph": graph if graph["nodes"] else None, "actions": [*state["actions"], "cypher_query"]}


def _graph(result: ReadResult) -> GraphData:
    found = list(_walk([list(row.values()) for row in result.rows]))
    nodes = {n.element_id: _node(n) for n in found if isinstance(n, GraphNode) and "id" in n.properties}
    edges: dict[str, Edge] = {}
    for edge in (e for e in found if isinstance(e, GraphEdge)):
        if edge.start in nodes and edge.end in nodes:
            shown = _edge(edge, nodes[edge.start]["id"], nodes[edge.end]["id"])
            edges[shown["id"]] = shown
    unique = {n["id"]: n for n in nodes.values()}
    return _capped(list(unique.values()), list(edges.values()))


def _capped(nodes: list[Node], edges: list[Edge]) -> GraphData:
    kept = nodes[:MAX_NODES]
    ids = {n["id"] for n in kept}
    return {
        "nodes": kept,
        "edges": [e for e in edges if e["source"] in ids and e["target"] in ids][:MAX_EDGES],
    }


async def _complete(graph: GraphData, result: ReadResult, services: Services) -> GraphData:
    """Queries that return relationships without their ends: read the ends."""
    loose = [e for e in _walk([list(r.values()) for r in result.rows]) if isinstance(e, GraphEdge)]
    known = {e["id"] for e in graph["edges"]}
    missing = [
        e.properties["id"] for e in loose if e.properties.get("id") not in known and "id" in e.properties
    ]
    if not missing or len(graph["nodes"]) >= MAX_NODES:
        return graph
    campaign = loose[0].properties.get("campaignUuid")
    again = await services.graph.read(
        "MATCH (a {campaignUuid: $campaign})-[r {campaignUuid: $campaign}]->(b {campaignUuid: $campaign}) "
        "WHERE r.id IN $ids RETURN a, r, b",
        {"ids": missing[:MAX_EDGES], "campaign": campaign},
    )
    more = _graph(again)
    nodes = {n["id"]: n for n in [*graph["nodes"], *more["nodes"]]}
    edges = {e["id"]: e for e in [*graph["edges"], *more["edges"]]}
    return _capped(list(nodes.values()), list(edges.values()))


def _walk(value: Any) -> Iterator[GraphNode | GraphEdge]:
    if isinstance(value, GraphNode | GraphEdge):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _walk(part)
    elif isinstance(value, dict):
        yield from _walk(list(value.values()))


def _node(node: GraphNode) -> Node:
    about = node.properties
    return {
        "id": about["id"],
        "name": about.get("name", ""),
        "type": about.get("type", ""),
        "description": about.get("description") or "",
        "campaignUuid": about.get("campaignUuid", ""),
        "noteIds": list(about.get("note_ids") or []),
    }


def _edge(edge: GraphEdge, source: str, target: str) -> Edge:
    about = edge.properties
    return {
        "id": about.get("id", edge.element_id),
        "source": source,
        "target": target,
        "label": about.get("label") or edge.type,
        "description": about.get("description") or "",
        "reasoning": about.get("reasoning") or "",
        "noteIds": list(about.get("note_ids") or []),
    }
