"""A small HTTP/1.1 client: what is measured is to be the server, and a usual client costs as much as the server does."""

import asyncio
import json
import time
from typing import Any
from urllib.parse import urlsplit


class Wire:
    """One connection, kept open."""

    def __init__(self, url: str) -> None:
        place = urlsplit(url)
        self._host, self._port = place.hostname or "127.0.0.1", place.port or 80
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        """Send JSON, return the answer's JSON."""
        reader = await self._send(path, body)
        status, length = await _head(reader)
        content = await _content(reader, length)
        assert status < 300, (status, content[:300])
        return json.loads(content)

    async def first(self, path: str, body: dict[str, Any], mark: bytes, whole: bool) -> float:
        """Seconds until a mark is in the answer; reads on to the end when asked, and closes."""
        began = time.perf_counter()
        reader = await self._send(path, body)
        seen, found = b"", 0.0
        while chunk := await reader.read(65536):
            seen = seen[-200:] + chunk
            if not found and mark in seen:
                found = time.perf_counter() - began
                if not whole:
                    break
            if b"event: end" in seen:
                break
        self.close()
        return found

    def close(self) -> None:
        """Close the connection."""
        if self._streams:
            self._streams[1].close()
            self._streams = None

    async def _send(self, path: str, body: dict[str, Any]) -> asyncio.StreamReader:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port, limit=2**24)
        reader, writer = self._streams
        content = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)
        await writer.drain()
        return reader


async def _head(reader: asyncio.StreamReader) -> tuple[int, int | None]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    status = int(head.split(" ", 2)[1])
    for line in head.split("\r\n"):
        if line.startswith("content-length:"):
            return status, int(line.partition(":")[2])
    return status, None


async def _content(reader: asyncio.StreamReader, length: int | None) -> bytes:
    if length is not None:
        return await reader.readexactly(length)
    content = b""
    while size := int(await reader.readline(), 16):
        content += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return content
