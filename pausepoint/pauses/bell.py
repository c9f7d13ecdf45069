"""Wakes whoever waits for news about pauses; may be rung from any thread, inside a transaction that is about to commit."""

import asyncio
from contextlib import suppress

_COMMIT_SECONDS = 0.02
"""The bell is rung before the commit; listeners look a moment later, and once more if that was too early."""


class Bell:
    """Many listeners, one bell."""

    def __init__(self) -> None:
        """Silent at first."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._events: set[asyncio.Event] = set()

    def ring(self) -> None:
        """Something happened."""
        loop = self._loop
        if loop is not None and self._events:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._soon, loop)

    def _soon(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.call_later(_COMMIT_SECONDS, self._wake)
        loop.call_later(_COMMIT_SECONDS * 10, self._wake)

    def _wake(self) -> None:
        for event in self._events:
            event.set()

    def listen(self) -> asyncio.Event:
        """An event that is set when the bell rings; give it back with `leave`."""
        self._loop = asyncio.get_running_loop()
        event = asyncio.Event()
        self._events.add(event)
        return event

    def leave(self, event: asyncio.Event) -> None:
        """Stop listening."""
        self._events.discard(event)
