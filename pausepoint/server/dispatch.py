"""Decides which run starts next: one at a time in a thread, threads and assistants in turn, at once when a slot is free."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pausepoint.server.clock import seconds_until
from pausepoint.server.tables.runs import Run

_LONGEST_SLEEP = 60.0
"""Timers look at the clock at least this often, so that a changed clock is noticed."""


@dataclass
class _Line:
    """A thread's runs: at most one at work, the others in order."""

    waiting: deque[Run] = field(default_factory=deque[Run])
    working: str | None = None


class Dispatcher:
    """Starts runs, at most `jobs` at a time."""

    def __init__(self, jobs: int, work: Callable[[Run], Awaitable[None]]) -> None:
        """Keep what to do.

        Args:
            jobs: How many runs may be at work at once.
            work: Does a whole run; must not raise.
        """
        self.jobs = jobs
        self._work = work
        self._lines: dict[str, _Line] = {}
        self._ready: OrderedDict[str, deque[str]] = OrderedDict()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._stopped = False

    @property
    def working(self) -> int:
        """How many runs are at work."""
        return len(self._tasks)

    @property
    def waiting(self) -> int:
        """How many runs wait for a slot, their thread, or their time."""
        return sum(len(line.waiting) for line in self._lines.values())

    def free_for(self, thread_id: str | None) -> bool:
        """Whether a run of this thread would start at once."""
        if self._stopped or len(self._tasks) >= self.jobs or self._ready:
            return False
        return thread_id is None or thread_id not in self._lines

    def submit(self, run: Run) -> None:
        """Queue a run; it starts when it is its turn."""
        line = self._lines.setdefault(run.thread_id, _Line())
        line.waiting.append(run)
        self._offer(run.thread_id)
        self._fill()

    def remove(self, run_id: str, thread_id: str) -> bool:
        """Take a waiting run out; False when it does not wait (any more)."""
        line = self._lines.get(thread_id)
        found = next((r for r in line.waiting if r.run_id == run_id), None) if line else None
        if line is None or found is None:
            return False
        line.waiting.remove(found)
        self._cancel_timer(thread_id)
        if not line.waiting and line.working is None:
            self._lines.pop(thread_id, None)
        else:
            self._offer(thread_id)
        return True

    def stop(self) -> None:
        """Start nothing more."""
        self._stopped = True
        for thread_id in tuple(self._timers):
            self._cancel_timer(thread_id)

    async def idle(self) -> None:
        """Wait until nothing is at work."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks.values()))

    def _offer(self, thread_id: str) -> None:
        """Put a thread among the ready ones when a run of it may start, or set a timer for the first."""
        line = self._lines[thread_id]
        if line.working is not None or not line.waiting:
            return
        run = _due(line)
        self._cancel_timer(thread_id)
        if run is None:
            wait = min(seconds_until(r.start_after) for r in line.waiting)
            loop = asyncio.get_running_loop()
            self._timers[thread_id] = loop.call_later(
                max(0.0, min(wait, _LONGEST_SLEEP)), self._wake, thread_id
            )
            return
        threads = self._ready.setdefault(run.assistant_id, deque())
        if thread_id not in threads:
            threads.append(thread_id)

    def _wake(self, thread_id: str) -> None:
        self._timers.pop(thread_id, None)
        if thread_id in self._lines and not self._stopped:
            self._offer(thread_id)
            self._fill()

    def _cancel_timer(self, thread_id: str) -> None:
        timer = self._timers.pop(thread_id, None)
        if timer is not None:
            timer.cancel()

    def _fill(self) -> None:
        while self._ready and len(self._tasks) < self.jobs and not self._stopped:
            run = self._take()
            if run is not None:
                self._start(run)

    def _take(self) -> Run | None:
        """The next run: the assistant that waited longest, of its threads the one that waited longest."""
        assistant_id, threads = next(iter(self._ready.items()))
        thread_id = threads.popleft()
        if threads:
            self._ready.move_to_end(assistant_id)
        else:
            del self._ready[assistant_id]
        line = self._lines.get(thread_id)
        run = _due(line) if line is not None and line.working is None else None
        if line is not None and run is not None:
            line.waiting.remove(run)
        return run

    def _start(self, run: Run) -> None:
        self._lines[run.thread_id].working = run.run_id
        task = asyncio.get_running_loop().create_task(self._do(run), name=f"run {run.run_id}")
        self._tasks[run.run_id] = task

    async def _do(self, run: Run) -> None:
        try:
            await self._work(run)
        finally:
            self._tasks.pop(run.run_id, None)
            line = self._lines[run.thread_id]
            line.working = None
            if line.waiting:
                self._offer(run.thread_id)
            else:
                del self._lines[run.thread_id]
            self._fill()


def _due(line: _Line) -> Run | None:
    """The first of a thread's runs whose time has come."""
    for run in line.waiting:
        if run.start_after == run.created_at or seconds_until(run.start_after) <= 0:
            return run
    return None
