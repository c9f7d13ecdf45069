"""The http app named in langgraph.json; its lifespan opens the stores and warms what the first question needs."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError

from api import assistant, campaigns
from api.studio import StudioPreflight
from pausepoint.services import close_services, get_services
from prompts.offline.outside import likeness


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
    """Open on start, close on stop."""
    services = await get_services()
    try:
        _model = services.chat_model  # a model that cannot be is said now, not at the first question
        services.warm()
        warming = asyncio.create_task(likeness("?", services.embedder))
        yield
        warming.cancel()
    finally:
        await close_services()


def explain(_: Request, error: Exception) -> Response:
    """A 422 that names field and fault without repeating the input, which may be huge or have no form in JSON."""
    faults = error.errors() if isinstance(error, RequestValidationError) else []
    detail = [
        {"loc": [p[:80] if isinstance(p, str) else p for p in f["loc"]], "msg": f["msg"], "type": f["type"]}
        for f in faults
    ]
    return Response(json.dumps({"detail": detail}), 422, media_type="application/json")


app = FastAPI(title="Pausepoint campaign assistant", lifespan=lifespan)
app.include_router(assistant.router)  # first: campaigns has routes with a parameter in the same place
app.include_router(campaigns.router)
app.add_middleware(StudioPreflight)
app.add_exception_handler(RequestValidationError, explain)
