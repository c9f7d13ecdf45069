"""The folder of Qdrant Edge shards, one per collection; blocking, safe to use from many threads.

A shard appears and disappears by a rename, so a killed process never leaves half a collection.
Idle shards beyond `MAX_OPEN` are closed: each open one costs about 9 MB and a thread.
"""

import json
import shutil
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pausepoint.vectors.errors import DamagedCollection, DimensionMismatch, UnknownCollection, VectorsClosed
from pausepoint.vectors.hold import hold

if TYPE_CHECKING:
    from qdrant_edge import EdgeShard

T = TypeVar("T")
MAX_OPEN = 16
_ABOUT = "collection.json"


class Shard:
    """An open shard; writes take `writing`, reads run beside them."""

    def __init__(self, edge: "EdgeShard", dimensions: int) -> None:
        self.edge = edge
        self.dimensions = dimensions
        self.users = 0
        self.writing = threading.Lock()
        self.changed = 0
        """Points written since the last optimisation."""


class Shards:
    """Opens, creates, drops and closes shards; holds the folder for this process."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = hold(folder)
        self._guard = threading.Condition()
        self._open: OrderedDict[str, Shard] = OrderedDict()
        self._versions: dict[str, int] = {}
        self._closed = False
        for leftover in (*folder.glob(".new-*"), *folder.glob(".gone-*")):
            shutil.rmtree(leftover, ignore_errors=True)

    def exists(self, collection: str) -> bool:
        """Whether the collection was made and not dropped."""
        return (self.folder / collection / _ABOUT).is_file()

    def version(self, collection: str) -> int:
        """Number of changes since this process opened the folder; a dropped collection's goes on counting."""
        return self._versions.get(collection, 0)

    def changed(self, collection: str) -> None:
        """Note a change."""
        with self._guard:
            self._versions[collection] = self._versions.get(collection, 0) + 1

    @contextmanager
    def use(self, collection: str) -> Generator[Shard]:
        """The open shard, kept open meanwhile; raises `UnknownCollection`."""
        shard = self._take(collection)
        try:
            yield shard
        finally:
            with self._guard:
                shard.users -= 1
                self._guard.notify_all()
                self._close_idle()

    def ensure(self, collection: str, dimensions: int, indexed: Sequence[str]) -> None:
        """Create the collection, or check that it has these dimensions and add missing indexes."""
        with self._guard:
            self._check_open()
            if not self.exists(collection):
                self._create(collection, dimensions)
        with self.use(collection) as shard:
            if shard.dimensions != dimensions:
                raise DimensionMismatch(collection, shard.dimensions, dimensions)
            with shard.writing:
                _index(shard.edge, indexed)

    def drop(self, collection: str) -> None:
        """Wait for the collection's users, then remove it."""
        with self._guard:
            self._check_open()
            shard = self._open.get(collection)
            if shard:
                self._guard.wait_for(lambda: shard.users == 0)
                self._open.pop(collection, None)
                shard.edge.close()
            if not self.exists(collection):
                return
            gone = self.folder / f".gone-{uuid.uuid4().hex}"
            (self.folder / collection).rename(gone)
            self._versions[collection] = self._versions.get(collection, 0) + 1
        shutil.rmtree(gone, ignore_errors=True)

    def close(self) -> None:
        """Wait for users, flush and close every shard, release the folder."""
        with self._guard:
            self._closed = True
            self._guard.wait_for(lambda: not any(shard.users for shard in self._open.values()))
            while self._open:
                _, shard = self._open.popitem()
                shard.edge.close()
        self._lock.close()

    def _take(self, collection: str) -> Shard:
        with self._guard:
            self._check_open()
            shard = self._open.get(collection) or self._load(collection)
            self._open[collection] = shard
            self._open.move_to_end(collection)
            shard.users += 1
            return shard

    def _close_idle(self) -> None:
        idle = [name for name, shard in self._open.items() if not shard.users]
        for name in idle[: max(0, len(self._open) - MAX_OPEN)]:
            self._open.pop(name).edge.close()

    def _check_open(self) -> None:
        if self._closed:
            raise VectorsClosed

    def _load(self, collection: str) -> Shard:
        from qdrant_edge import EdgeShard

        folder = self.folder / collection
        if not self.exists(collection):
            raise UnknownCollection(collection)
        return self._guarded(
            collection,
            lambda: Shard(
                EdgeShard.load(str(folder)), int(json.loads((folder / _ABOUT).read_bytes())["dimensions"])
            ),
        )

    def _guarded(self, collection: str, load: Callable[[], T]) -> T:
        try:
            return load()
        except BaseException as error:
            # The engine reports damage as Exception and, for some files, as a panic (a BaseException).
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            raise DamagedCollection(collection, self.folder / collection, str(error)) from error

    def _create(self, collection: str, dimensions: int) -> None:
        from qdrant_edge import Distance, EdgeConfig, EdgeShard, EdgeVectorParams, Memory

        made = self.folder / f".new-{uuid.uuid4().hex}"
        made.mkdir()
        config = EdgeConfig(
            # Cold: read from the page cache as needed; an open collection takes 9 MB instead of 60.
            vectors=EdgeVectorParams(size=dimensions, distance=Distance.Cosine, memory=Memory.Cold),
            payload_memory=Memory.Cold,
            id_tracker_memory=Memory.Cold,
            max_search_threads=1,
        )
        EdgeShard.create(str(made), config).close()
        (made / _ABOUT).write_text(json.dumps({"dimensions": dimensions, "distance": "cosine"}))
        made.rename(self.folder / collection)


def _index(edge: "EdgeShard", keys: Sequence[str]) -> None:
    from qdrant_edge import PayloadSchemaType, UpdateOperation

    missing = [key for key in keys if key not in edge.info().payload_schema]
    for key in missing:
        edge.update(UpdateOperation.create_field_index(key, PayloadSchemaType.Keyword))
    if missing:
        edge.flush()
