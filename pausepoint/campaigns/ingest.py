"""Writes items into the three stores so that a kill at any instant costs nothing but a repetition.

The order is always: the campaign is marked, vectors, graph (one transaction), SQLite rows (which take the mark
away). Whoever finds the mark first makes the stores agree again (`repair`), then goes on.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pausepoint.campaigns import graphwrite
from pausepoint.campaigns.check import Check, Differences
from pausepoint.campaigns.ids import artifact_label, point_id
from pausepoint.campaigns.model import Campaign, PointType
from pausepoint.campaigns.records import Item, Record
from pausepoint.campaigns.render import Renderer
from pausepoint.campaigns.rows import CampaignRow
from pausepoint.campaigns.store import CampaignStore
from pausepoint.graphdb.port import GraphDatabase
from pausepoint.graphdb.schema import delete_campaign, ensure_label
from pausepoint.models.embeddings.port import Embedder
from pausepoint.models.embeddings.prepared import FILE, Prepared
from pausepoint.vectors.port import Point, VectorStore

INDEXED = ("type",)
"""Payload fields with an index, 4 MB each; others are filtered without one."""
_BATCH = 32


@dataclass(frozen=True, slots=True)
class Change:
    """What writing some items did."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0

    def __add__(self, other: "Change") -> "Change":
        return Change(
            self.added + other.added, self.changed + other.changed, self.unchanged + other.unchanged
        )


class Ingest:
    """Writes campaigns; one at a time per campaign."""

    def __init__(
        self, store: CampaignStore, vectors: VectorStore, graph: GraphDatabase, embedder: Embedder
    ) -> None:
        """Use open stores."""
        self.store = store
        self.vectors = vectors
        self.graph = graph
        self.embedder = embedder
        self.prepared = Prepared()
        self.render = Renderer(store)
        self.check = Check(store, self.render, vectors, graph)
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @property
    def embedding(self) -> str:
        """Model and dimensions that vectors are made with now."""
        return f"{self.embedder.name}:{self.embedder.dimensions}"

    def know(self, folder: Path) -> None:
        """Use the vectors that were prepared in a campaign's folder."""
        self.prepared.read(folder / FILE, self.embedder.name)

    async def heal(self) -> list[str]:
        """Make the stores agree again where a change was cut off or the model is another; the uuids of those."""
        ill = [row for row in await self.store.all() if await self._ill(row)]
        for row in ill:
            await self.open(row.campaign)
        return [row.uuid for row in ill]

    async def open(self, campaign: Campaign) -> CampaignRow:
        """Create or update a campaign and make its stores ready and agree."""
        async with self._locks[campaign.uuid]:
            row = await self.store.put(campaign)
            await self._ready(row)
            if row.loading or not await self.check.plausible(row):
                await self._repair(row)
            return await self.store.find(row.uuid)

    async def upsert(self, uuid: str, items: Sequence[Item]) -> Change:
        """Write items of one kind; those already stored as they are cost one read.

        Raises:
            UnknownCampaign: there is no such campaign.
            MissingArtifact: a relation's end is not there; nothing was written.
        """
        async with self._locks[uuid]:
            row = await self.store.find(uuid)
            total = Change()
            for start in range(0, len(items), 500):
                total += await self._upsert(row, await self.render.records(row, items[start : start + 500]))
            return total

    async def delete(self, uuid: str, kind: PointType, ids: Sequence[str]) -> list[str]:
        """Remove items (an artifact takes its relations along); returns the ids of that kind that were there."""
        async with self._locks[uuid]:
            row = await self.store.find(uuid)
            known = await self.store.stored(uuid, kind, ids)
            if kind == "artifact" and known:
                ends = await self.store.relations_of(uuid, list(known))
                await self._delete(row, "relation", [relation.id for relation in ends])
            await self._delete(row, kind, list(known))
            return list(known)

    async def drop(self, uuid: str) -> None:
        """Remove a campaign from every store."""
        async with self._locks[uuid]:
            row = await self.store.find(uuid)
            await self.store.begin_change(row.uuid)
            await self.vectors.drop(row.collection)
            await delete_campaign(self.graph, row.uuid, label=artifact_label(row.graph_label))
            await self.store.delete(row.uuid)

    async def _ill(self, row: CampaignRow) -> bool:
        other_model = row.embedding not in ("", self.embedding)
        return row.loading or other_model or await self.store.any_stale(row.uuid)

    async def _ready(self, row: CampaignRow) -> None:
        """Make the collection and index; vectors of another model are dropped, to be made anew."""
        if row.embedding not in ("", self.embedding):
            await self.store.begin_change(row.uuid)
            await self.vectors.drop(row.collection)
        await self.vectors.ensure(row.collection, self.embedder.dimensions, INDEXED)
        if row.embedding != self.embedding:
            await self.store.set_embedding(row.uuid, self.embedding)
        await ensure_label(self.graph, artifact_label(row.graph_label), properties=("id", "name"))

    async def _upsert(self, row: CampaignRow, records: Sequence[Record]) -> Change:
        if not records:
            return Change()
        before = await self.store.stored(row.uuid, records[0].kind, [record.id for record in records])
        wanted = [r for r in records if r.id not in before or before[r.id].hash != r.hash]
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            await self._write(row, batch, {record.id for record in batch if record.id in before})
        renamed = [
            r.id for r in wanted if r.kind == "artifact" and r.id in before and before[r.id].name != r.name
        ]
        if renamed:
            relations = await self.store.relations_of(row.uuid, renamed)
            await self._upsert(row, await self.render.records(row, relations))
        added = sum(record.id not in before for record in wanted)
        return Change(added, len(wanted) - added, len(records) - len(wanted))

    async def _write(self, row: CampaignRow, batch: Sequence[Record], known: set[str]) -> None:
        """One batch of one kind through all stores; `known` are the ids that have been written before."""
        kind = batch[0].kind
        points = await self._points(batch)
        if await self.store.begin_change(row.uuid):
            await self._repair(row)
            await self.store.begin_change(row.uuid)
        stale = await self._stale_points(row, batch, known) if kind == "note" else []
        await self.vectors.upsert(row.collection, points)
        await self.vectors.delete(row.collection, stale)
        if kind == "artifact":
            await self.graph.write_all(graphwrite.artifact_statements(row.graph_label, batch))
        elif kind == "relation":
            await self.graph.write_all(graphwrite.relation_statements(row.graph_label, batch, known))
        await self.store.save(row.uuid, batch)

    async def _points(self, batch: Sequence[Record]) -> list[Point]:
        payloads = [pair for record in batch for pair in record.payloads.items()]
        vectors: Any = await self.prepared.embed(
            [payload["text"] for _, payload in payloads], self.embedder.embed_passages
        )
        return [
            Point(key, vector.tolist(), body) for (key, body), vector in zip(payloads, vectors, strict=True)
        ]

    async def _stale_points(self, row: CampaignRow, batch: Sequence[Record], known: set[str]) -> list[str]:
        """Passages that a note which became shorter no longer has."""
        if not known:
            return []
        current = {key for record in batch for key in record.payloads}
        hits = await self.vectors.scroll(row.collection, where={"type": "note", "note_id": sorted(known)})
        return [hit.id for hit in hits if hit.id not in current]

    async def _delete(self, row: CampaignRow, kind: PointType, ids: Sequence[str]) -> None:
        if not ids:
            return
        if await self.store.begin_change(row.uuid):
            await self._repair(row)
            await self.store.begin_change(row.uuid)
        await self.vectors.delete(row.collection, await self._points_of(row, kind, ids))
        if kind == "artifact":
            await self.graph.write_all(graphwrite.delete_artifacts(row.graph_label, ids))
        elif kind == "relation":
            await self.graph.write_all(graphwrite.delete_relations(row.graph_label, ids))
        await self.store.forget(row.uuid, kind, ids)

    async def _points_of(self, row: CampaignRow, kind: PointType, ids: Sequence[str]) -> list[str]:
        if kind != "note":
            return [point_id(kind, key) for key in ids]
        hits = await self.vectors.scroll(row.collection, where={"type": "note", "note_id": list(ids)})
        return [hit.id for hit in hits]

    async def _repair(self, row: CampaignRow) -> None:
        """Make vectors and graph hold what the rows say: an unfinished change is taken back or done again."""
        found = await self.check.differences(row)
        await self.store.begin_change(row.uuid)
        await self.vectors.delete(row.collection, found.extra_points)
        await self.graph.write_all(
            [
                *graphwrite.delete_relations(row.graph_label, found.extra_relations),
                *graphwrite.delete_artifacts(row.graph_label, found.extra_artifacts),
            ]
        )
        await self.store.mark_stale(row.uuid, found.stale)
        for items in await self._stale_items(row, found):
            await self._upsert(row, await self.render.records(row, items))

    async def _stale_items(self, row: CampaignRow, found: Differences) -> list[Sequence[Item]]:
        return [
            await self.store.notes(row.uuid, sorted(found.stale["note"])),
            await self.store.artifacts(row.uuid, sorted(found.stale["artifact"])),
            await self.store.relations(row.uuid, sorted(found.stale["relation"])),
        ]
