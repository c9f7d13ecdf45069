"""The statements that put a campaign's artifacts and relations into the graph, keyed on our own ids.

Labels and types come from `ids`, which yields nothing but ASCII identifiers; every value is a parameter.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from pausepoint.campaigns.ids import artifact_label
from pausepoint.campaigns.records import Record

Statement = tuple[str, dict[str, Any]]


def artifact_statements(label: str, records: Sequence[Record]) -> list[Statement]:
    """Create or replace the nodes of artifacts."""
    query = (
        f"UNWIND $rows AS row MERGE (a:`{artifact_label(label)}` {{id: row.id}})"
        " SET a = row.properties, a.createdAt = datetime(row.created)"
    )
    return [(query, {"rows": [_row(record) for record in records]})] if records else []


def relation_statements(label: str, records: Sequence[Record], known: Iterable[str]) -> list[Statement]:
    """Create or replace the edges of relations; `known` are ids that may have an edge elsewhere already."""
    node = artifact_label(label)
    by_type: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        row = _row(record)
        kind = row["properties"].pop("type")
        by_type[kind].append({**row, "source": record.source, "target": record.target})
    statements = delete_relations(label, known)
    for kind, rows in sorted(by_type.items()):
        query = (
            f"UNWIND $rows AS row MATCH (a:`{node}` {{id: row.source}}) MATCH (b:`{node}` {{id: row.target}})"
            f" MERGE (a)-[r:`{kind}` {{id: row.id}}]->(b)"
            " SET r = row.properties, r.createdAt = datetime(row.created)"
        )
        statements.append((query, {"rows": rows}))
    return statements


def delete_artifacts(label: str, ids: Iterable[str]) -> list[Statement]:
    """Remove nodes with their edges."""
    query = f"MATCH (a:`{artifact_label(label)}`) WHERE a.id IN $ids DETACH DELETE a"
    return _with_ids(query, ids)


def delete_relations(label: str, ids: Iterable[str]) -> list[Statement]:
    """Remove edges."""
    query = f"MATCH (:`{artifact_label(label)}`)-[r]->() WHERE r.id IN $ids DELETE r"
    return _with_ids(query, ids)


def read_artifacts(label: str) -> str:
    """Every node of a campaign as `properties`."""
    return f"MATCH (a:`{artifact_label(label)}`) RETURN properties(a) AS properties"


def read_relations(label: str) -> str:
    """Every edge of a campaign as `properties` with `type`, `source` and `target`."""
    node = artifact_label(label)
    return (
        f"MATCH (a:`{node}`)-[r]->(b:`{node}`)"
        " RETURN properties(r) AS properties, type(r) AS type, a.id AS source, b.id AS target"
    )


def count_artifacts(label: str) -> str:
    """How many nodes a campaign has, as `total`."""
    return f"MATCH (a:`{artifact_label(label)}`) RETURN count(a) AS total"


def count_relations(label: str) -> str:
    """How many edges a campaign has, as `total`."""
    return f"MATCH (:`{artifact_label(label)}`)-[r]->() RETURN count(r) AS total"


def _row(record: Record) -> dict[str, Any]:
    properties = dict(record.graph)
    created = properties.pop("createdAt")
    return {"id": record.id, "properties": properties, "created": created}


def _with_ids(query: str, ids: Iterable[str]) -> list[Statement]:
    wanted = sorted(ids)
    return [(query, {"ids": wanted})] if wanted else []
