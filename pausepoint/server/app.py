"""The ASGI app: our API, the project's own routes beside it, authentication and limits around both."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from langgraph_sdk import Auth
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response

from pausepoint import __version__
from pausepoint.server.auth import Guard
from pausepoint.server.config import Cors, ProjectConfig
from pausepoint.server.custom import CustomRoutes
from pausepoint.server.engine import Engine
from pausepoint.server.errors import ApiError
from pausepoint.server.gate import Gate
from pausepoint.server.limits import Limits
from pausepoint.server.loading import load_object
from pausepoint.server.local import set_running, unset_running
from pausepoint.server.routes import (
    assistants,
    commands,
    crons,
    run,
    runs,
    states,
    store,
    system,
    threads,
)
from pausepoint.server.routes.common import answer
from pausepoint.storage.errors import StorageError

log = structlog.get_logger("pausepoint.server")

_STUDIO = r"https://smith\.langchain\.com|http://(localhost|127\.0\.0\.1)(:\d+)?"
_EXPOSED = ["Content-Location", "Location", "X-Pagination-Next", "X-Pagination-Total", "Retry-After"]
Extend = Callable[[FastAPI, Engine], None]


def create_app(
    config: ProjectConfig,
    data: Path,
    *,
    jobs: int = 256,
    limits: Limits | None = None,
    grace: float = 20.0,
    extend: tuple[Extend, ...] = (),
) -> FastAPI:
    """Make the app of a project; its lifespan opens and closes everything.

    Args:
        config: The project.
        data: The data folder, held by the caller.
        jobs: How many runs may be at work at once.
        limits: How much the server takes on.
        grace: Seconds a run may take for its current step when the server stops.
        extend: Called with the app and its engine before the first request; parts of the server that add routes or
            take part in accepting and ending runs come in here.
    """
    from pausepoint.pauses.install import install

    config.prepare()
    engine = Engine(config, data, limits or Limits(), jobs, show_traces=config.auth is None)
    guard = Guard(_load_auth(config))
    custom = CustomRoutes.load(config)
    app = FastAPI(
        title="Pausepoint",
        version=__version__,
        description="The LangGraph API on one machine, durable.",
        lifespan=_lifespan(engine, custom, grace),
        redoc_url=None,
    )
    app.state.engine = engine
    app.state.guard = guard
    # Routes are tried in order: first those that are asked for most. Crons before runs, whose paths would match theirs.
    for routes in (crons.routes, runs.routes, runs.stateless, run.routes, commands.routes):
        app.include_router(routes)
    for module in (threads, states, assistants, store, system):
        app.include_router(module.routes)
    for add in (install, *extend):
        add(app, engine)
    _handle_errors(app)
    custom.document(app)
    app.add_middleware(
        Gate, engine=engine, guard=guard, custom=custom, open_custom=not config.custom_route_auth
    )
    _add_cors(app, config.cors)
    return app


def _load_auth(config: ProjectConfig) -> Auth | None:
    return None if config.auth is None else load_object(config.auth, config.root)


def _lifespan(
    engine: Engine, custom: CustomRoutes, grace: float
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            await engine.open()
            stack.push_async_callback(engine.close, grace)
            set_running(app)
            stack.callback(unset_running, app)
            await stack.enter_async_context(custom.lifespan())
            yield

    return lifespan


def _handle_errors(app: FastAPI) -> None:
    async def api_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, ApiError)
        return answer({"detail": error.detail, **error.extra}, error.status, error.headers)

    async def http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return answer({"detail": error.detail}, error.status_code, error.headers)

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        details = [{k: v for k, v in e.items() if k in ("type", "loc", "msg")} for e in error.errors()]
        first = details[0] if details else {"loc": (), "msg": "invalid"}
        place = ".".join(str(part) for part in first["loc"])
        return answer({"detail": f"{place}: {first['msg']}", "errors": details}, 422)

    async def storage(request: Request, error: Exception) -> Response:
        log.error("storage failed", path=request.url.path, exc_info=error)
        return answer({"detail": str(error)}, 503, {"Retry-After": "5"})

    async def internal(request: Request, error: Exception) -> Response:
        log.error("request failed", path=request.url.path, exc_info=error)
        return answer(
            {"detail": f"Internal error ({type(error).__name__}); the server's log has the details."}, 500
        )

    app.add_exception_handler(ApiError, api_error)
    app.add_exception_handler(HTTPException, http_error)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(StorageError, storage)
    app.add_exception_handler(Exception, internal)


def _add_cors(app: FastAPI, cors: Cors | None) -> None:
    """Pages of this machine and Studio may call; others when langgraph.json allows them."""
    chosen = cors or Cors(allow_origin_regex=_STUDIO)
    app.add_middleware(
        CORSMiddleware,
        allow_origins=chosen.allow_origins,
        allow_origin_regex=chosen.allow_origin_regex,
        allow_methods=chosen.allow_methods,
        allow_headers=chosen.allow_headers,
        allow_credentials=chosen.allow_credentials,
        expose_headers=[*_EXPOSED, *chosen.expose_headers],
        max_age=chosen.max_age,
        allow_private_network=True,
    )
