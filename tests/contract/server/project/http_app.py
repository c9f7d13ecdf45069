from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

from pausepoint.server.local import local_client

started: list[str] = []


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    started.append("yes")
    yield


app = FastAPI(lifespan=lifespan)


@app.get("/custom/hello")
async def hello() -> dict[str, object]:
    return {"hello": "world", "started": started}


@app.get("/custom/run")
async def run(request: Request) -> dict[str, object]:
    client = local_client(dict(request.headers))
    return {"values": await client.runs.wait(None, "basics", input={"steps": []})}


@app.get("/custom/stream")
async def stream(request: Request) -> StreamingResponse:
    client = local_client(dict(request.headers))

    async def lines() -> AsyncIterator[str]:
        async for part in client.runs.stream(None, "basics", input={"steps": []}, stream_mode="updates"):
            yield part.event + "\n"

    return StreamingResponse(lines())
