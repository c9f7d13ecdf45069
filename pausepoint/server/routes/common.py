"""What all routes share: the engine of the app, answers in JSON, and asking for permission."""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any

import orjson
from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from pausepoint.server.auth import Filters, Guard
from pausepoint.server.changes import Action, Change
from pausepoint.server.engine import Engine
from pausepoint.server.errors import ApiError, Invalid
from pausepoint.server.serialize import to_json
from pausepoint.server.users import ServedUser


class JsonRequest(Request):
    """A request whose body is parsed by orjson: fast, and strict where Python's parser is not."""

    async def json(self) -> Any:
        """The body as JSON.

        Raises:
            ApiError: It is none.
        """
        body = await self.body()
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise ApiError(422, f"The body is no valid JSON: {error}.") from error


class JsonRoute(APIRoute):
    """A route that reads its body by `JsonRequest`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler FastAPI calls."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await handler(JsonRequest(request.scope, request.receive))

        return handle


def router(tag: str) -> APIRouter:
    """A router for one resource."""
    return APIRouter(tags=[tag], route_class=JsonRoute, responses=ERRORS)


_DETAIL = {
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "properties": {"detail": {}},
                "required": ["detail"],
            }
        }
    }
}
ERRORS: dict[int | str, dict[str, Any]] = {
    401: {"description": "Who are you?", **_DETAIL},
    403: {"description": "You may not do that.", **_DETAIL},
    404: {"description": "There is no such thing, or you may not know of it.", **_DETAIL},
    409: {"description": "It contradicts the current state.", **_DETAIL},
    413: {"description": "The body is too large.", **_DETAIL},
    422: {"description": "The request cannot be right; the answer says what is wrong.", **_DETAIL},
    424: {"description": "The graph could not be imported.", **_DETAIL},
    429: {"description": "A limit is reached; see Retry-After.", **_DETAIL},
    503: {"description": "The server is shutting down; see Retry-After.", **_DETAIL},
}


def engine_of(request: Request) -> Engine:
    """The engine of the app that got the request."""
    return request.app.state.engine


def user_of(request: Request) -> ServedUser | None:
    """Who makes the request."""
    return request.scope.get("pausepoint.user")


def user_data(request: Request) -> dict[str, Any] | None:
    """Who makes the request, as data to be stored."""
    user = user_of(request)
    return None if user is None else user.data


def change_by(request: Request, action: Action, thread_id: str, **more: Any) -> Change:
    """A change of a thread that a request asks for."""
    return Change(action, thread_id, user_data(request), dict(request.headers), **more)


async def allowed(request: Request, resource: str, action: str, value: dict[str, Any]) -> Filters:
    """Ask whether the caller may do this; the answer may be a filter on metadata."""
    guard: Guard = request.app.state.guard
    if not guard.enabled:
        return None
    return await guard.authorize(user_of(request), resource, action, value)


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON answer."""
    return Response(to_json(value), status, headers, "application/json")


def nothing() -> Response:
    """An answer without content."""
    return Response(status_code=204)


def page(
    rows: Sequence[Mapping[str, Any]], limit: int, offset: int, select: Iterable[str] | None = None
) -> Response:
    """A page of results that were read one beyond the limit."""
    headers = {"X-Pagination-Next": str(offset + limit)} if len(rows) > limit else {}
    shown: list[Any] = list(rows[:limit])
    if select is not None:
        wanted = list(select)
        shown = [chosen(row, wanted) for row in shown]
    headers["X-Pagination-Total"] = str(offset + len(rows))
    return answer(shown, headers=headers)


def chosen(row: Mapping[str, Any], wanted: Sequence[str]) -> dict[str, Any]:
    """The named members of a row.

    Raises:
        Invalid: A name is unknown.
    """
    unknown = [name for name in wanted if name not in row and name not in ("ttl", "now", "error")]
    if unknown:
        raise Invalid(f"There is no {unknown[0]!r} to select; choose from {', '.join(row)}.")
    return {name: row[name] for name in wanted if name in row}


def fields(value: Any) -> dict[str, Any]:
    """A body as plain data, without what was not given."""
    return value.model_dump(mode="json", exclude_none=True)
