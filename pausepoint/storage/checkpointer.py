"""A LangGraph checkpointer on the shared SQLite file, for async and sync graphs, that stores state once.

A graph's intermediate checkpoints need not wait for the disk one by one: whoever acknowledges a run's outcome with a
durable write to the same file makes every checkpoint before it durable, too. `durable=False` is for such a caller.
"""

import builtins
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from pausepoint.settings import get_settings
from pausepoint.storage.checkpoints.addressing import address, listed, place
from pausepoint.storage.checkpoints.body import Body
from pausepoint.storage.checkpoints.encode import encode, encode_element
from pausepoint.storage.checkpoints.history import delta_history
from pausepoint.storage.checkpoints.maintenance import Maintenance
from pausepoint.storage.checkpoints.reading import Reader, decode_rows, dump_metadata
from pausepoint.storage.checkpoints.recall import Key, Recall, Rows
from pausepoint.storage.checkpoints.stored import StoredList, StoredLists
from pausepoint.storage.checkpoints.writing import (
    NewCheckpoint,
    NewWrites,
    ValuesMissing,
    store,
    store_writes,
)
from pausepoint.storage.database import Database
from pausepoint.storage.errors import StorageError

DATABASE_NAME = "pausepoint.sqlite"

_PAGE = 20


class SqliteCheckpointer(Maintenance):
    """Stores checkpoints through a `Database`; safe to use from several event loops and threads at once.

    Args:
        database: The open database; the caller closes it.
        serde: The serializer; LangGraph's standard one when not given. Lists share elements between checkpoints
            only with a serializer that writes plain MessagePack (an encrypting one does not).
        durable: Each write waits for the disk (fsync). False survives SIGKILL, too; after a power loss the last
            writes may be missing, in order, back to the last durable write of anybody to this file.
    """

    def __init__(
        self, database: Database, *, serde: SerializerProtocol | None = None, durable: bool = True
    ) -> None:
        super().__init__(serde=serde)
        self.database = database
        self.durable = durable
        self._recall = Recall()
        self._lists = StoredLists()

    # -- writing

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; returns the config that names it."""
        new = self._new_checkpoint(config, checkpoint, metadata, new_versions)
        try:
            stored = await self.database.write(
                lambda conn: store(conn, new, self._lists), durable=self.durable
            )
        except ValuesMissing:
            whole = self._new_checkpoint(config, checkpoint, metadata, None)
            stored = await self.database.write(
                lambda conn: store(conn, whole, self._lists), durable=self.durable
            )
        return self._stored(new, stored)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """`aput` for sync graphs."""
        new = self._new_checkpoint(config, checkpoint, metadata, new_versions)
        try:
            stored = self.database.write_sync(
                lambda conn: store(conn, new, self._lists), durable=self.durable
            )
        except ValuesMissing:
            whole = self._new_checkpoint(config, checkpoint, metadata, None)
            stored = self.database.write_sync(
                lambda conn: store(conn, whole, self._lists), durable=self.durable
            )
        return self._stored(new, stored)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a task wrote; writing the same again changes nothing."""
        new = self._new_writes(config, writes, task_id, task_path)
        await self.database.write(lambda conn: store_writes(conn, new), durable=self.durable)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """`aput_writes` for sync graphs."""
        new = self._new_writes(config, writes, task_id, task_path)
        self.database.write_sync(lambda conn: store_writes(conn, new), durable=self.durable)

    # -- reading

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that the config names, or the latest of its thread and namespace."""
        thread_id, ns = place(config)
        wanted = get_checkpoint_id(config)
        return await self.database.read(
            lambda conn: Reader(conn, self.serde, self._decode_list, self._lists).one(thread_id, ns, wanted)
        )

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """`aget_tuple` for sync graphs."""
        thread_id, ns = place(config)
        wanted = get_checkpoint_id(config)
        return self.database.read_sync(
            lambda conn: Reader(conn, self.serde, self._decode_list, self._lists).one(thread_id, ns, wanted)
        )

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """The checkpoints that match, newest first."""
        query, after, left = listed(config, filter, before), None, limit
        while left is None or left > 0:
            size = _PAGE if left is None else min(_PAGE, left)
            page, after = await self.database.read(
                lambda conn, size=size, after=after: self._lister(conn).page(query, size, after)
            )
            for found in page:
                yield found
            left = None if left is None else left - len(page)
            if after is None:
                return

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """`alist` for sync graphs."""
        query, after, left = listed(config, filter, before), None, limit
        while left is None or left > 0:
            size = _PAGE if left is None else min(_PAGE, left)
            page, after = self.database.read_sync(
                lambda conn, size=size, after=after: self._lister(conn).page(query, size, after)
            )
            yield from page
            left = None if left is None else left - len(page)
            if after is None:
                return

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """For each channel its writes since the nearest stored value of an ancestor, and that value."""
        thread_id, ns = place(config)
        wanted = get_checkpoint_id(config)
        return await self.database.read(
            lambda conn: delta_history(Reader(conn, self.serde), thread_id, ns, wanted, channels)
        )

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """`aget_delta_channel_history` for sync graphs."""
        thread_id, ns = place(config)
        wanted = get_checkpoint_id(config)
        return self.database.read_sync(
            lambda conn: delta_history(Reader(conn, self.serde), thread_id, ns, wanted, channels)
        )

    def get_next_version(self, current: Any | None, channel: None) -> Any:
        """Versions count from 1: branches need no distinct ones, as values are found by reference."""
        if isinstance(current, str):
            number = int(current.split(".")[0]) + 1
            return f"{number:032}.0"
        return 1 if current is None else int(current) + 1

    # -- what the sync and the async methods share

    def _new_checkpoint(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions | None,
    ) -> NewCheckpoint:
        thread_id, ns = place(config)
        parent_id = get_checkpoint_id(config)
        values = checkpoint["channel_values"]
        unchanged = (
            [c for c in values if c not in new_versions] if parent_id and new_versions is not None else []
        )
        text, run_id = dump_metadata(get_checkpoint_metadata(config, metadata))
        return NewCheckpoint(
            thread_id,
            ns,
            checkpoint["id"],
            parent_id,
            run_id,
            text,
            Body.of(checkpoint, self.serde),
            {
                c: encode(value, self.serde, partial(self._encode_list, (thread_id, ns, c)))
                for c, value in values.items()
                if c not in unchanged
            },
            unchanged,
        )

    def _stored(self, new: NewCheckpoint, lists: Mapping[str, StoredList]) -> RunnableConfig:
        for channel, stored in lists.items():
            self._lists.put(new.thread_id, new.ns, channel, stored)
        return address(new.thread_id, new.ns, new.checkpoint_id)

    def _encode_list(self, key: Key, values: Sequence[Any]) -> builtins.list[bytes] | None:
        encode_one = partial(encode_element, serde=self.serde)
        return self._recall.encode(key, values, encode_one)

    def _decode_list(self, thread_id: str, ns: str, channel: str, rows: Rows) -> builtins.list[Any]:
        return self._recall.decode((thread_id, ns, channel), rows, partial(decode_rows, serde=self.serde))

    def _lister(self, conn: sqlite3.Connection) -> Reader:
        """Reads many checkpoints: of the same messages over and over."""

        def decode_list(thread_id: str, ns: str, channel: str, rows: Rows) -> builtins.list[Any]:
            return self._recall.decode(None, rows, partial(decode_rows, serde=self.serde))

        return Reader(conn, self.serde, decode_list)

    def _new_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str
    ) -> NewWrites:
        thread_id, ns = place(config)
        rows = [
            (WRITES_IDX_MAP.get(channel, idx), channel, *self.serde.dumps_typed(value))
            for idx, (channel, value) in enumerate(writes)
        ]
        replace = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        checkpoint_id = get_checkpoint_id(config)
        if checkpoint_id is None:
            raise StorageError(f"Writes of task {task_id!r} name no checkpoint of thread {thread_id!r}.")
        return NewWrites(thread_id, ns, str(checkpoint_id), task_id, task_path, rows, replace)


@asynccontextmanager
async def checkpointer() -> AsyncGenerator[SqliteCheckpointer]:
    """The checkpointer of the configured data folder, for `langgraph.json`.

    `"checkpointer": {"path": "./pausepoint/storage/checkpointer.py:checkpointer"}`.
    """
    database = await Database.open(get_settings().data / DATABASE_NAME)
    try:
        yield SqliteCheckpointer(database)
    finally:
        await database.close()
