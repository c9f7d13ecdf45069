"""What happens to pauses by the clock."""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pausepoint.pauses.service import Pauses


class Clockwork:
    """Deadlines and deliveries."""

    def __init__(self, pauses: "Pauses") -> None:
        """Of one server."""
        self._pauses = pauses

    async def run(self) -> None:
        """Until cancelled."""
        await asyncio.Event().wait()

    async def deliver(self) -> None:
        """Until cancelled."""
        await asyncio.Event().wait()
