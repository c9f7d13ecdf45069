"""An SDK client for code that runs inside the server: custom routes, graphs. It speaks to this process without a socket.

Pass the caller's headers on: the client then has the caller's rights, never more. Under another server (`langgraph dev`)
it goes over the socket that the request came in by: the SDK's way into that process would pass its authentication by.
"""

import asyncio
import ipaddress
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import Any

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from pausepoint.settings import get_settings

BASE_URL = "http://pausepoint.local"
_FORWARDED = ("authorization", "cookie", "accept-language", "x-request-id")

_running: list[Any] = []


def set_running(app: Any) -> None:
    """Remember the ASGI app of this process."""
    _running.append(app)


def unset_running(app: Any) -> None:
    """Forget it."""
    with suppress(ValueError):
        _running.remove(app)


def local_client(
    headers: Mapping[str, str] | None = None, scope: Mapping[str, Any] | None = None
) -> LangGraphClient:
    """An SDK client of the server in this process, or of the one at `PAUSEPOINT_URL` when none runs here.

    Args:
        headers: The caller's request headers; those that say who the caller is are passed on.
        scope: The request's ASGI scope; says where a server of another kind in this process listens.
    """
    passed = forwarded(headers)
    url = BASE_URL if _running else _listens(scope)
    if url is None:
        return get_client(url=get_settings().url, api_key=None, headers=passed)
    # Callers do not close the client: it keeps no connection that could be left open. Never TLS: nothing to verify.
    transport = (
        StreamingTransport(_running[-1])
        if _running
        else httpx.AsyncHTTPTransport(verify=False, limits=httpx.Limits(max_keepalive_connections=0))
    )
    return LangGraphClient(
        httpx.AsyncClient(base_url=url, transport=transport, headers=passed, timeout=httpx.Timeout(None))
    )


def _listens(scope: Mapping[str, Any] | None) -> str | None:
    """Where the socket of a request is bound: the kernel's word, not the Host header's."""
    host, port = (scope or {}).get("server") or ("", None)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    return f"http://[{address}]:{port}" if address.version == 6 else f"http://{address}:{port}"


def forwarded(headers: Mapping[str, str] | None) -> dict[str, str]:
    """The headers that carry the caller's identity."""
    given = {k.lower(): v for k, v in (headers or {}).items()}
    return {k: v for k, v in given.items() if k in _FORWARDED or k.startswith("x-")}


class StreamingTransport(httpx.AsyncBaseTransport):
    """Calls an ASGI app directly; unlike httpx's own transport, the response's body arrives as it is sent."""

    def __init__(self, app: Any) -> None:
        """Call this app."""
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request into the app and return once the response has begun."""
        exchange = _Exchange(self._app, await request.aread(), _scope(request))
        status, headers = await exchange.begin()
        return httpx.Response(status, headers=headers, stream=exchange, request=request)


class _Exchange(httpx.AsyncByteStream):
    """One request and its response."""

    def __init__(self, app: Any, body: bytes, scope: dict[str, Any]) -> None:
        self._body: bytes | None = body
        self._gone = asyncio.Event()
        self._started: asyncio.Future[tuple[int, Any]] = asyncio.get_running_loop().create_future()
        self._chunks: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._task = asyncio.get_running_loop().create_task(self._run(app, scope))

    async def begin(self) -> tuple[int, Any]:
        try:
            return await asyncio.shield(self._started)
        except asyncio.CancelledError:
            self._task.cancel()
            raise

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        while (chunk := await self._chunks.get()) is not None:
            yield chunk

    async def aclose(self) -> None:
        self._gone.set()
        if not self._task.done():
            self._task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await self._task

    async def _run(self, app: Any, scope: dict[str, Any]) -> None:
        try:
            await app(scope, self._receive, self._send)
        except Exception as error:
            if not self._started.done():
                self._started.set_exception(error)
        finally:
            if not self._started.done():
                self._started.set_exception(httpx.ReadError("The app ended without a response."))
            self._chunks.put_nowait(None)

    async def _receive(self) -> dict[str, Any]:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self._started.set_result((message["status"], message.get("headers", [])))
        elif message["type"] == "http.response.body" and message.get("body"):
            self._chunks.put_nowait(message["body"])


def _scope(request: httpx.Request) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "headers": [(k.lower(), v) for k, v in request.headers.raw],
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path.split(b"?")[0],
        "query_string": request.url.query,
        "server": (request.url.host, request.url.port or 80),
        "client": ("local", 0),
        "root_path": "",
    }
