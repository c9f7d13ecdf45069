"""A server without a socket, for commands that run while no server does: the same app, called in this process."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient


@asynccontextmanager
async def running_app(config: Path, data: Path) -> AsyncGenerator["LangGraphClient"]:
    """Run a project's app for as long as the block takes, and speak to it.

    Args:
        config: langgraph.json.
        data: The data folder; held until the block is left.

    Raises:
        ConfigError: The project cannot be served.
        DataFolderHeld: Another process uses the data folder.
    """
    from pausepoint.server.app import create_app
    from pausepoint.server.config import read_config
    from pausepoint.server.local import local_client
    from pausepoint.server.serve import configure_logging
    from pausepoint.storage.folder import DataFolder

    configure_logging()
    with DataFolder.hold(data, "command"):
        app = create_app(read_config(config), data)
        async with app.router.lifespan_context(app):
            client = local_client()
            try:
                yield client
            finally:
                await client.aclose()
