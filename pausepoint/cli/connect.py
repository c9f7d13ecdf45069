"""A LangGraph client for a command: of the running server, or of an app in this process when none runs."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pausepoint.settings import Settings

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient


def server_url(settings: Settings) -> str | None:
    """Where the server that holds the data folder listens; None when nobody holds it."""
    from pausepoint.storage.folder import holder

    held = holder(settings.data)
    return held.url if held else None


@asynccontextmanager
async def connect(
    settings: Settings, config: Path = Path("langgraph.json")
) -> AsyncGenerator["LangGraphClient"]:
    """Connect to the server of the data folder, or run its app here for as long as the command takes.

    Args:
        settings: where the data folder is.
        config: the project to run when no server does.
    """
    from langgraph_sdk import get_client

    url = server_url(settings)
    if url:
        client = get_client(url=url, timeout=120)
        try:
            yield client
        finally:
            await client.aclose()
        return
    from pausepoint.server.embedded import running_app

    async with running_app(config, settings.data) as client:
        yield client
