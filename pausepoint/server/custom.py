"""`http.app` of langgraph.json: the project's own ASGI app, whose routes and lifespan work beside ours."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from pausepoint.server.config import ProjectConfig
from pausepoint.server.errors import ConfigError
from pausepoint.server.loading import load_object

_OURS = frozenset({"/docs", "/openapi.json", "/redoc", "/docs/oauth2-redirect", "/ok", "/info"})


class CustomRoutes:
    """The project's app, or none."""

    def __init__(self, app: Any = None) -> None:
        """Serve this app."""
        self.app = app

    @classmethod
    def load(cls, config: ProjectConfig) -> "CustomRoutes":
        """Import the app langgraph.json names.

        Raises:
            ConfigError: It names something that cannot be called.
        """
        if config.http_app is None:
            return cls()
        app = load_object(config.http_app, config.root)
        if not callable(app):
            raise ConfigError(f"'http.app' names {app!r}, which is no ASGI app.")
        return cls(app)

    def matches(self, scope: Scope) -> bool:
        """Whether the app has a route for a request; such a route goes before ours."""
        if self.app is None or scope["path"] in _OURS:
            return False
        if not isinstance(self.app, Starlette):
            return False
        return any(route.matches(scope)[0] is Match.FULL for route in self.app.routes)

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the app answer."""
        await self.app(dict(scope), receive, send)

    @asynccontextmanager
    async def lifespan(self) -> AsyncGenerator[None]:
        """Run the app's own start and stop around ours."""
        if not isinstance(self.app, Starlette):
            yield
            return
        async with self.app.router.lifespan_context(self.app) as state:
            if state:
                self.app.state.__dict__.setdefault("_state", {}).update(cast("Any", state))
            yield

    def document(self, app: FastAPI) -> None:
        """Describe the project's routes in our OpenAPI."""
        if not isinstance(self.app, FastAPI):
            return
        ours, theirs = app.openapi, self.app.openapi

        def both() -> dict[str, Any]:
            found = ours()
            more = theirs()
            schemas = found.setdefault("components", {}).setdefault("schemas", {})
            for name, schema in more.get("components", {}).get("schemas", {}).items():
                schemas.setdefault(name, schema)
            for path, item in more.get("paths", {}).items():
                found["paths"].setdefault(path, item)
            return found

        app.openapi = both
