"""Runs the server in this process: holds the data folder, says when it is ready, and drains when it is told to stop."""

import gc
import ipaddress
import logging
import sys
from pathlib import Path
from typing import Any

import structlog
import uvicorn

from pausepoint.server.app import Extend, create_app
from pausepoint.server.config import ProjectConfig, read_config
from pausepoint.server.engine import Engine
from pausepoint.server.errors import ConfigError
from pausepoint.server.limits import Limits
from pausepoint.storage.folder import DataFolder

log = structlog.get_logger("pausepoint.server")

_GC_THRESHOLDS = (20_000, 20, 20)


def serve(
    config_path: Path,
    host: str = "127.0.0.1",
    port: int = 2024,
    data: Path = Path(".data"),
    jobs: int = 256,
    *,
    insecure: bool = False,
    limits: Limits | None = None,
    grace: float = 20.0,
    extend: tuple[Extend, ...] = (),
) -> None:
    """Serve a project until SIGTERM or SIGINT.

    Args:
        config_path: langgraph.json.
        host: The address to listen on.
        port: The port; 0 takes a free one.
        data: The data folder.
        jobs: How many runs may be at work at once.
        insecure: Listen on another address than loopback without authentication.
        limits: How much the server takes on.
        grace: Seconds a run may take for its current step when the server stops.
        extend: More parts of the server.

    Raises:
        ConfigError: The project cannot be served like this.
        DataFolderHeld: Another process uses the data folder.
    """
    configure_logging()
    config = read_config(config_path)
    check_address(config, host, insecure)
    for line in config.warnings:
        log.warning(line)
    with DataFolder.hold(data, "server", None) as folder:
        app = create_app(config, data, jobs=jobs, limits=limits, grace=grace, extend=extend)
        settings = uvicorn.Config(
            app,
            host=host,
            port=port,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=int(grace) + 5,
            timeout_keep_alive=75,
            lifespan="on",
            ws="websockets-sansio",
        )
        server = _Server(settings, folder, app.state.engine, grace)
        server.run()
    if server.lifespan.should_exit:
        sys.exit(3)


def check_address(config: ProjectConfig, host: str, insecure: bool) -> None:
    """Refuse to offer everything to everybody.

    Raises:
        ConfigError: The address is no loopback and there is no authentication.
    """
    if config.auth is None and not insecure and not is_loopback(host):
        raise ConfigError(
            f"Without 'auth' in langgraph.json the server listens on loopback only, not on {host!r}. "
            "Add authentication, or say --insecure when the network is trusted."
        )


def is_loopback(host: str) -> bool:
    """Whether an address is one of this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def configure_logging() -> None:
    """Log to stderr; stdout carries the ready line only."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s %(message)s")
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(
                # Plain: a rich traceback prints local variables, and with them the callers' credentials.
                colors=sys.stderr.isatty(),
                exception_formatter=structlog.dev.plain_traceback,
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


class _Server(uvicorn.Server):
    """Says that it is ready once it listens, and stops the runs before the connections."""

    def __init__(self, config: uvicorn.Config, folder: DataFolder, engine: Engine, grace: float) -> None:
        super().__init__(config)
        self._folder = folder
        self._engine = engine
        self._grace = grace

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.should_exit or not self.servers:
            return
        # What was imported stays; looking through it for garbage again and again would stop every run for a moment.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*_GC_THRESHOLDS)
        port = self.servers[0].sockets[0].getsockname()[1]
        host = f"[{self.config.host}]" if ":" in self.config.host else self.config.host
        url = f"http://{host}:{port}"
        self._folder.announce(url)
        sys.stdout.write(f"Pausepoint ready on {url} (API: {url}/docs, Ctrl+C stops)\n")
        sys.stdout.flush()

    async def shutdown(self, sockets: Any = None) -> None:
        # First the runs: their streams end, and uvicorn has no open response to wait for.
        await self._engine.drain(self._grace)
        await super().shutdown(sockets)
        # A server that has drained has done what the signal asked for: it ends with 0, not by the signal.
        self._captured_signals.clear()
