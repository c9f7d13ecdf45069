"""Puts the pauses into a server's app: their rules, their routes, their clock."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from pausepoint.pauses.attachment_routes import routes as attachment_routes
from pausepoint.pauses.routes import routes
from pausepoint.pauses.service import Pauses
from pausepoint.server.engine import Engine


def install(app: FastAPI, engine: Engine) -> None:
    """Extend an app before its first request."""
    pauses = Pauses(engine)
    app.state.pauses = pauses
    app.include_router(routes)
    app.include_router(attachment_routes)
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with inner(app), pauses.running():
            yield

    app.router.lifespan_context = lifespan
