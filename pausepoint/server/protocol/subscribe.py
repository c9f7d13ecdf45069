"""Which events a subscription gets, and from where it starts."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pausepoint.server.schemas import EventsRequest

_CLAIM_SECONDS = 0.25
_MOST_CLAIMS = 10_000
_CONTROL = frozenset({"lifecycle", "input"})


def wanted(event: Mapping[str, Any], request: EventsRequest) -> bool:
    """Whether an event belongs to a subscription."""
    channel = _channel(event)
    channels = request.channels
    if channel not in channels and not (channel.startswith("custom:") and "custom" in channels):
        return False
    return _below(event["params"]["namespace"], request.namespaces, request.depth)


def _channel(event: Mapping[str, Any]) -> str:
    method = event["method"]
    if method == "input.requested":
        return "input"
    if method == "custom":
        name = event["params"]["data"].get("name")
        return f"custom:{name}" if name else "custom"
    return method


def _below(namespace: Sequence[str], prefixes: Sequence[Sequence[str]] | None, depth: int | None) -> bool:
    if not prefixes:
        return True
    for prefix in prefixes:
        close = depth is None or len(namespace) - len(prefix) <= depth
        if close and len(prefix) <= len(namespace) and all(map(_same, namespace, prefix)):
            return True
    return False


def _same(segment: str, asked: str) -> bool:
    """A segment matches itself, and its name alone matches every task of that name."""
    return segment == asked or (":" not in asked and segment.partition(":")[0] == asked)


@dataclass
class Claims:
    """Runs started by a command whose client has not opened its stream yet.

    A short run may be over before its client listens. Its events are then replayed to the first who come, and to nobody
    later: a client that opens the thread anew must not take the end of an earlier run for that of its own.
    """

    _runs: dict[str, "_Claim"] = field(default_factory=dict[str, "_Claim"])

    def expect(self, thread_id: str, run_id: str, before: int) -> None:
        """A client will want the events of a run, which come after an id."""
        self._runs.pop(thread_id, None)
        self._runs[thread_id] = _Claim(run_id, before)
        if len(self._runs) > _MOST_CLAIMS:
            del self._runs[next(iter(self._runs))]

    def ended(self, thread_id: str, run_id: str, followed: bool) -> None:
        """A run has ended; whether a client was there to see it."""
        claim = self._runs.get(thread_id)
        if claim is not None and claim.run_id == run_id:
            claim.ended = True
            claim.seen_at = time.monotonic() if followed else None

    def take(self, thread_id: str, channels: Sequence[str]) -> int | None:
        """Where a new subscription starts when it does not say so; None: with what comes."""
        claim = self._runs.get(thread_id)
        if claim is None:
            return None
        if claim.ended and claim.seen_at is not None:
            late = time.monotonic() - claim.seen_at > _CLAIM_SECONDS
            if late:
                del self._runs[thread_id]
            if late or set(channels) <= _CONTROL:
                return None
        if claim.ended and claim.seen_at is None:
            claim.seen_at = time.monotonic()
        return claim.before


@dataclass
class _Claim:
    run_id: str
    before: int
    ended: bool = False
    seen_at: float | None = None
