"""LangGraph's store on the shared SQLite file: items by namespace and key, filters, expiry, search by meaning."""

import sqlite3
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice

import orjson
from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from pausepoint.settings import get_settings
from pausepoint.storage.checkpointer import DATABASE_NAME
from pausepoint.storage.database import Database
from pausepoint.storage.errors import StorageError
from pausepoint.storage.items import tables
from pausepoint.storage.items.matching import passes
from pausepoint.storage.items.meaning import Meaning, nearest


class SqliteStore(BaseStore):
    """Keeps items through a `Database`; safe to use from several event loops and threads at once.

    Of a batch, what is read is read first and from one snapshot; what is written is written together or not at all.
    Expired items are never returned; they are deleted as others are written, or by `sweep_ttl`.

    Args:
        database: The open database; the caller closes it.
        index: How to embed texts for search by meaning; without it, a query finds everything, unranked.
        ttl: The default time to live, and whether reading renews it.
    """

    supports_ttl = True

    def __init__(
        self, database: Database, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
    ) -> None:
        self.database = database
        self.index_config = index
        self.ttl_config = ttl
        self._meaning = Meaning(index) if index else None

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations together; their results are in the same order."""
        batch = _Batch.of(ops)
        texts, questions = self._to_embed(batch)
        if self._meaning is not None and texts:
            batch.embedded = self._packed(texts, await self._meaning.embeddings.aembed_documents(texts))
        if self._meaning is not None and questions:
            vectors = [await self._meaning.embeddings.aembed_query(question) for question in questions]
            batch.asked = self._packed(questions, vectors)
        puts = self._puts(batch)
        if batch.reads:
            await self.database.read(batch.read)
        if batch.renewed:
            await self.database.write(lambda conn: tables.refresh(conn, batch.renewed), durable=False)
        if puts:
            await self.database.write(lambda conn: tables.apply(conn, puts))
        return batch.results

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """`abatch` for sync callers."""
        batch = _Batch.of(ops)
        texts, questions = self._to_embed(batch)
        if self._meaning is not None and texts:
            batch.embedded = self._packed(texts, self._meaning.embeddings.embed_documents(texts))
        if self._meaning is not None and questions:
            vectors = [self._meaning.embeddings.embed_query(question) for question in questions]
            batch.asked = self._packed(questions, vectors)
        puts = self._puts(batch)
        if batch.reads:
            self.database.read_sync(batch.read)
        if batch.renewed:
            self.database.write_sync(lambda conn: tables.refresh(conn, batch.renewed), durable=False)
        if puts:
            self.database.write_sync(lambda conn: tables.apply(conn, puts))
        return batch.results

    async def sweep_ttl(self, limit: int = 10_000) -> int:
        """Delete expired items, at most `limit`; returns how many."""
        return await self.database.write(lambda conn: tables.sweep(conn, limit))

    def _to_embed(self, batch: "_Batch") -> tuple[list[str], list[str]]:
        if self._meaning is None:
            return [], []
        texts = {text for op in batch.puts.values() for text in self._meaning.texts(op).values()}
        questions = {op.query for op in batch.reads.values() if isinstance(op, SearchOp) and op.query}
        return sorted(texts), sorted(questions)

    def _packed(self, texts: list[str], vectors: list[list[float]]) -> dict[str, bytes]:
        assert self._meaning is not None
        if len(texts) != len(vectors):
            raise StorageError(
                f"The embedding function returned {len(vectors)} vectors for {len(texts)} texts."
            )
        return {text: self._meaning.pack(vector) for text, vector in zip(texts, vectors, strict=True)}

    def _puts(self, batch: "_Batch") -> list[tables.Put]:
        puts: list[tables.Put] = []
        for op in batch.puts.values():
            texts = self._meaning.texts(op) if self._meaning is not None else {}
            vectors = {path: batch.embedded[text] for path, text in texts.items()}
            value = None if op.value is None else _dumped(op)
            puts.append(tables.Put(op.namespace, op.key, value, op.ttl, vectors))
        return puts


@dataclass(slots=True)
class _Batch:
    reads: dict[int, GetOp | SearchOp | ListNamespacesOp] = field(
        default_factory=dict[int, GetOp | SearchOp | ListNamespacesOp]
    )
    puts: dict[tuple[tuple[str, ...], str], PutOp] = field(
        default_factory=dict[tuple[tuple[str, ...], str], PutOp]
    )
    results: list[Result] = field(default_factory=list[Result])
    embedded: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    asked: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    renewed: list[int] = field(default_factory=list[int])

    @classmethod
    def of(cls, ops: Iterable[Op]) -> "_Batch":
        """Divide operations into reads and writes; of two writes to an item the last counts."""
        batch = cls()
        for at, op in enumerate(ops):
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                batch.puts[op.namespace, op.key] = op
            else:
                batch.reads[at] = op
            batch.results.append(None)
        return batch

    def read(self, conn: sqlite3.Connection) -> None:
        """Find the results of all reads."""
        self.renewed = []
        for at, op in self.reads.items():
            match op:
                case GetOp():
                    found = tables.get(conn, op.namespace, op.key)
                    self._renew([found] if found else [], op.refresh_ttl)
                    self.results[at] = found.item() if found else None
                case SearchOp():
                    self.results[at] = self._search(conn, op)
                case ListNamespacesOp():
                    self.results[at] = tables.namespaces(conn, op)

    def _search(self, conn: sqlite3.Connection, op: SearchOp) -> list[SearchItem]:
        passing = (item for item in tables.below(conn, op.namespace_prefix) if passes(item.value, op.filter))
        scores: Mapping[int, float] = {}
        if op.query and op.query in self.asked:
            scores = nearest(self.asked[op.query], tables.vectors(conn, op.namespace_prefix))
            # What is not indexed comes last, in the order of listing.
            passing = iter(sorted(passing, key=lambda item: -scores.get(item.id, -2.0)))
        found = list(islice(passing, op.offset, op.offset + op.limit))
        self._renew(found, op.refresh_ttl)
        return [item.found(scores.get(item.id)) for item in found]

    def _renew(self, found: Iterable[tables.Stored], refresh_ttl: bool) -> None:
        if refresh_ttl:
            self.renewed += [item.id for item in found if item.expires]


def _dumped(op: PutOp) -> bytes:
    try:
        return orjson.dumps(op.value, option=orjson.OPT_NON_STR_KEYS)
    except TypeError as error:
        raise StorageError(
            f"The value of {op.key!r} in {op.namespace!r} cannot be stored: {error}. Store plain JSON values."
        ) from error


@asynccontextmanager
async def store() -> AsyncGenerator[SqliteStore]:
    """The store of the configured data folder, for `langgraph.json`.

    `"store": {"path": "./pausepoint/storage/store.py:store"}`.
    """
    async with await Database.open(get_settings().data / DATABASE_NAME) as database:
        yield SqliteStore(database)
