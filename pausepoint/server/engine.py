"""The server without HTTP: accepts runs, works them off, ends them, and picks up what a crash left behind."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import structlog
from langgraph.errors import GraphDrained

from pausepoint.errors import PausepointError
from pausepoint.server import finish, recover
from pausepoint.server.accept import Accepted, Acceptor, Draft, Lookup, Repeated, accept
from pausepoint.server.backends import Backends
from pausepoint.server.changes import Change, Changer
from pausepoint.server.config import ProjectConfig
from pausepoint.server.dispatch import Dispatcher
from pausepoint.server.errors import ApiError, TooMany
from pausepoint.server.execute import Active, Executor, State, run_input
from pausepoint.server.finish import Ending, Outcome
from pausepoint.server.graphs import GraphRegistry, system_assistant_id
from pausepoint.server.journal import END, Journal
from pausepoint.server.limits import Limits
from pausepoint.server.metrics import Metrics
from pausepoint.server.protocol.subscribe import Claims
from pausepoint.server.protocol.translate import PREFIX, params
from pausepoint.server.schedule import Scheduler
from pausepoint.server.serialize import error_json, to_json
from pausepoint.server.tables import assistants as assistants_table
from pausepoint.server.tables import runs as runs_table
from pausepoint.server.tables import threads as threads_table
from pausepoint.server.tables.events import Event
from pausepoint.server.tables.runs import Run
from pausepoint.storage.database import Database

log = structlog.get_logger("pausepoint.server")

MAX_ATTEMPTS = 3
DATABASE = "pausepoint.sqlite"
INPUT_REQUESTED = PREFIX + "input.requested"


class NotWanted(PausepointError):
    """What the run was for has been done meanwhile."""


Finisher = Callable[[sqlite3.Connection, Run, Ending], None]
"""Takes part in the transaction that ends a run."""

Unfinisher = Callable[[Run, bool], Awaitable[None]]
"""Tidies the checkpoints after a run that failed or was stopped; True when it was rolled back."""

Starter = Callable[[sqlite3.Connection, Run], str | None]
"""Asked when a run that has waited begins; a reason means that it must not run any more."""


@dataclass
class Engine:
    """Everything one server process holds."""

    config: ProjectConfig
    data: Path
    limits: Limits = field(default_factory=Limits)
    jobs: int = 256
    show_traces: bool = True
    acceptors: list[Acceptor] = field(default_factory=list[Acceptor])
    finishers: list[Finisher] = field(default_factory=list[Finisher])
    lookups: list[Lookup] = field(default_factory=list[Lookup])
    starters: list[Starter] = field(default_factory=list[Starter])
    changers: list[Changer] = field(default_factory=list[Changer])
    unfinishers: list[Unfinisher] = field(default_factory=list[Unfinisher])
    metrics: Metrics = field(default_factory=Metrics)
    claims: Claims = field(default_factory=Claims)
    draining: bool = False

    database: Database = field(init=False)
    backends: Backends = field(init=False)
    graphs: GraphRegistry = field(init=False)
    journal: Journal = field(init=False)
    executor: Executor = field(init=False)
    dispatcher: Dispatcher = field(init=False)
    scheduler: Scheduler = field(init=False)
    active: dict[str, Active] = field(default_factory=dict[str, Active])
    _stop_early: dict[str, tuple[str, str | None]] = field(
        default_factory=dict[str, "tuple[str, str | None]"]
    )
    _inner: dict[str, asyncio.Task[State]] = field(default_factory=dict[str, "asyncio.Task[State]"])
    _waiters: dict[str, asyncio.Future[Outcome]] = field(default_factory=dict[str, "asyncio.Future[Outcome]"])

    async def open(self) -> None:
        """Open the database, load the graphs, and put unfinished runs back to work."""
        self.config.prepare()
        self.database = await Database.open(self.data / DATABASE)
        self.backends = await Backends.open(self.config, self.database)
        self.graphs = GraphRegistry(
            self.config, self.backends.checkpointer, self.backends.store, show_traces=self.show_traces
        )
        await self.graphs.load()
        self.journal = Journal(self.database)
        await self.journal.open()
        self.executor = Executor(self.graphs, self.journal, self.limits.events_per_run)
        self.dispatcher = Dispatcher(self.jobs, self._work)
        await self.database.write(self._ensure_assistants)
        self.scheduler = Scheduler(self)
        await self.scheduler.open()
        for run in await self.database.read(runs_table.unfinished):
            run.left_over = True
            self._waiters[run.run_id] = asyncio.get_running_loop().create_future()
            self.dispatcher.submit(run)

    async def drain(self, grace: float = 20.0) -> None:
        """Stop working: nothing new starts; what is at work stops after its step and carries on at the next start.

        Args:
            grace: Seconds a run may take for its current step.
        """
        if self.draining:
            return
        self.draining = True
        self.dispatcher.stop()
        await self.scheduler.close()
        for active in self.active.values():
            active.control.request_drain("shutdown")
        try:
            async with asyncio.timeout(grace):
                await self.dispatcher.idle()
        except TimeoutError:
            for task in self._inner.values():
                task.cancel()
            await self.dispatcher.idle()
        await self.journal.close()
        for waiter in self._waiters.values():
            waiter.cancel()

    async def close(self, grace: float = 20.0) -> None:
        """Drain and close everything."""
        await self.drain(grace)
        await self.backends.close()
        await self.database.close()

    @property
    def graph_ids(self) -> dict[str, str]:
        """Graph id → the id of its own assistant."""
        return {graph_id: system_assistant_id(graph_id) for graph_id in self.graphs.ids()}

    async def submit(
        self,
        draft: Draft,
        *,
        also: Callable[[sqlite3.Connection], bool] | None = None,
        then: Callable[[Run], None] | None = None,
    ) -> Run:
        """Accept a run, durably, and queue it.

        Args:
            draft: What is asked for.
            also: Done first in the same transaction; False means that the run is not wanted any more.
            then: Called once it is on disk and before it starts.

        Raises:
            ApiError: It was not accepted; nothing has changed.
        """
        if self.draining:
            raise ApiError(
                503, "The server is shutting down. Try again in a moment.", headers={"Retry-After": "5"}
            )
        draft.queue_limit = self.limits.queue_length
        draft.immediate = self.dispatcher.free_for(draft.thread_id)
        acceptors, lookups = tuple(self.acceptors), tuple(self.lookups)

        def work(conn: sqlite3.Connection) -> Accepted:
            if also is not None and not also(conn):
                raise NotWanted
            for look in lookups:
                if (before := look(conn, draft)) is not None:
                    raise Repeated(before)
            return accept(conn, draft, acceptors)

        try:
            accepted = await self.database.write(work)
        except Repeated as repeated:
            return repeated.run
        if then is not None:
            then(accepted.run)
        await self._queue(accepted)
        return accepted.run

    async def submit_many(self, drafts: Sequence[Draft]) -> list[Run]:
        """Accept several runs: all or none.

        Raises:
            ApiError: One of them was not accepted; nothing has changed.
        """
        if self.draining:
            raise ApiError(
                503, "The server is shutting down. Try again in a moment.", headers={"Retry-After": "5"}
            )
        if len(drafts) > self.limits.batch:
            raise TooMany(f"A batch may have {self.limits.batch} runs at most, not {len(drafts)}.")
        acceptors = tuple(self.acceptors)
        all_accepted = await self.database.write(
            lambda conn: [accept(conn, draft, acceptors) for draft in drafts]
        )
        for accepted in all_accepted:
            await self._queue(accepted)
        return [accepted.run for accepted in all_accepted]

    async def _queue(self, accepted: Accepted) -> None:
        self.metrics.accepted += 1
        self._waiters[accepted.run.run_id] = asyncio.get_running_loop().create_future()
        for old in accepted.replaced:
            await self.cancel(
                old, accepted.action or "interrupt", reason=f"replaced by {accepted.run.run_id}"
            )
        self.dispatcher.submit(accepted.run)

    async def start_of_latest_run(self, thread_id: str) -> int | None:
        """The id before the first event of a thread's latest run."""
        runs = await self.database.read(lambda conn: runs_table.of_thread(conn, thread_id, limit=1))
        if not runs:
            return None
        return await self.journal.first_of(runs[0].run_id)

    def is_finished(self, run_id: str) -> bool:
        """Whether a run that this process has queued has ended."""
        return run_id not in self._waiters

    async def outcome(self, run: Run) -> Outcome:
        """Wait for a run's end."""
        waiter = self._waiters.get(run.run_id)
        if waiter is not None:
            return await asyncio.shield(waiter)
        return await self.database.read(lambda conn: finish.outcome_of(conn, run))

    async def cancel(self, run: Run, action: str, *, reason: str | None = None, wait: bool = False) -> None:
        """Stop a run, whether it waits or works.

        Args:
            run: Which.
            action: `interrupt` keeps what was done; `rollback` takes back its checkpoints and the run itself.
            reason: Kept with the run.
            wait: Return only when it has stopped.
        """
        active = self.active.get(run.run_id)
        if active is not None:
            active.cancel_action, active.cancel_reason = action, reason
            inner = self._inner.get(run.run_id)
            if inner is not None:
                inner.cancel()
        elif self.dispatcher.remove(run.run_id, run.thread_id):
            rollback = action == "rollback"
            await self._end(run, Ending("interrupted", None, cancel_reason=reason, delete_run=rollback))
            return
        elif run.run_id in self._waiters:
            # Between its turn and its first step.
            self._stop_early[run.run_id] = action, reason
        waiter = self._waiters.get(run.run_id)
        if wait and waiter is not None:
            await asyncio.shield(waiter)

    async def delete_thread(self, thread_id: str, change: Change | None = None) -> None:
        """Delete a thread with everything that belongs to it; its runs are stopped first.

        Raises:
            ApiError: Something that belongs to it must not go, and the change does not say that it may.
        """
        wanted = change or Change("delete", thread_id)
        await self.database.read(lambda conn: self.change(conn, wanted))
        for run in await self.database.read(lambda conn: runs_table.unfinished_of_thread(conn, thread_id)):
            await self.cancel(run, "interrupt", reason="the thread was deleted", wait=True)

        def delete(conn: sqlite3.Connection) -> None:
            self.change(conn, replace(wanted, final=True))
            threads_table.delete(conn, thread_id)

        await self.database.write(delete)
        await self.backends.forget_thread(thread_id)

    async def delete_threads_of(
        self,
        query: Mapping[str, Any],
        filters: Mapping[str, Any] | None,
        change: Change | None = None,
    ) -> None:
        """Delete all threads that a search finds."""
        while True:
            rows = await self.database.read(lambda conn: threads_table.search(conn, query, filters))
            for row in rows:
                thread_id = str(row["thread_id"])
                await self.delete_thread(
                    thread_id, None if change is None else replace(change, thread_id=thread_id)
                )
            if not rows:
                return

    async def may_see(self, thread_id: str, filters: Mapping[str, Any] | None) -> bool:
        """Whether a filter on metadata lets a thread through."""
        try:
            await self.database.read(lambda conn: threads_table.row_of(conn, thread_id, filters))
        except ApiError:
            return False
        return True

    def change(self, conn: sqlite3.Connection, change: Change) -> None:
        """Tell all who take part in changes of threads, inside the transaction that makes the change.

        Raises:
            ApiError: One of them refuses.
        """
        for changer in self.changers:
            changer(conn, change)

    async def _work(self, run: Run) -> None:
        """One run from its start to its end; never raises."""
        active = self.active[run.run_id] = Active(run)
        active.cancel_action, active.cancel_reason = self._stop_early.pop(run.run_id, (None, None))
        try:
            ending = await self._attempt(active)
            if ending is not None:
                await self._end(run, ending)
        except Exception as error:
            # The database failed; the run stays unfinished on disk and is continued at the next start.
            log.error("run could not be recorded", run_id=run.run_id, exc_info=error)
            self._announce(run, Outcome("error", None, error_json(error)))
        finally:
            self.active.pop(run.run_id, None)

    async def _attempt(self, active: Active) -> Ending | None:
        """Run it and say how it ended; None when a shutdown stopped it."""
        run = active.run
        given: Any = None
        if run.attempt == 0 or run.left_over:
            refused = await self.database.write(self._begin(run), durable=False)
            if refused is not None:
                return Ending("interrupted", await self._state_or_none(run), cancel_reason=refused)
        if run.attempt == 0:
            return Ending(status="interrupted", state=None, cancel_reason="deleted")
        if run.attempt > 1:
            await self._forgive(run)
        if run.attempt > MAX_ATTEMPTS:
            return Ending.failed(recover.gave_up(MAX_ATTEMPTS))
        metadata = {"run_id": run.run_id, "attempt": run.attempt}
        self.journal.emit(
            run.run_id,
            run.thread_id,
            "metadata",
            to_json(metadata),
            store=bool(run.kwargs.get("stored", True)),
        )
        given = run_input(run)
        if run.attempt > 1:
            plan = await recover.plan(self.executor, self.graphs, self.backends.checkpointer, run)
            if plan.finished is not None:
                return Ending(status="success", state=plan.finished)
            given = plan.given
        return await self._stream(active, given)

    def _begin(self, run: Run) -> Callable[[sqlite3.Connection], str | None]:
        starters = tuple(self.starters)

        def begin(conn: sqlite3.Connection) -> str | None:
            refused = next((reason for s in starters if (reason := s(conn, run)) is not None), None)
            if refused is None:
                run.attempt = runs_table.start(conn, run.run_id)
            return refused

        return begin

    async def _forgive(self, run: Run) -> None:
        """Attempts count while a run gets no further; one that does is not what ends the server."""
        progress = await recover.progress(self.backends.checkpointer, run)
        if run.progress is not None and progress != run.progress:
            run.attempt = 2
        run.progress = progress
        attempt = run.attempt
        await self.database.write(
            lambda conn: runs_table.note_progress(conn, run.run_id, attempt, progress), durable=False
        )

    async def _stream(self, active: Active, given: Any) -> Ending | None:
        run = active.run
        if active.cancel_action is not None:
            return await self._stopped(active)
        inner = asyncio.get_running_loop().create_task(self.executor.stream(active, given))
        self._inner[run.run_id] = inner
        try:
            state = await inner
            return Ending(status="success", state=state)
        except asyncio.CancelledError:
            if active.cancel_action is None:
                return await self._put_back(run)
            return await self._stopped(active)
        except GraphDrained:
            return await self._put_back(run)
        except Exception as error:
            log.warning("run failed", run_id=run.run_id, graph_id=run.graph_id, exc_info=error)
            await self._tidy(run, rolled_back=False)
            return Ending.failed(error_json(error), state=await self._state_or_none(run))
        finally:
            self._inner.pop(run.run_id, None)

    async def _put_back(self, run: Run) -> None:
        """The server stops: the run waits on disk for the next start."""
        await self.database.write(lambda conn: runs_table.requeue(conn, [run.run_id]))
        self._waiters.pop(run.run_id, None)
        self.journal.end_run(run.run_id)

    async def _stopped(self, active: Active) -> Ending:
        run = active.run
        rollback = active.cancel_action == "rollback"
        if rollback:
            await self.backends.forget_runs([run.run_id], run.thread_id)
        await self._tidy(run, rolled_back=rollback)
        return Ending(
            status="interrupted",
            state=await self._state_or_none(run),
            cancel_reason=active.cancel_reason,
            delete_run=rollback,
        )

    async def _tidy(self, run: Run, *, rolled_back: bool) -> None:
        for unfinish in self.unfinishers:
            try:
                await unfinish(run, rolled_back)
            except Exception as error:
                log.warning("a stopped run could not be tidied up", run_id=run.run_id, exc_info=error)

    async def _state_or_none(self, run: Run) -> State | None:
        try:
            return await self.executor.state(run)
        except Exception as error:
            log.warning("state could not be read", thread_id=run.thread_id, exc_info=error)
            return None

    async def _end(self, run: Run, ending: Ending) -> None:
        """Record the end of a run, then tell whoever waits for it."""
        last = self._last_events(run, ending)
        ending.events = self.journal.take_unsaved(run.run_id)
        if run.kwargs.get("stored", True):
            ending.events += last
        finishers = tuple(self.finishers)

        def record(conn: sqlite3.Connection) -> bool:
            for finisher in finishers:
                finisher(conn, run, ending)
            return finish.record(conn, run, ending)

        hooks = await self.database.write(record)
        if run.kwargs.get("temporary") or ending.delete_thread:
            await self.backends.forget_thread(run.thread_id)
        run.status = ending.status
        self.metrics.ended[ending.status] = self.metrics.ended.get(ending.status, 0) + 1
        self._announce(run, ending.outcome(), last)
        if hooks:
            self.scheduler.wake_webhooks()

    def _last_events(self, run: Run, ending: Ending) -> list[Event]:
        """What the stream says at its end, once the end is on disk."""

        def event(name: str, data: Any) -> Event:
            return self.journal.prepare(run.run_id, run.thread_id, name, to_json(data))

        found: list[Event] = []
        for interrupt in ending.state.waiting if ending.state else ():
            asked = {"interrupt_id": interrupt["id"], "payload": interrupt["value"], **interrupt}
            found.append(event(INPUT_REQUESTED, params([], asked)))
        if ending.error is not None:
            found.append(event("error", ending.error))
        found.append(event(END, ending.summary()))
        return found

    def _announce(self, run: Run, outcome: Outcome, last: Sequence[Event] = ()) -> None:
        self.claims.ended(run.thread_id, run.run_id, self.journal.is_followed(run.thread_id))
        self.journal.end_run(run.run_id, last)
        self.journal.forget(run.run_id)
        waiter = self._waiters.pop(run.run_id, None)
        if waiter is not None and not waiter.done():
            waiter.set_result(outcome)

    def _ensure_assistants(self, conn: sqlite3.Connection) -> None:
        for graph_id, assistant_id in self.graph_ids.items():
            assistants_table.ensure_system(
                conn, assistant_id, graph_id, self.config.descriptions.get(graph_id)
            )
