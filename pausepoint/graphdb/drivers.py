"""The two drivers of a Bolt address, one for reading and one for writing, made lazily for each event loop."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from neo4j import AsyncDriver

WRITE_TIMEOUT = 120.0
"""Seconds after which a write is stopped, whatever the database."""
_QUIET = logging.NullHandler()
Role = Literal["reader", "writer"]


@dataclass(frozen=True, slots=True)
class Login:
    """A user of the database; the password never shows in a log."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a graph answers and as whom to read and to write."""

    uri: str
    database: str
    reader: Login
    writer: Login


class Drivers:
    """Hands out drivers; a driver belongs to the event loop that first asked for it."""

    def __init__(self, address: Address, *, connect_timeout: float = 5.0) -> None:
        self.address = address
        self._connect_timeout = connect_timeout
        self._open: dict[tuple[int, Role], tuple[asyncio.AbstractEventLoop, AsyncDriver]] = {}

    def get(self, role: Role) -> "AsyncDriver":
        """This loop's driver for the role; it connects when it is first used."""
        loop = asyncio.get_running_loop()
        known = self._open.get((id(loop), role))
        # An id may be used again by a later loop.
        if known is None or known[0] is not loop:
            self._forget_closed_loops()
            known = (loop, self._make(role))
            self._open[id(loop), role] = known
        return known[1]

    def _make(self, role: Role) -> "AsyncDriver":
        from neo4j import AsyncGraphDatabase, NotificationMinimumSeverity

        # A killed engine is no news for a terminal; whoever configures logging still gets it.
        logging.getLogger("neo4j").addHandler(_QUIET)
        database: Any = AsyncGraphDatabase  # Its annotations are partly missing.
        login = self.address.reader if role == "reader" else self.address.writer
        return database.driver(
            self.address.uri,
            auth=(login.user, login.password) if login.password else None,
            connection_timeout=self._connect_timeout,
            warn_notification_severity=NotificationMinimumSeverity.OFF,
        )

    def _forget_closed_loops(self) -> None:
        for key, (loop, _) in list(self._open.items()):
            if loop.is_closed():
                del self._open[key]

    async def close(self) -> None:
        """Close every driver, those of other running loops in their own loop."""
        mine = asyncio.get_running_loop()
        opened, self._open = list(self._open.values()), {}
        for loop, driver in opened:
            with suppress(Exception):
                if loop is mine:
                    await driver.close()
                elif loop.is_running():
                    asyncio.run_coroutine_threadsafe(driver.close(), loop)
