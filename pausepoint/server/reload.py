"""`--reload`: a parent that starts the server again when a source file changes. Paused and unfinished runs survive it."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import structlog
from watchfiles import DefaultFilter, watch

from pausepoint.server.config import read_config
from pausepoint.server.serve import configure_logging

log = structlog.get_logger("pausepoint.server")

_KINDS = (".py", ".json", ".env", ".yaml", ".yml", ".md", ".txt")
_PATIENCE_SECONDS = 30.0


class _Sources(DefaultFilter):
    """Source files outside of virtual environments and data folders."""

    def __call__(self, change: object, path: str) -> bool:
        parts = Path(path).parts
        hidden = any(part.startswith(".") and part != ".env" for part in parts[-4:])
        return not hidden and path.endswith(_KINDS) and super().__call__(change, path)  # type: ignore[arg-type]


def supervise(config: Path, port: int, arguments: Sequence[str] | None = None) -> None:
    """Run the server as a child until this process is told to stop.

    Args:
        config: langgraph.json; it and the project's folders are watched.
        port: The port; it must be a fixed one, or clients would lose the server at every change.
        arguments: The child's command line; this process's own without `--reload` when not given.
    """
    del port
    configure_logging()
    command = [sys.executable, *(arguments or _own_command())]
    folders = _folders(config)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    child = subprocess.Popen(command)
    try:
        for changes in watch(*folders, watch_filter=_Sources()):
            names = sorted({os.path.relpath(path) for _, path in changes})
            log.info("restarting", changed=names[:5])
            _stop(child)
            child = subprocess.Popen(command)
    finally:
        _stop(child)


def _own_command() -> list[str]:
    rest = [a for a in sys.argv[1:] if a != "--reload"]
    return ["-m", "pausepoint.server.cli", *(rest[1:] if rest[:1] == ["serve"] else rest)]


def _folders(config: Path) -> list[Path]:
    project = read_config(config)
    found = [project.root, *project.dependencies]
    return [f for f in dict.fromkeys(found) if not any(f != o and f.is_relative_to(o) for o in found)]


def _stop(child: "subprocess.Popen[bytes]") -> None:
    if child.poll() is not None:
        return
    child.terminate()
    try:
        child.wait(_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
