"""Changes of a thread from outside a run, told to whoever has a say in them, inside the transaction that makes them."""

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pausepoint.server.execute import State

Action = Literal["update", "delete", "copy"]


@dataclass
class Change:
    """One change; asked about first, where nothing may be written, and told again when it is made (`final`)."""

    action: Action
    thread_id: str
    user: dict[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    final: bool = False
    state: State | None = None
    """After an update: what the thread looks like now."""
    closes_as: str = "discarded"
    """What becomes of the questions that the change drops."""
    reason: str | None = None
    copied_to: str | None = None
    """After a copy: the new thread."""


Changer = Callable[[sqlite3.Connection, Change], None]
"""Refuses a change by raising, or notes it."""
