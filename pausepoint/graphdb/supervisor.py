"""Keeps one embedded engine running per folder and process: a thread starts it, and again whenever it ends.

Every run has a number. Who lost the connection to run 3 asks for a restart of run 3, so that many callers who
lose it together restart it once.
"""

import os
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import structlog

from pausepoint.graphdb.child import Child, FolderLocked, Options
from pausepoint.graphdb.drivers import Address
from pausepoint.graphdb.errors import GraphHeld, GraphUnavailable
from pausepoint.storage.folder import DataFolder, DataFolderHeld

log = structlog.get_logger(__name__)

_LOCKED_SECONDS = 10.0
"""How long an earlier engine (its parent was killed) may take to let go of the folder."""
_START_TRIES = 3
_TRY_AGAIN_SECONDS = 1.0
"""After a failed start, the first question this much later tries again."""
_QUICK_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Run:
    """A running engine: its number, where it answers, its process id."""

    number: int
    address: Address
    pid: int


class Supervisor:
    """The engine of one folder. Use `acquire` and `release`."""

    def __init__(self, folder: Path, options: Options) -> None:
        """Start the thread that starts the engine."""
        self.folder = folder
        self.users = 0
        self._options = options
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._asked = threading.Event()
        self._child: Child | None = None
        self._gone = threading.Event()
        self._number = 0
        self._future = _promise()
        self._failed_at = 0.0
        self._thread = threading.Thread(target=self._supervise, name="pausepoint-graph", daemon=True)
        self._thread.start()

    def run(self) -> "Future[Run]":
        """The current run, or the coming one while the engine starts."""
        with self._lock:
            failed = self._future.done() and self._future.exception() is not None
            if (
                failed
                and not self._closing.is_set()
                and time.monotonic() > self._failed_at + _TRY_AGAIN_SECONDS
            ):
                self._future = _promise()
                self._asked.set()
            return self._future

    def ended(self, number: int, within: float) -> bool:
        """Whether that run has ended, waiting up to `within` seconds for it."""
        with self._lock:
            if number != self._number or self._child is None:
                return True
            gone = self._gone
        return gone.wait(within)

    def restart(self, number: int, reason: str) -> None:
        """End that run by force, if it is still the current one; the next one starts at once."""
        with self._lock:
            if number == self._number and self._child is not None and self._child.alive():
                log.warning("graph_restart", reason=reason, run=number)
                self._child.kill()

    def stop(self) -> None:
        """End the engine and the thread."""
        self._closing.set()
        self._asked.set()
        with self._lock:
            child = self._child
        if child:
            child.stop()
        self._thread.join()

    def _supervise(self) -> None:
        while not self._closing.is_set():
            started = time.monotonic()
            try:
                self._start_patiently()
            except Exception as error:
                self._fail(error)
                continue
            self._wait()
            if time.monotonic() - started < _QUICK_SECONDS:
                self._closing.wait(0.1)
        with self._lock:
            if not self._future.done():
                self._future.set_exception(_closed(self.folder))

    def _start_patiently(self) -> None:
        tries, until = 1, time.monotonic() + _LOCKED_SECONDS
        while True:
            try:
                return self._start()
            except FolderLocked:
                if time.monotonic() > until or self._closing.wait(0.1):
                    raise
            except GraphUnavailable:
                # A port may have been taken between choosing and using it.
                tries += 1
                if tries > _START_TRIES or self._closing.wait(0.1):
                    raise

    def _start(self) -> None:
        started = time.monotonic()
        child = Child(self.folder, self._options)
        address = child.wait_ready()
        with self._lock:
            self._child, self._gone = child, threading.Event()
            self._number += 1
            run = Run(self._number, address, child.pid)
            self._future.set_result(run)
        log.info("graph_started", run=run.number, pid=run.pid, seconds=round(time.monotonic() - started, 3))

    def _wait(self) -> None:
        assert self._child
        if self._closing.is_set():
            self._child.stop()
        status = self._child.wait()
        with self._lock:
            self._child, self._future = None, _promise()
            self._gone.set()
        if not self._closing.is_set():
            log.warning("graph_ended", run=self._number, status=status)

    def _fail(self, error: Exception) -> None:
        with self._lock:
            self._failed_at = time.monotonic()
            self._asked.clear()
            self._future.set_exception(
                error
                if isinstance(error, GraphUnavailable)
                else GraphUnavailable(_unstartable(self.folder, error))
            )
        log.error("graph_failed", error=str(error))
        if not self._closing.is_set():
            self._asked.wait()


def _promise() -> "Future[Run]":
    promise: Future[Run] = Future()
    # A running future cannot be cancelled by one of the many who wait for it.
    promise.set_running_or_notify_cancel()
    return promise


def _closed(folder: Path) -> GraphUnavailable:
    return GraphUnavailable(
        f"the embedded graph in {str(folder)!r} was closed: open it again with open_graph()"
    )


def _unstartable(folder: Path, error: Exception) -> str:
    return (
        f"the embedded graph in {str(folder)!r} cannot be started ({error}): check the folder's permissions "
        "and the room on its disk, or set PAUSEPOINT_DATA to another folder"
    )


_open: dict[Path, tuple[Supervisor, DataFolder]] = {}
_registry = threading.Lock()


def acquire(folder: Path, options: Options) -> Supervisor:
    """The folder's supervisor, started for its first user; blocking, but not until the engine answers.

    Args:
        folder: the graph's own folder, created when missing.
        options: count when this is the first user.

    Raises:
        GraphHeld: another process has it.
        DatabaseReadOnly: the folder cannot be created or written.
    """
    folder = folder.expanduser().resolve()
    with _registry:
        if folder not in _open:
            held = _hold(folder)
            _open[folder] = (Supervisor(folder, options), held)
        supervisor = _open[folder][0]
        supervisor.users += 1
        return supervisor


def release(supervisor: Supervisor) -> None:
    """Give it back; the last user's ends the engine. Blocking."""
    with _registry:
        supervisor.users -= 1
        if supervisor.users == 0:
            _, held = _open.pop(supervisor.folder)
            supervisor.stop()
            held.release()


def _hold(folder: Path) -> DataFolder:
    try:
        held = DataFolder.hold(folder, "graph")
    except DataFolderHeld as error:
        raise GraphHeld(
            f"the embedded graph cannot be opened twice: {error} A running server answers over HTTP "
            "(pausepoint ask uses it); PAUSEPOINT_DATA names another folder, GRAPH_URI a Neo4j server."
        ) from error
    folder.chmod(0o700)
    return held


def _forget_in_fork() -> None:
    """A forked process has neither the thread nor the child."""
    global _registry
    _registry = threading.Lock()
    _open.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_fork)
