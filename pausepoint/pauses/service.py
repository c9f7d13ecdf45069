"""The pauses of one server: takes part in accepting and ending runs, and does what is due by the clock."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import structlog

from pausepoint.pauses import accepting, keeping, requests, versions
from pausepoint.pauses.attachments import Attachments, Rules
from pausepoint.pauses.bell import Bell
from pausepoint.pauses.effects import set_ledger
from pausepoint.pauses.rules import check_change, check_start
from pausepoint.pauses.settings import PauseSettings
from pausepoint.pauses.takeback import take_back
from pausepoint.pauses.versions import Version
from pausepoint.server.accept import Draft
from pausepoint.server.changes import Change
from pausepoint.server.engine import Engine
from pausepoint.server.finish import Ending
from pausepoint.server.tables.runs import Run

log = structlog.get_logger("pausepoint.pauses")


class Pauses:
    """Hooks itself into an engine."""

    def __init__(self, engine: Engine) -> None:
        """Take part from the first request on."""
        self.engine = engine
        self.bell = Bell()
        self.settings = PauseSettings()
        self.versions: dict[str, Version] = {}
        engine.lookups.append(requests.before)
        engine.acceptors.append(self._accepting)
        engine.starters.append(check_start)
        engine.finishers.append(self._after_run)
        engine.changers.append(self._changing)
        engine.unfinishers.append(self._take_back)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Catch up with what changed while the server was down, then keep time until the end."""
        from pausepoint.pauses.clockwork import Clockwork

        engine = self.engine
        rules = Rules(max_bytes=self.settings.attachment_bytes)
        self.attachments = Attachments(engine.data / "attachments", engine.database, rules)
        set_ledger(engine.database)
        self.versions = await versions.versions_of(engine.graphs)
        held = await engine.database.write(self._catch_up)
        if held:
            log.warning("pauses are held because their graphs have changed", pauses=held)
        clockwork = Clockwork(self)
        loops = (clockwork.keep_deadlines(), clockwork.deliver(), clockwork.tidy())
        tasks = [asyncio.create_task(loop) for loop in loops]
        try:
            yield
        finally:
            set_ledger(None)
            for task in tasks:
                task.cancel()
            for task in tasks:
                with suppress(asyncio.CancelledError):
                    await task

    def _catch_up(self, conn: sqlite3.Connection) -> int:
        keeping.catch_up(conn, self._digests())
        failures = self.engine.graphs.failures()
        return versions.hold_unfit(conn, self.versions, failures, self.engine.graphs.ids())

    def _digests(self) -> dict[str, str]:
        return {graph_id: version.digest for graph_id, version in self.versions.items()}

    def _accepting(
        self, conn: sqlite3.Connection, draft: Draft, run: Run, thread: sqlite3.Row, unfinished: Sequence[Run]
    ) -> None:
        accepting.take_part(conn, draft, run, thread, unfinished)
        requests.remember(conn, draft, run)
        self.bell.ring()

    def _after_run(self, conn: sqlite3.Connection, run: Run, ending: Ending) -> None:
        keeping.after_run(conn, run, ending, self._digests())
        self.bell.ring()

    async def _take_back(self, run: Run, rolled_back: bool) -> None:
        await take_back(self.engine, run, rolled_back=rolled_back)

    def _changing(self, conn: sqlite3.Connection, change: Change) -> None:
        check_change(conn, change)
        if change.copied_to is not None:
            keeping.copy(conn, change.thread_id, change.copied_to)
        elif change.state is not None:
            self._after_update(conn, change)
        if change.final:
            self.bell.ring()

    def _after_update(self, conn: sqlite3.Connection, change: Change) -> None:
        import orjson

        row = conn.execute("SELECT metadata FROM threads WHERE thread_id = ?", (change.thread_id,)).fetchone()
        metadata: dict[str, Any] = {} if row is None else orjson.loads(row["metadata"])
        graph_id = metadata.get("graph_id")
        if change.state is None or graph_id is None:
            return
        asker = keeping.Asker(
            change.thread_id,
            graph_id,
            metadata.get("assistant_id"),
            None,
            self._digests().get(graph_id),
            change.state.nodes,
        )
        keeping.agree(conn, asker, orjson.loads(change.state.interrupts), "the state was updated")
