"""The graph port over the official neo4j driver, for anything that speaks Bolt.

Reads are one READ transaction with the reader's login, cut off at a number of rows and of bytes; writes are
whole transactions with the writer's. What the driver raises becomes one of `graphdb.errors`.
"""

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar, cast

from pausepoint.graphdb.drivers import WRITE_TIMEOUT, Address, Drivers, Role
from pausepoint.graphdb.errors import TOO_LARGE, ConnectionLost, GraphUnavailable, QueryError, QueryTimeout
from pausepoint.graphdb.port import Params, ReadResult
from pausepoint.graphdb.translate import Transient, translated
from pausepoint.graphdb.values import Converter

if TYPE_CHECKING:
    from neo4j import AsyncResult, AsyncTransaction

T = TypeVar("T")
MAX_BYTES = 8 << 20
"""About how many bytes of values a read returns before it is truncated."""
GRACE = 2.0
"""Seconds past its time that a query may take to be stopped by the database."""
_RETRY_SECONDS = 10.0
_CONNECT_SECONDS = 10.0
_FETCH = 1000
_MAY_WRITE = re.compile(r"\b(set|remove|create|merge|delete|drop|foreach|call)\b|\\u", re.IGNORECASE)
"""Then even a truncated read is committed, so that what the reader may not do is refused and not just undone."""


class BoltGraph:
    """A graph at a fixed Bolt address."""

    def __init__(
        self, address: Address, *, max_bytes: int = MAX_BYTES, grace: float = GRACE, reconnects: int = 1
    ) -> None:
        """Connects when first used.

        Args:
            address: where, and both logins.
            max_bytes: size of values after which a read is truncated.
            grace: seconds past its timeout after which a read is given up as unanswered.
            reconnects: how often work whose connection was lost is run again.
        """
        self.address = address
        self._drivers = Drivers(address)
        self._max_bytes = max_bytes
        self._grace = grace
        self._reconnects = reconnects

    async def read(
        self, query: str, params: Params | None = None, *, timeout: float = 30.0, max_rows: int = 1000
    ) -> ReadResult:
        """Run a query with the read-only login; see the port.

        Raises:
            QueryTimeout: it took more than `timeout` seconds.
            QueryError: it was refused or failed.
            ConnectionLost: the database went away under way.
        """

        async def work(tx: "AsyncTransaction") -> ReadResult:
            result = await tx.run(cast(LiteralString, query), dict(params or {}))
            read = await self._fetch(result, max_rows)
            if read.truncated and not _MAY_WRITE.search(query):
                # Discarding the rest would compute it; without the connection it is never asked for.
                tx.cancel()
            return read

        fetch = min(max_rows + 1, _FETCH)
        return await self._retry(lambda: self._transaction("reader", work, timeout, fetch))

    async def write(
        self, query: str, params: Params | None = None, *, repeatable: bool = True
    ) -> list[dict[str, Any]]:
        """Run one statement in one write transaction and return its rows; see the port."""

        async def work(tx: "AsyncTransaction") -> list[dict[str, Any]]:
            result = await tx.run(cast(LiteralString, query), dict(params or {}))
            converter = Converter()
            return [converter.row(record) async for record in result]

        return await self._retry(lambda: self._transaction("writer", work, WRITE_TIMEOUT), repeatable)

    async def write_all(self, statements: Sequence[tuple[str, Params]], *, repeatable: bool = True) -> None:
        """Run several statements in one write transaction; see the port."""

        async def work(tx: "AsyncTransaction") -> None:
            for query, params in statements:
                result = await tx.run(cast(LiteralString, query), dict(params))
                await result.consume()

        if statements:
            await self._retry(lambda: self._transaction("writer", work, WRITE_TIMEOUT), repeatable)

    async def ready(self) -> None:
        """Connect with both logins; raises `GraphUnavailable` when that fails."""
        roles: tuple[Role, ...] = ("reader", "writer")
        for role in roles:
            try:
                with translated(self.address, _CONNECT_SECONDS):
                    async with asyncio.timeout(_CONNECT_SECONDS):
                        await self._driver(role).verify_connectivity()
            except QueryTimeout as error:
                raise GraphUnavailable(
                    f"the graph at {self.address.uri} does not answer: is GRAPH_URI right?"
                ) from error

    async def close(self) -> None:
        """Close the connections."""
        await self._drivers.close()

    async def _fetch(self, result: "AsyncResult", max_rows: int) -> ReadResult:
        converter = Converter()
        rows: list[dict[str, Any]] = []
        truncated = False
        async for record in result:
            row = converter.row(record)
            truncated = len(rows) >= max_rows or converter.size > self._max_bytes
            if truncated:
                break
            rows.append(row)
        if truncated and not rows and max_rows > 0:
            raise QueryError(
                TOO_LARGE, f"one row is larger than {self._max_bytes >> 10} kB: return less", repairable=True
            )
        return ReadResult(tuple(result.keys()), rows, truncated)

    def _driver(self, role: Role) -> Any:
        # The driver's own annotations are partly missing.
        return self._drivers.get(role)

    async def _transaction(
        self,
        role: Role,
        work: "Callable[[AsyncTransaction], Awaitable[T]]",
        timeout: float,
        fetch: int = _FETCH,
    ) -> T:
        with translated(self.address, timeout):
            async with (
                asyncio.timeout(timeout + self._grace),
                self._driver(role).session(
                    database=self.address.database,
                    fetch_size=fetch,
                    default_access_mode="READ" if role == "reader" else "WRITE",
                ) as session,
                await session.begin_transaction(timeout=timeout) as transaction,
            ):
                value = await work(transaction)
                # A write by the reader may be refused as late as here.
                if not transaction.closed():
                    await transaction.commit()
        return value

    async def _retry(self, work: Callable[[], Awaitable[T]], repeatable: bool = True) -> T:
        """Run again what may then succeed: deadlocks, conflicts, a lost connection."""
        loop = asyncio.get_running_loop()
        until, delay, reconnects = loop.time() + _RETRY_SECONDS, 0.02, self._reconnects
        while True:
            try:
                return await work()
            except Transient:
                if loop.time() + delay > until:
                    raise
            except ConnectionLost as lost:
                if reconnects == 0 or (lost.commit_unknown and not repeatable):
                    raise
                reconnects -= 1
            # Without chance in it, those who collided would collide again.
            await asyncio.sleep(delay * random.uniform(0.5, 1.5))
            delay = min(delay * 2, 1.0)
