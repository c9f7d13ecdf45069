"""Server-sent events: how events are written, and a response that notices when its client is gone."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pausepoint.server.tables.events import Event

HEARTBEAT = b": heartbeat\n\n"


def frame(event: Event) -> bytes:
    """One event; its data is one line of JSON."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event.id, event.event.encode(), event.data)


def cursor(last_event_id: str | None) -> int | None:
    """The id a client has seen last; None when it names none, 0 for one that is no number of ours."""
    if not last_event_id:
        return None
    try:
        return max(0, int(last_event_id))
    except ValueError:
        return 0


class Stream(Response):
    """Sends what a generator yields, ends it when the client leaves, and says so."""

    def __init__(
        self,
        body: AsyncGenerator[bytes],
        *,
        headers: Mapping[str, str] | None = None,
        media_type: str = "text/event-stream",
        on_gone: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Stream.

        Args:
            body: The chunks.
            headers: More headers.
            media_type: The type.
            on_gone: Called when the client left before the end.
        """
        self._body = body
        self._on_gone = on_gone
        self.background = None
        self.status_code = 200
        self.media_type = media_type
        quiet = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        self.init_headers({**quiet, **(headers or {})})

    def init_headers(self, headers: Any = None) -> None:
        """Headers without a length."""
        self.body = b""
        super().init_headers(headers)
        self.raw_headers = [pair for pair in self.raw_headers if pair[0] != b"content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        finished = False
        async with anyio.create_task_group() as group:

            async def watch() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                group.cancel_scope.cancel()

            group.start_soon(watch)
            try:
                finished = await self._send_all(send)
            except OSError:
                finished = False
            group.cancel_scope.cancel()
        with anyio.CancelScope(shield=True):
            await self._body.aclose()
            if not finished and self._on_gone is not None:
                await self._on_gone()

    async def _send_all(self, send: Send) -> bool:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for chunk in self._body:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return True
