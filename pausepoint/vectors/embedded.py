"""The embedded vector store: Qdrant Edge shards in this process, behind the port.

The engine is blocking, so every call runs in the store's own threads and works from any event loop.
One store is shared by all who open the same folder in a process.
"""

import asyncio
import shutil
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ParamSpec, TypeVar

from pausepoint.vectors.edge_payload import edge_filter, flagged, unflagged
from pausepoint.vectors.errors import DiskFull, UnknownCollection, VectorsClosed
from pausepoint.vectors.points import check_name, checked_id, checked_point, checked_vector
from pausepoint.vectors.port import Filter, Hit, Point
from pausepoint.vectors.shards import Shards

P = ParamSpec("P")
T = TypeVar("T")
_PAGE = 1000
_OPTIMIZE_AFTER = 5000
_MIN_FREE = 96 << 20
_shared: dict[Path, "EmbeddedVectors"] = {}
_sharing = threading.Lock()


class EmbeddedVectors:
    """`VectorStore` over a folder; make it with `open`, not by hand."""

    def __init__(self, folder: Path) -> None:
        self._shards = Shards(folder)
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="vectors")
        self._upkeep = ThreadPoolExecutor(1, thread_name_prefix="vectors-upkeep")
        self._handles = 0

    @classmethod
    async def open(cls, folder: Path) -> "EmbeddedVectors":
        """The process's store of the folder (created if missing); close it once per open.

        Raises:
            VectorsHeld: another process has the folder open.
        """
        return await asyncio.to_thread(cls._open, folder)

    async def ensure(self, collection: str, dimensions: int, indexed: Sequence[str] = ()) -> None:
        """Create the collection (cosine) and its keyword indexes; `DimensionMismatch` if it differs."""
        await self._run(self._ensure, check_name(collection), dimensions, indexed)

    async def upsert(self, collection: str, points: Sequence[Point]) -> None:
        """Insert or replace points, all or none; on disk when it returns."""
        await self._run(self._upsert, check_name(collection), points)

    async def search(
        self,
        collection: str,
        vector: Sequence[float],
        *,
        limit: int = 5,
        where: Filter | None = None,
        with_payload: bool = True,
    ) -> list[Hit]:
        """Nearest points, best first."""
        return await self._run(self._search, check_name(collection), vector, limit, where, with_payload)

    async def scroll(self, collection: str, *, where: Filter | None = None) -> list[Hit]:
        """Every matching point's payload (score 0), ordered by id."""
        return await self._run(self._scroll, check_name(collection), where)

    async def delete(self, collection: str, ids: Sequence[str]) -> None:
        """Remove points; unknown ids are ignored."""
        await self._run(self._delete, check_name(collection), ids)

    async def count(self, collection: str, where: Filter | None = None) -> int:
        """Number of matching points; 0 for an unknown collection."""
        return await self._run(self._count, check_name(collection), where)

    async def version(self, collection: str) -> str:
        """A text that changes whenever the collection does."""
        return str(self._shards.version(collection))

    async def drop(self, collection: str) -> None:
        """Remove the collection and its files; unknown ones are ignored."""
        await self._run(self._shards.drop, check_name(collection))

    async def optimize(self, collection: str) -> None:
        """Merge and index the collection's segments; queries go on meanwhile, writes wait."""
        await asyncio.wrap_future(self._upkeep.submit(self._optimize, check_name(collection)))

    async def close(self) -> None:
        """Flush and release the files, when the last of those who opened the folder closes it."""
        await asyncio.to_thread(self._release)

    @classmethod
    def _open(cls, folder: Path) -> "EmbeddedVectors":
        path = folder.resolve()
        with _sharing:
            store = _shared.get(path) or cls(path)
            _shared[path] = store
            store._handles += 1
            return store

    def _release(self) -> None:
        with _sharing:
            self._handles -= 1
            if self._handles != 0:
                return
            _shared.pop(self._shards.folder, None)
            self._upkeep.shutdown()
            self._threads.shutdown()
            self._shards.close()

    async def _run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._handles < 1:
            raise VectorsClosed
        return await asyncio.wrap_future(self._threads.submit(work, *args, **kwargs))

    def _upsert(self, collection: str, points: Sequence[Point]) -> None:
        from qdrant_edge import Point as EdgePoint
        from qdrant_edge import UpdateOperation

        with self._shards.use(collection) as shard:
            checked = [checked_point(collection, point, shard.dimensions) for point in points]
            if not checked:
                return
            self._check_room(len(checked) * shard.dimensions * 4)
            edge_points = [EdgePoint(each.id, list(each.vector), flagged(each.payload)) for each in checked]
            with shard.writing:
                shard.edge.update(UpdateOperation.upsert_points(edge_points))
                shard.edge.flush()
            self._shards.changed(collection)
            shard.changed += len(checked)
            if shard.changed >= _OPTIMIZE_AFTER:
                shard.changed = 0
                self._upkeep.submit(self._optimize, collection)

    def _search(
        self, collection: str, vector: Sequence[float], limit: int, where: Filter | None, with_payload: bool
    ) -> list[Hit]:
        from qdrant_edge import Query, QueryRequest

        condition = edge_filter(where)
        if limit < 1 or not self._shards.exists(collection):
            return []
        with self._shards.use(collection) as shard:
            values = checked_vector(collection, vector, shard.dimensions)
            request = QueryRequest(
                query=Query.Nearest(values), filter=condition, limit=limit, with_payload=with_payload
            )
            found = shard.edge.query(request)
        return [Hit(str(each.id), each.score, unflagged(each.payload)) for each in found]

    def _scroll(self, collection: str, where: Filter | None) -> list[Hit]:
        from qdrant_edge import ScrollRequest

        condition = edge_filter(where)
        if not self._shards.exists(collection):
            return []
        hits: list[Hit] = []
        with self._shards.use(collection) as shard:
            offset = None
            while True:
                request = ScrollRequest(offset=offset, limit=_PAGE, filter=condition, with_payload=True)
                page, offset = shard.edge.scroll(request)
                hits += [Hit(str(each.id), 0.0, unflagged(each.payload)) for each in page]
                if offset is None:
                    return hits

    def _delete(self, collection: str, ids: Sequence[str]) -> None:
        from qdrant_edge import UpdateOperation

        checked = [checked_id(each) for each in ids]
        if not checked or not self._shards.exists(collection):
            return
        with self._shards.use(collection) as shard:
            with shard.writing:
                shard.edge.update(UpdateOperation.delete_points(list(checked)))
                shard.edge.flush()
            self._shards.changed(collection)

    def _count(self, collection: str, where: Filter | None) -> int:
        from qdrant_edge import CountRequest

        condition = edge_filter(where)
        if not self._shards.exists(collection):
            return 0
        with self._shards.use(collection) as shard:
            return shard.edge.count(CountRequest(filter=condition, exact=True))

    def _optimize(self, collection: str) -> None:
        try:
            with self._shards.use(collection) as shard, shard.writing:
                shard.edge.optimize()
                shard.edge.flush()
        except UnknownCollection:
            return

    def _ensure(self, collection: str, dimensions: int, indexed: Sequence[str]) -> None:
        if not self._shards.exists(collection):
            self._check_room(0)
        self._shards.ensure(collection, dimensions, indexed)

    def _check_room(self, size: int) -> None:
        folder = self._shards.folder
        free, needed = shutil.disk_usage(folder).free, 2 * size + _MIN_FREE
        if free < needed:
            raise DiskFull(folder, free, needed)
