"""The graph port over the embedded engine: like `BoltGraph`, but it outlives the engine's process.

When the engine ends under way it is started again and the question is asked again. When a query neither answers
nor stops in its time, or takes the engine's memory, the engine is replaced: that query fails, all others succeed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from pausepoint.graphdb import supervisor
from pausepoint.graphdb.bolt import GRACE, MAX_BYTES, BoltGraph
from pausepoint.graphdb.child import Options
from pausepoint.graphdb.errors import ENGINE_FAULT, ConnectionLost, GraphUnavailable, QueryError, QueryTimeout
from pausepoint.graphdb.port import Params, ReadResult

T = TypeVar("T")
Kind = Literal["read", "write"]
_AT_ONCE: dict[Kind, int] = {"read": 12, "write": 1}
"""What one event loop does at once; the rest waits here, where its time does not count yet.

The engine fails one of two writes that meet, so there is one at a time.
"""
_ENDINGS = 6
"""How many ends of the engine a query outlives when others are to blame."""
_FAULTS = 2
"""How many times a query may lose its connection to a living engine before it is to blame."""
_DEATH_SECONDS = 0.25
"""A killed process closes its connections a moment before its end is known."""


class EmbeddedGraph:
    """The graph in a folder. Open it with `EmbeddedGraph.open`, or through `open_graph`."""

    def __init__(self, engine: supervisor.Supervisor, *, grace: float, max_bytes: int) -> None:
        """Use `open`."""
        self._engine = engine
        self._grace = grace
        self._max_bytes = max_bytes
        self._closed = False
        self._current: tuple[int, BoltGraph] | None = None
        self._gates: dict[tuple[int, Kind], tuple[asyncio.AbstractEventLoop, asyncio.Semaphore]] = {}
        self._reading: set[asyncio.Task[ReadResult]] = set()

    @classmethod
    async def open(
        cls, folder: Path, options: Options | None = None, *, grace: float = GRACE, max_bytes: int = MAX_BYTES
    ) -> "EmbeddedGraph":
        """Share or start the folder's engine; returns while it still starts (`ready` waits for it).

        Args:
            folder: the graph's own folder.
            options: the engine's limits; those of the first user in this process count.
            grace: seconds past its timeout after which an unanswered read costs the engine its life.
            max_bytes: size of values after which a read is truncated.

        Raises:
            GraphHeld: another process has the folder.
        """
        engine = await asyncio.to_thread(supervisor.acquire, folder, options or Options())
        return cls(engine, grace=grace, max_bytes=max_bytes)

    async def read(
        self, query: str, params: Params | None = None, *, timeout: float = 30.0, max_rows: int = 1000
    ) -> ReadResult:
        """Run a query with the read-only login; see the port."""
        # The engine goes on when its caller is gone: the watchdog must stay with the query.
        task = asyncio.create_task(self._read(query, params, timeout, max_rows))
        self._reading.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    def _forget(self, task: "asyncio.Task[ReadResult]") -> None:
        self._reading.discard(task)
        if not task.cancelled():
            task.exception()

    async def _read(self, query: str, params: Params | None, timeout: float, max_rows: int) -> ReadResult:
        async with self._gate("read"):
            return await self._outlive(
                lambda bolt: bolt.read(query, params, timeout=timeout, max_rows=max_rows), watched=True
            )

    async def write(
        self, query: str, params: Params | None = None, *, repeatable: bool = True
    ) -> list[dict[str, Any]]:
        """Run one statement in one write transaction and return its rows; see the port."""
        async with self._gate("write"):
            return await self._outlive(lambda bolt: bolt.write(query, params), repeatable=repeatable)

    async def write_all(self, statements: Sequence[tuple[str, Params]], *, repeatable: bool = True) -> None:
        """Run several statements in one write transaction; see the port."""
        async with self._gate("write"):
            await self._outlive(lambda bolt: bolt.write_all(statements), repeatable=repeatable)

    async def ready(self) -> None:
        """Wait until the engine answers; raises `GraphUnavailable` when it does not start."""
        await self._outlive(lambda bolt: bolt.ready())

    async def pid(self) -> int:
        """The engine's process id, for whoever measures or ends it."""
        return (await self._run()).pid

    async def close(self) -> None:
        """Release connections; the last user in this process ends the engine."""
        if self._closed:
            return
        self._closed = True
        mine = asyncio.get_running_loop()
        abandoned = [task for task in self._reading if task.get_loop() is mine]
        for task in abandoned:
            task.cancel()
        await asyncio.gather(*abandoned, return_exceptions=True)
        if self._current:
            await self._current[1].close()
        await asyncio.to_thread(supervisor.release, self._engine)

    async def _outlive(
        self,
        work: Callable[[BoltGraph], Awaitable[T]],
        *,
        repeatable: bool = True,
        watched: bool = False,
    ) -> T:
        """Do the work, again when the engine ended under it."""
        faults = 0
        for _ in range(_ENDINGS):
            run = await self._run()
            bolt = await self._bolt(run)
            try:
                return await work(bolt)
            except QueryTimeout as error:
                if error.unanswered:
                    self._engine.restart(run.number, "a query did not stop in its time")
                raise
            except ConnectionLost as lost:
                if not await asyncio.to_thread(self._engine.ended, run.number, _DEATH_SECONDS):
                    faults += 1
                    self._engine.restart(run.number, "it dropped a connection, as when memory runs out")
                if lost.commit_unknown and not repeatable:
                    raise
            except asyncio.CancelledError:
                if watched:
                    self._engine.restart(run.number, "a read was abandoned under way")
                raise
            if faults == _FAULTS:
                raise QueryError(
                    ENGINE_FAULT,
                    "it takes more memory than the graph has (PAUSEPOINT_GRAPH_HEAP)",
                    repairable=True,
                )
        raise GraphUnavailable(f"the embedded graph ended {_ENDINGS} times under a query: see its engine.log")

    async def _run(self) -> supervisor.Run:
        if self._closed:
            raise GraphUnavailable("this graph was closed: open it again with open_graph()")
        future = self._engine.run()
        return future.result() if future.done() else await asyncio.wrap_future(future)

    async def _bolt(self, run: supervisor.Run) -> BoltGraph:
        if self._current and self._current[0] >= run.number:
            return self._current[1]
        old = self._current
        bolt = BoltGraph(run.address, grace=self._grace, max_bytes=self._max_bytes, reconnects=0)
        self._current = (run.number, bolt)
        if old:
            await old[1].close()
        return bolt

    def _gate(self, kind: Kind) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        known = self._gates.get((id(loop), kind))
        if known is None or known[0] is not loop:
            known = (loop, asyncio.Semaphore(_AT_ONCE[kind]))
            self._gates[id(loop), kind] = known
        return known[1]
