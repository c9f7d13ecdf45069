"""Hybrid search: what a passage means (cosine) and which words of the question it has (coverage), in one score.

A question is embedded once, however many searches ask about it. The lexical index of a collection lives in
memory and follows the store's version.
"""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pausepoint.vectors.matching import Conditions, matches
from pausepoint.vectors.points import checked_filter
from pausepoint.vectors.port import Filter, Hit, VectorStore
from pausepoint.vectors.snapshot import Snapshot, take

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pausepoint.models.embeddings.port import Embedder

    Scores = NDArray[np.float32]

WORDS_POWER = 2
"""Little coverage should hardly disturb the meaning's order, full coverage should outweigh it (docs/search.md)."""
_NEAREST = 300
"""Points, among those the filter leaves, whose own cosine counts; farther ones get that of the last of these."""
_COLLECTIONS = 16


@dataclass(frozen=True, slots=True)
class Scored:
    """A found point: `score` = cosine + coverage²; cosine is -1 to 1, coverage 0 to 1."""

    id: str
    score: float
    cosine: float
    coverage: float
    payload: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class _Ranking:
    """Every point of a snapshot scored for a question; `order` has the best first."""

    snapshot: Snapshot
    cosine: "Scores"
    coverage: "Scores"
    total: "Scores"
    order: "NDArray[np.intp]"

    def best(self, conditions: Conditions, limit: int) -> list[Scored]:
        found: list[Scored] = []
        for place in map(int, self.order):
            if len(found) >= limit:
                break
            hit = self.snapshot.hits[place]
            if matches(hit.payload, conditions):
                found.append(self._scored(place, hit))
        return found

    def _scored(self, place: int, hit: Hit) -> Scored:
        numbers = (float(each[place]) for each in (self.total, self.cosine, self.coverage))
        return Scored(hit.id, *numbers, payload=dict(hit.payload))


class HybridIndex:
    """Searches the collections of one store with one embedder; safe for several threads and event loops."""

    def __init__(self, store: VectorStore, embedder: "Embedder") -> None:
        self._store = store
        self._embedder = embedder
        self._snapshots: OrderedDict[str, Snapshot] = OrderedDict()
        self._guard = threading.Lock()
        self._indexing = threading.Lock()

    async def search(
        self,
        collection: str,
        query: str,
        *,
        types: Sequence[str] | None = None,
        where: Filter | None = None,
        limit: int = 5,
    ) -> list[Scored]:
        """The best points for a question, best first; none for an unknown collection or an empty question.

        Args:
            collection: The collection's name.
            query: The question as it was asked.
            types: Payload types to search among; all if None.
            where: Further payload conditions, as in the port.
            limit: How many at most.

        Raises:
            DimensionMismatch: the collection was loaded with another embedding model.
            InvalidFilter: a condition that cannot be matched.
        """
        found = await self._search(collection, query, [_conditions(types, where)], [limit])
        return found[0]

    async def search_types(
        self, collection: str, query: str, limits: Mapping[str, int], *, where: Filter | None = None
    ) -> dict[str, list[Scored]]:
        """The best points of each payload type, side by side; `limits` says how many of which type."""
        conditions = [_conditions([kind], where) for kind in limits]
        found = await self._search(collection, query, conditions, list(limits.values()))
        return dict(zip(limits, found, strict=True))

    async def warm(self, collection: str) -> None:
        """Load the model and index the collection, so that its first question need not wait."""
        await asyncio.gather(self._embedder.warm(), self._snapshot(collection))

    async def _search(
        self, collection: str, query: str, conditions: Sequence[Conditions], limits: Sequence[int]
    ) -> list[list[Scored]]:
        """One list for each of the conditions, with one embedding of the question."""
        snapshot = await self._snapshot(collection)
        if not snapshot.hits or not query.strip():
            return [[] for _ in conditions]
        (vector,) = await self._embedder.embed_queries([query])
        values = vector.tolist()
        near = await asyncio.gather(
            *(
                self._store.search(collection, values, limit=_NEAREST, where=where, with_payload=False)
                for where in conditions
            )
        )
        return await asyncio.to_thread(_found, snapshot, query, near, conditions, limits)

    async def _snapshot(self, collection: str) -> Snapshot:
        version = await self._store.version(collection)
        with self._guard:
            known = self._snapshots.get(collection)
        if known and known.version == version:
            return known
        hits = await self._store.scroll(collection)
        return await asyncio.to_thread(self._take, collection, version, hits)

    def _take(self, collection: str, version: str, hits: Sequence[Hit]) -> Snapshot:
        # Of several questions that find a new version, one does the work.
        with self._indexing:
            known = self._snapshots.get(collection)
            if known and known.version == version:
                return known
            taken = take(version, hits, known)
            with self._guard:
                self._snapshots[collection] = taken
                self._snapshots.move_to_end(collection)
                while len(self._snapshots) > _COLLECTIONS:
                    self._snapshots.popitem(last=False)
            return taken


def _conditions(types: Sequence[str] | None, where: Filter | None) -> Conditions:
    return checked_filter({**(where or {}), **({"type": list(types)} if types is not None else {})})


def _found(
    snapshot: Snapshot,
    query: str,
    near: Sequence[Sequence[Hit]],
    conditions: Sequence[Conditions],
    limits: Sequence[int],
) -> list[list[Scored]]:
    coverage = snapshot.index.coverage(query)
    return [
        _ranking(snapshot, hits, coverage).best(where, limit)
        for hits, where, limit in zip(near, conditions, limits, strict=True)
    ]


def _ranking(snapshot: Snapshot, near: Sequence[Hit], coverage: "Scores") -> _Ranking:
    import numpy as np

    cosine = np.full(len(snapshot.hits), near[-1].score if near else 0.0, np.float32)
    # A point written since the snapshot has no place in it yet.
    for hit in near:
        place = snapshot.at.get(hit.id)
        if place is not None:
            cosine[place] = hit.score
    total = (cosine + coverage**WORDS_POWER).astype(np.float32)
    return _Ranking(snapshot, cosine, coverage, total, np.argsort(-total, kind="stable"))
