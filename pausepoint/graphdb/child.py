"""One run of the embedded engine: starts the process, hands it its secrets, waits for it, ends it."""

import json
import os
import secrets
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pausepoint.graphdb.drivers import WRITE_TIMEOUT, Address, Login
from pausepoint.graphdb.errors import GraphUnavailable

DATABASE = "graph"
_PROGRAM = Path(__file__).with_name("embedded_child.py")
_START_SECONDS = 60.0
_STOP_SECONDS = 5.0
_LOG_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Options:
    """How the engine runs: `time_limit` in seconds stops reads, `heap` like `128m` is its memory."""

    time_limit: float = 30.0
    heap: str = "128m"


class FolderLocked(GraphUnavailable):
    """An earlier engine is still closing the folder."""


class Child:
    """A running engine. Start it from a thread that outlives it: it dies with that thread (Linux)."""

    def __init__(self, folder: Path, options: Options) -> None:
        """Start the process; `wait_ready` tells whether it came up."""
        self._folder = folder
        self._log = folder / "engine.log"
        # New at every start and never on disk: there is nothing to steal and nothing to corrupt.
        self._writer = Login("root", secrets.token_urlsafe(24))
        self._reader = Login("reader", secrets.token_urlsafe(24))
        self._process = _spawn(folder, self._log)
        with suppress(BrokenPipeError):
            self._send(options)

    def _send(self, options: Options) -> None:
        assert self._process.stdin
        config = {
            "folder": str(self._folder),
            "database": DATABASE,
            "parent": os.getpid(),
            "writer": self._writer.password,
            "reader": self._reader.password,
            "time_limit_ms": max(1, int(options.time_limit * 1000)),
            "write_limit_ms": int(WRITE_TIMEOUT * 1000),
            "heap": options.heap,
        }
        self._process.stdin.write(json.dumps(config).encode() + b"\n")
        self._process.stdin.flush()

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def wait_ready(self) -> Address:
        """Block until the engine answers.

        Raises:
            FolderLocked: another engine has the folder open.
            GraphUnavailable: it did not start.
        """
        assert self._process.stdout
        giving_up = threading.Timer(_START_SECONDS, self.kill)
        giving_up.start()
        try:
            line = self._process.stdout.readline()
        finally:
            giving_up.cancel()
        report: dict[str, Any] = json.loads(line) if line.endswith(b"\n") else {}
        if "bolt" not in report:
            self.kill()
            self.wait()
            raise self._failure(report)
        return Address(f"bolt://127.0.0.1:{report['bolt']}", DATABASE, self._reader, self._writer)

    def _failure(self, report: dict[str, Any]) -> GraphUnavailable:
        reason = report.get("error") or f"it ended with status {self._process.returncode}"
        if "locked by another process" in reason:
            return FolderLocked(
                f"the graph in {str(self._folder)!r} is open in another program: end it, "
                "or set PAUSEPOINT_DATA to another folder"
            )
        return GraphUnavailable(
            f"the embedded graph in {str(self._folder)!r} did not start: {reason}. Look into "
            f"{str(self._log)!r}; a damaged folder can be moved away and the campaigns loaded again"
        )

    def wait(self) -> int:
        """Block until the process has ended; its status."""
        status = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()
        return status

    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End it in order; by force when it takes more than a few seconds."""
        with suppress(OSError, ValueError):
            if self._process.stdin:
                self._process.stdin.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End it by force; nothing acknowledged is lost (its log is flushed at every commit)."""
        self._process.kill()


def _spawn(folder: Path, log: Path) -> "subprocess.Popen[bytes]":
    if log.exists() and log.stat().st_size > _LOG_BYTES:
        log.replace(log.with_suffix(".log.1"))
    with log.open("ab") as errors:
        return subprocess.Popen(
            # -P: this folder's module names must not shadow those the engine imports.
            [sys.executable, "-P", str(_PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            # Ctrl-C in the terminal is for us; we end the child.
            start_new_session=True,
        )
