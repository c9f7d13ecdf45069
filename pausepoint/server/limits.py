"""How much a server takes on; what is beyond is refused with a clear answer."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of one server process."""

    body_bytes: int = 32 * 1024 * 1024
    """Largest request body: 413 beyond it."""
    queue_length: int = 20_000
    """Runs that wait or work: 429 beyond it."""
    streams: int = 5_000
    """Open streams: 429 beyond it."""
    events_per_run: int = 200_000
    """Events one run may stream; a run beyond it fails and says so."""
    batch: int = 1_000
    """Runs in one batch."""
    heartbeat_seconds: float = 15.0
    """How long a stream may be silent before a comment is sent, so that proxies keep it open."""
    event_days: float = 1.0
    """How long the events of a finished run can be replayed at the longest."""
