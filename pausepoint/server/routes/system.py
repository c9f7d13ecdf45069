"""Health, what this server can, and its numbers."""

from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from pausepoint import __version__
from pausepoint.server.routes.common import answer, engine_of, router

routes = router("System")


@routes.get("/ok", summary="Is the server ready?")
async def ok(request: Request) -> Response:
    """Answers once the database is open and the graphs are loaded; 503 while shutting down."""
    draining = engine_of(request).draining
    return answer({"ok": not draining}, 503 if draining else 200)


@routes.get("/info", summary="What this server is")
async def info(request: Request) -> Response:
    """Versions, and which parts of the API are there."""
    found: dict[str, Any] = {
        "version": __version__,
        "langgraph_py_version": version("langgraph"),
        "flags": {"assistants": True, "crons": True, "langsmith": False, "strict_resume": True},
        "strict_resume": True,
        "host": {"kind": "self-hosted", "project_id": None},
    }
    return answer(found)


@routes.get("/metrics", summary="Counters for Prometheus")
async def metrics(request: Request) -> Response:
    """Prometheus text; needs authentication when the project has it."""
    engine = engine_of(request)
    if request.query_params.get("format") == "json":
        return answer(
            {
                "accepted": engine.metrics.accepted,
                "ended": engine.metrics.ended,
                "working": engine.dispatcher.working,
                "waiting": engine.dispatcher.waiting,
            }
        )
    text = engine.metrics.text(
        working=engine.dispatcher.working,
        waiting=engine.dispatcher.waiting,
        streams=engine.journal.listeners,
    )
    return Response(text, media_type="text/plain; version=0.0.4")
