"""Every stream of the server: events get their ids here, go to whoever listens, and are stored in batches.

An event is handed to listeners at once; storing follows in the background, many events to a transaction. A listener that
is too slow is dropped (it may come back with the id of the last event it saw and reads the rest from disk), so it costs
nobody else anything.
"""

import asyncio
import sqlite3
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from functools import partial

import structlog

from pausepoint.server.tables import events as table
from pausepoint.server.tables.events import Event
from pausepoint.storage.database import Database

log = structlog.get_logger("pausepoint.server")

_BLOCK = 1_000_000
_BACKLOG = 4096
"""Events a listener may lie behind before it is dropped."""
_PAGE = 500
_GATHER_SECONDS = 0.02
"""How long events are gathered for one transaction; the last ones of a run are stored with its end."""
END = "end"


_Read = Callable[[sqlite3.Connection, str, int, int], list[Event]]


class Listener:
    """One open stream: a bounded queue that wakes its reader."""

    __slots__ = ("_wake", "closed", "lost", "queue")

    def __init__(self) -> None:
        self.queue: deque[Event] = deque()
        self.closed = False
        self.lost = False
        self._wake = asyncio.Event()

    def put(self, event: Event) -> None:
        """Hand over an event; drops the listener when it does not keep up."""
        if len(self.queue) >= _BACKLOG:
            self.lost = True
            self._wake.set()
            return
        self.queue.append(event)
        self._wake.set()

    def close(self) -> None:
        """No more events will come."""
        self.closed = True
        self._wake.set()

    async def wait(self, seconds: float) -> bool:
        """Wait for something to happen; False when nothing did in time."""
        if self.queue or self.closed or self.lost:
            return True
        self._wake.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()
                return True
        return False


class Journal:
    """Numbers, distributes and stores events."""

    def __init__(self, database: Database) -> None:
        """Use `open` before the first event."""
        self._database = database
        self._next = 0
        self._limit = 0
        self._unsaved: deque[Event] = deque()
        self._saving: tuple[Event, ...] = ()
        self._ending: dict[str, list[Event]] = {}
        self._runs: defaultdict[str, set[Listener]] = defaultdict(set)
        self._threads: defaultdict[str, set[Listener]] = defaultdict(set)
        self._flusher: asyncio.Task[None] | None = None
        self._live: dict[str, deque[Event]] = {}
        self.listeners = 0

    async def open(self) -> None:
        """Reserve the first block of ids."""
        first = await self._database.write(lambda conn: table.reserve(conn, _BLOCK))
        self._next, self._limit = first, first + _BLOCK

    async def close(self) -> None:
        """Store what is left and end all streams."""
        await self.flush()
        for group in (*self._runs.values(), *self._threads.values()):
            for listener in tuple(group):
                listener.close()

    @property
    def last_id(self) -> int:
        """The id of the newest event."""
        return self._next - 1

    def emit(self, run_id: str, thread_id: str, event: str, data: bytes, *, store: bool = True) -> Event:
        """Publish an event.

        Args:
            run_id: Its run.
            thread_id: Its thread.
            event: The name a client sees, for example `values`.
            data: JSON.
            store: Whether it can be replayed after the run.
        """
        found = self.prepare(run_id, thread_id, event, data)
        self._publish(found)
        if store:
            self._unsaved.append(found)
            if self._flusher is None:
                self._flusher = asyncio.get_running_loop().create_task(self._flush_soon())
        else:
            self._live.setdefault(run_id, deque(maxlen=_BACKLOG)).append(found)
        return found

    def prepare(self, run_id: str, thread_id: str, event: str, data: bytes) -> Event:
        """An event with its id, not yet told to anybody: for what must be on disk first."""
        return Event(self._take_id(), run_id, thread_id, event, data)

    def _publish(self, event: Event) -> None:
        for listener in self._runs.get(event.run_id, ()):
            listener.put(event)
        for listener in self._threads.get(event.thread_id, ()):
            listener.put(event)

    def take_unsaved(self, run_id: str) -> list[Event]:
        """The run's events that are not on disk yet, for storing in the transaction that ends the run."""
        mine = [e for e in self._unsaved if e.run_id == run_id]
        if mine:
            self._unsaved = deque(e for e in self._unsaved if e.run_id != run_id)
            self._ending[run_id] = mine
        return mine

    def forget(self, run_id: str) -> None:
        """Drop what was kept in memory for a run that has ended on disk."""
        self._live.pop(run_id, None)
        self._ending.pop(run_id, None)

    async def first_of(self, run_id: str) -> int | None:
        """The id before a run's first event; None when it has none (any more)."""
        stored = await self._database.read(lambda conn: table.of_run(conn, run_id, 0, 1))
        found = [*stored, *self._in_memory(run_id, thread=False)]
        return min(e.id for e in found) - 1 if found else None

    def is_followed(self, thread_id: str) -> bool:
        """Whether somebody follows the thread now."""
        return thread_id in self._threads

    def end_run(self, run_id: str, last: Sequence[Event] = ()) -> None:
        """Tell the run's listeners its last events, which are on disk, and that nothing more comes."""
        for event in last:
            self._publish(event)
        for listener in self._runs.pop(run_id, ()):
            listener.close()

    async def flush(self) -> None:
        """Wait until every event so far is stored."""
        while self._flusher is not None:
            await asyncio.shield(self._flusher)

    async def follow_run(
        self, run_id: str, after: int, *, finished: Callable[[], bool], idle: float
    ) -> AsyncGenerator[Event | None]:
        """A run's events after an id: stored ones, then live ones. None means that nothing came for `idle` seconds.

        Args:
            run_id: The run.
            after: The id of the last event the client has.
            finished: Whether the run has ended (asked once the listener is in place).
            idle: Seconds.
        """
        listener = self._listen(self._runs, run_id)
        try:
            if finished():
                listener.close()
            async for event in self._replay(run_id, after, thread=False):
                after = event.id
                yield event
            async for item in self._live_events(listener, after, idle):
                yield item
        finally:
            self._leave(self._runs, run_id, listener)

    async def follow_thread(
        self, thread_id: str, after: int | None, *, idle: float
    ) -> AsyncGenerator[Event | None]:
        """A thread's events over all its runs; `after` None starts with the next one."""
        listener = self._listen(self._threads, thread_id)
        try:
            if after is None:
                after = self.last_id
            else:
                async for event in self._replay(thread_id, after, thread=True):
                    after = event.id
                    yield event
            async for item in self._live_events(listener, after, idle):
                yield item
        finally:
            self._leave(self._threads, thread_id, listener)

    async def _replay(self, key: str, after: int, *, thread: bool) -> AsyncGenerator[Event]:
        read = table.of_thread if thread else table.of_run
        # Looked at first: what is saved meanwhile is then in both, and nothing falls between.
        unsaved = deque(sorted(self._in_memory(key, thread=thread)))
        floor = after
        while True:
            page = await self._database.read(partial(_page, read, key, floor))
            for event in page:
                while unsaved and unsaved[0].id < event.id:
                    earlier = unsaved.popleft()
                    if earlier.id > after:
                        yield earlier
                if unsaved and unsaved[0].id == event.id:
                    unsaved.popleft()
                floor = event.id
                yield event
            if len(page) < _PAGE:
                break
        for event in unsaved:
            if event.id > after:
                yield event

    def _in_memory(self, key: str, *, thread: bool) -> list[Event]:
        if thread:
            ending = [e for events in self._ending.values() for e in events]
            return [e for e in (*ending, *self._saving, *self._unsaved) if e.thread_id == key]
        mine = [e for e in (*self._saving, *self._unsaved) if e.run_id == key]
        return [*self._ending.get(key, ()), *mine, *self._live.get(key, ())]

    async def _live_events(self, listener: Listener, after: int, idle: float) -> AsyncGenerator[Event | None]:
        while True:
            if not await listener.wait(idle):
                yield None
                continue
            while listener.queue:
                event = listener.queue.popleft()
                if event.id > after:
                    after = event.id
                    yield event
            if listener.closed or listener.lost:
                return

    def _listen(self, group: defaultdict[str, set[Listener]], key: str) -> Listener:
        listener = Listener()
        group[key].add(listener)
        self.listeners += 1
        return listener

    def _leave(self, group: defaultdict[str, set[Listener]], key: str, listener: Listener) -> None:
        self.listeners -= 1
        members = group.get(key)
        if members is not None:
            members.discard(listener)
            if not members:
                group.pop(key, None)

    def _take_id(self) -> int:
        number = self._next
        self._next += 1
        if self._next >= self._limit:
            # Far beyond a block in one go: the next block follows directly, because only this process reserves.
            self._limit += _BLOCK
            task = asyncio.get_running_loop().create_task(self._reserve())
            task.add_done_callback(lambda t: t.exception())
        return number

    async def _reserve(self) -> None:
        await self._database.write(lambda conn: table.reserve(conn, _BLOCK))

    async def _flush_soon(self) -> None:
        try:
            while self._unsaved:
                await asyncio.sleep(_GATHER_SECONDS)
                batch = tuple(self._unsaved)
                self._unsaved.clear()
                self._saving = batch
                await self._save(batch)
                self._saving = ()
        finally:
            self._flusher = None

    async def _save(self, batch: tuple[Event, ...]) -> None:
        try:
            await self._database.write(lambda conn: table.insert(conn, batch), durable=False)
        except Exception as error:
            log.error("events could not be stored", events=len(batch), exc_info=error)


def _page(read: _Read, key: str, after: int, conn: sqlite3.Connection) -> list[Event]:
    return read(conn, key, after, _PAGE)
