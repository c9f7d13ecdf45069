"""Template Cypher for the three scopes, for what was found: one artifact, several, or relations."""


def template_query(label: str, kind: str, count: int, scope: str) -> tuple[str, str]:
    """The query and why.

    Args:
        label: the campaign's label, without `_Artifact`.
        kind: `artifact` or `relation`: what was found.
        count: how many were found.
        scope: relationships, full_subgraph or node_details.
    """
    node = f"{label}_Artifact"
    if kind == "relation":
        return _relations(node), "The found relations with both of their ends."
    if count > 1:
        return _between(node), "The shortest ways between the found artifacts."
    match scope:
        case "node_details":
            return f"MATCH (a:{node} {{id: $artifactId}}) RETURN a", "The artifact alone."
        case "full_subgraph":
            return _two_hops(node), "Everything within two hops of the artifact."
        case _:
            return _one_hop(node), "The artifact, its direct relations and their other ends."


def _one_hop(node: str) -> str:
    return (
        f"MATCH (a:{node} {{id: $artifactId}}) OPTIONAL MATCH (a)-[r]-(b:{node}) "
        "RETURN a, collect(DISTINCT r) AS relationships, collect(DISTINCT b) AS connectedNodes"
    )


def _two_hops(node: str) -> str:
    return (
        f"MATCH (a:{node} {{id: $artifactId}}) OPTIONAL MATCH (a)-[r]-(b:{node}) "
        f"OPTIONAL MATCH (b)-[s]-(c:{node}) "
        "RETURN a, collect(DISTINCT r) AS near, collect(DISTINCT b) AS neighbours, "
        "collect(DISTINCT s) AS far, collect(DISTINCT c) AS others"
    )


def _between(node: str) -> str:
    return (
        f"MATCH (a:{node})-[r]-(b:{node}) WHERE a.id IN $artifactIds AND b.id IN $artifactIds "
        "RETURN collect(DISTINCT a) AS ends, collect(DISTINCT r) AS relationships "
        f"UNION ALL MATCH (a:{node})-[r]-(m:{node})-[s]-(b:{node}) "
        "WHERE a.id IN $artifactIds AND b.id IN $artifactIds AND a.id < b.id AND NOT m.id IN $artifactIds "
        "RETURN collect(DISTINCT a) + collect(DISTINCT b) + collect(DISTINCT m) AS ends, "
        "collect(DISTINCT r) + collect(DISTINCT s) AS relationships"
    )


def _relations(node: str) -> str:
    return (
        f"MATCH (a:{node})-[r]->(b:{node}) WHERE r.id IN $relationshipIds "
        "RETURN collect(DISTINCT r) AS relationships, collect(DISTINCT a) + collect(DISTINCT b) AS connectedNodes"
    )
