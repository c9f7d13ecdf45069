"""The way in: authentication, the limit on bodies, and whose routes answer. Plain ASGI, so that it costs little."""

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pausepoint.server.auth import OPEN_PATHS, Guard
from pausepoint.server.custom import CustomRoutes
from pausepoint.server.errors import ApiError
from pausepoint.server.routes.common import answer

if TYPE_CHECKING:
    from pausepoint.server.engine import Engine


class Gate:
    """Middleware around all routes."""

    def __init__(
        self, app: ASGIApp, engine: "Engine", guard: Guard, custom: CustomRoutes, open_custom: bool
    ) -> None:
        """Guard an app."""
        self._app = app
        self._engine = engine
        self._guard = guard
        self._custom = custom
        self._open_custom = open_custom

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            await self._pass(scope, receive, send)
        except HTTPException as error:
            await answer({"detail": error.detail}, error.status_code)(scope, receive, send)
        except ApiError as error:
            if scope["type"] == "websocket":
                await send(
                    {"type": "websocket.close", "code": 4000 + error.status, "reason": error.detail[:100]}
                )
                return
            response = answer({"detail": error.detail, **error.extra}, error.status, error.headers)
            await response(scope, receive, send)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        custom = self._custom.matches(scope)
        if scope["type"] == "http":
            self._check_length(scope)
            receive = _Limited(receive, self._engine.limits.body_bytes)
        open_path = scope["path"] in OPEN_PATHS or scope.get("method") == "OPTIONS"
        if self._guard.enabled and not open_path and not (custom and self._open_custom):
            await self._authenticate(scope, receive)
        if custom:
            await self._custom.serve(scope, receive, send)
            return
        await self._app(scope, receive, self._counting(send))

    async def _authenticate(self, scope: Scope, receive: Receive) -> None:
        limited = receive if isinstance(receive, _Limited) else None
        if limited is not None:
            limited.keep = True
        request = Request(scope, receive) if scope["type"] == "http" else Request({**scope, "type": "http"})
        user = await self._guard.authenticate(request)
        if limited is not None:
            limited.replay()
        scope["pausepoint.user"] = user
        if user is not None:
            from starlette.authentication import AuthCredentials

            scope["user"] = user
            scope["auth"] = AuthCredentials(user.permissions)

    def _check_length(self, scope: Scope) -> None:
        limit = self._engine.limits.body_bytes
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > limit:
                raise _too_large(limit)

    def _counting(self, send: Send) -> Send:
        counts = self._engine.metrics.requests

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                counts[message["status"]] = counts.get(message["status"], 0) + 1
            await send(message)

        return counted


class _Limited:
    """A request's body, up to a limit; what an authentication handler read can be read again."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self._seen = 0
        self._kept: list[Message] = []
        self.keep = False

    def replay(self) -> None:
        self.keep = False

    async def __call__(self) -> Message:
        if not self.keep and self._kept:
            return self._kept.pop(0)
        message = await self._receive()
        if message["type"] == "http.request":
            self._seen += len(message.get("body", b""))
            if self._seen > self._limit:
                # Of this kind, because whoever reads the body passes it on.
                raise HTTPException(413, _too_large(self._limit).detail)
        if self.keep:
            self._kept.append(message)
        return message


def _too_large(limit: int) -> ApiError:
    return ApiError(
        413, f"The body is larger than {limit} bytes, which is the limit. Send references to large things."
    )
