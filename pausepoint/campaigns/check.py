"""Compares what the vectors and the graph hold with what a campaign's rows say they should."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pausepoint.campaigns import graphwrite
from pausepoint.campaigns.model import PointType
from pausepoint.campaigns.records import Item, Record
from pausepoint.campaigns.render import Renderer
from pausepoint.campaigns.rows import CampaignRow
from pausepoint.campaigns.store import CampaignStore
from pausepoint.graphdb.port import GraphDatabase
from pausepoint.vectors.port import VectorStore

_ROWS = 10_000_000
_SECONDS = 300.0


def _nothing() -> dict[PointType, set[str]]:
    return {"note": set(), "artifact": set(), "relation": set()}


@dataclass(slots=True)
class Differences:
    """What the rows do not know (`extra_*`), and which of the rows' items another store lacks (`stale`)."""

    extra_points: list[str] = field(default_factory=list[str])
    extra_artifacts: set[str] = field(default_factory=set[str])
    extra_relations: set[str] = field(default_factory=set[str])
    stale: dict[PointType, set[str]] = field(default_factory=_nothing)


class Check:
    """Looks, and changes nothing."""

    def __init__(
        self, store: CampaignStore, render: Renderer, vectors: VectorStore, graph: GraphDatabase
    ) -> None:
        """Use open stores."""
        self._store = store
        self._render = render
        self._vectors = vectors
        self._graph = graph

    async def plausible(self, row: CampaignRow) -> bool:
        """Whether the stores hold as much as the rows say; cheap."""
        counts = await self._store.counts(row.uuid)
        if await self._store.any_stale(row.uuid):
            return False
        return (
            await self._vectors.count(row.collection) == counts.points
            and await self._count(graphwrite.count_artifacts(row.graph_label)) == counts.artifacts
            and await self._count(graphwrite.count_relations(row.graph_label)) == counts.relations
        )

    async def differences(self, row: CampaignRow) -> Differences:
        """Every point, node and edge against every row."""
        items: list[Item] = [
            *await self._store.notes(row.uuid),
            *await self._store.artifacts(row.uuid),
            *await self._store.relations(row.uuid),
        ]
        records = await self._render.records(row, items)
        found = Differences()
        await self._points(row, records, found)
        await self._nodes(row, records, found)
        await self._edges(row, records, found)
        for kind, ids in found.stale.items():
            stored = await self._store.stored(row.uuid, kind)
            ids |= {key for key, item in stored.items() if not item.hash}
        return found

    async def _points(self, row: CampaignRow, records: list[Record], found: Differences) -> None:
        actual = {hit.id: hit.payload for hit in await self._vectors.scroll(row.collection)}
        for record in records:
            for key, payload in record.payloads.items():
                if actual.pop(key, None) != payload:
                    found.stale[record.kind].add(record.id)
        found.extra_points = list(actual)

    async def _nodes(self, row: CampaignRow, records: list[Record], found: Differences) -> None:
        wanted = {r.id: _plain(r.graph) for r in records if r.kind == "artifact"}
        rows = await self._read(graphwrite.read_artifacts(row.graph_label))
        actual = {each["properties"].get("id", ""): _plain(each["properties"]) for each in rows}
        found.extra_artifacts = actual.keys() - wanted.keys()
        found.stale["artifact"] |= {key for key, value in wanted.items() if actual.get(key) != value}

    async def _edges(self, row: CampaignRow, records: list[Record], found: Differences) -> None:
        wanted = {
            r.id: _plain({**r.graph, "source": r.source, "target": r.target})
            for r in records
            if r.kind == "relation"
        }
        rows = await self._read(graphwrite.read_relations(row.graph_label))
        actual = [_plain({**each["properties"], **_ends(each)}) for each in rows]
        twice = {
            key for key, count in Counter(str(each.get("id", "")) for each in actual).items() if count > 1
        }
        by_id = {str(each.get("id", "")): each for each in actual}
        wrong = {key for key, value in wanted.items() if by_id.get(key) != value} | (twice & wanted.keys())
        found.extra_relations = (by_id.keys() - wanted.keys()) | (wrong & by_id.keys())
        found.stale["relation"] |= wrong

    async def _count(self, query: str) -> int:
        rows = await self._read(query)
        return rows[0]["total"] if rows else 0

    async def _read(self, query: str) -> list[dict[str, Any]]:
        return (await self._graph.read(query, timeout=_SECONDS, max_rows=_ROWS)).rows


def _ends(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": row["type"], "source": row["source"], "target": row["target"]}


def _plain(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Properties without the moment (engines spell it differently) and without what is not stored: null."""
    return {k: v for k, v in properties.items() if k != "createdAt" and v is not None}
