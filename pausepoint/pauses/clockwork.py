"""What happens to pauses by the clock: deadlines, deliveries, tidying.

Each loop sleeps until the next due moment, at most some seconds, so that a clock that was set is noticed.
"""

import asyncio
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from pausepoint.pauses import deadlines, outbox, requests
from pausepoint.pauses.settings import signing_secret
from pausepoint.server.clock import later, seconds_until

if TYPE_CHECKING:
    from pausepoint.pauses.service import Pauses

log = structlog.get_logger("pausepoint.pauses")

_LONGEST_SLEEP = 10.0
_TIDY_SECONDS = 3600.0
_SEND_SECONDS = 10.0
_KEEP_EVENTS = 7 * 24 * 3600.0


class Clockwork:
    """The loops of one server."""

    def __init__(self, pauses: "Pauses") -> None:
        """Of these pauses."""
        self._pauses = pauses
        self._database = pauses.engine.database

    async def keep_deadlines(self) -> None:
        """Until cancelled."""
        await self._repeat(self._deadlines)

    async def deliver(self) -> None:
        """Until cancelled."""
        import httpx

        secret = await asyncio.to_thread(signing_secret, self._pauses.settings, self._pauses.engine.data)
        async with httpx.AsyncClient(
            timeout=_SEND_SECONDS, follow_redirects=False, trust_env=False
        ) as client:

            async def once() -> str | None:
                return await self._deliveries(client, secret)

            await self._repeat(once)

    async def tidy(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self._database.write(_forget_old)
                await self._pauses.attachments.collect()
            except Exception as error:
                log.error("tidying failed; it is tried again", exc_info=error)
            await asyncio.sleep(_TIDY_SECONDS)

    async def _repeat(self, work: "Work") -> None:
        rung = self._pauses.bell.listen()
        try:
            while True:
                rung.clear()
                moment = None
                try:
                    moment = await work()
                except Exception as error:
                    log.error("the clockwork failed; it tries again", exc_info=error)
                wait = _LONGEST_SLEEP if moment is None else seconds_until(moment)
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(max(wait, 0.01), _LONGEST_SLEEP)):
                        await rung.wait()
        finally:
            self._pauses.bell.leave(rung)

    async def _deadlines(self) -> str | None:
        await deadlines.deal_with_due(self._pauses.engine)
        return await self._database.read(deadlines.next_moment)

    async def _deliveries(self, client: object, secret: bytes) -> str | None:
        settings = self._pauses.settings
        while await self._database.write(
            lambda conn: outbox.tell_events(conn, settings.webhook_url), durable=False
        ):
            pass
        for row in await self._database.read(outbox.due):
            error, final = await outbox.send(client, row, settings, secret)
            if error:
                log.warning("not delivered", key=row["key"], target=row["target"], reason=error)
            await self._database.write(
                lambda conn, r=row, e=error, f=final: outbox.after_attempt(conn, r, e, final=f)
            )
        return await self._database.read(outbox.next_due)


def _forget_old(conn: sqlite3.Connection) -> None:
    requests.forget_old(conn)
    conn.execute("DELETE FROM pause_events WHERE at < ?", (later(-_KEEP_EVENTS),))
    conn.execute("DELETE FROM outbox WHERE status = 'sent' AND sent_at < ?", (later(-_KEEP_EVENTS),))


if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Work = Callable[[], Awaitable[str | None]]
