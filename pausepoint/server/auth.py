"""`auth.path` of langgraph.json: who is it (authenticate), and what may they do (the `on` handlers and their filters)."""

import inspect
from collections.abc import Mapping
from typing import Any, cast

import orjson
from langgraph_sdk import Auth
from langgraph_sdk.auth.exceptions import HTTPException as AuthHTTPException
from langgraph_sdk.auth.types import AuthContext
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.requests import Request

from pausepoint.server.errors import ApiError, ConfigError
from pausepoint.server.users import ServedUser

OPEN_PATHS = frozenset({"/ok", "/info", "/docs", "/openapi.json"})
"""Answered without authentication; they tell nothing about anybody."""

Filters = Mapping[str, Any] | None


class Guard:
    """Authenticates requests and asks the project's handlers."""

    def __init__(self, auth: Auth | None) -> None:
        """Use the project's handlers; None lets everybody do everything."""
        if auth is not None and not isinstance(auth, Auth):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigError(f"'auth.path' names {auth!r}; expected a langgraph_sdk.Auth object.")
        self.auth = auth

    @property
    def enabled(self) -> bool:
        """Whether requests are authenticated."""
        return self.auth is not None

    async def authenticate(self, request: Request) -> ServedUser | None:
        """Find out who makes a request.

        Raises:
            ApiError: 401 or what the handler chose.
        """
        handler = self.auth._authenticate_handler if self.auth else None  # pyright: ignore[reportPrivateUsage]
        if handler is None:
            return None
        arguments = await _arguments(handler, request)
        try:
            return ServedUser.from_handler(await handler(**arguments))
        except (AuthHTTPException, StarletteHTTPException) as error:
            raise ApiError(error.status_code, str(error.detail), headers=error.headers) from error
        except (ApiError, AssertionError) as error:
            raise ApiError(401, str(error) or "Unauthorized") from error

    async def authorize(
        self, user: ServedUser | None, resource: str, action: str, value: dict[str, Any]
    ) -> Filters:
        """Ask the handler for an action; it may change `value`.

        Args:
            user: Who.
            resource: threads, assistants, crons or store.
            action: create, read, update, delete, search, create_run, or the store's.
            value: What it is about.

        Returns:
            The filter on metadata that applies, or None.

        Raises:
            ApiError: 403, or what the handler chose.
        """
        handler = self._handler(resource, action)
        if handler is None or user is None:
            return None
        context = AuthContext(
            permissions=user.permissions,
            user=cast("Any", user),
            resource=cast("Any", resource),
            action=cast("Any", action),
        )
        try:
            result = await handler(ctx=context, value=value)
        except (AuthHTTPException, StarletteHTTPException) as error:
            raise ApiError(error.status_code, str(error.detail), headers=error.headers) from error
        except AssertionError as error:
            raise ApiError(403, str(error) or "Forbidden") from error
        if result is None or result is True:
            return None
        if result is False:
            raise ApiError(403, f"{user.identity!r} may not {action} {resource}.")
        return cast("Mapping[str, Any]", result)

    def _handler(self, resource: str, action: str) -> Any:
        """The most specific handler there is."""
        if self.auth is None:
            return None
        handlers = self.auth._handlers  # pyright: ignore[reportPrivateUsage]
        for key in ((resource, action), (resource, "*"), ("*", action), ("*", "*")):
            if handlers.get(key):
                return handlers[key][-1]
        found = self.auth._global_handlers  # pyright: ignore[reportPrivateUsage]
        return found[-1] if found else None


async def _arguments(handler: Any, request: Request) -> dict[str, Any]:
    """The parameters an authentication handler asks for by name."""
    wanted = inspect.signature(handler).parameters
    headers = {k: v for k, v in request.scope["headers"]}
    known: dict[str, Any] = {
        "request": request,
        "path": request.url.path,
        "method": request.method,
        "scope": request.scope,
        "path_params": request.path_params,
        "query_params": dict(request.query_params),
        "headers": headers,
        "authorization": request.headers.get("authorization"),
    }
    found = {name: known[name] for name in wanted if name in known}
    if "body" in wanted:
        try:
            found["body"] = orjson.loads(await request.body() or b"null")
        except orjson.JSONDecodeError:
            found["body"] = None
    return found
