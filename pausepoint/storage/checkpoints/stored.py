"""The rows of lists as they were last seen committed, so that a turn need not read them again."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from pausepoint.storage.checkpoints.refs import Spread
from pausepoint.storage.checkpoints.rows import Kept

MIN_ROWS = 32
"""Shorter lists are read as quickly as remembered."""

_MAX_ROWS = 20_000
_MAX_BYTES = 16_000_000


@dataclass(frozen=True, slots=True)
class StoredList:
    """A list's rows; they stay what they are as long as the line is of that generation.

    `parts` are the elements' bytes, where known.
    """

    line: int
    generation: int
    ref: Spread
    rows: Sequence[Kept]
    parts: Sequence[bytes] | None

    def is_at(self, line: int, generation: int, ref: Spread) -> bool:
        """Whether these are the rows behind a reference."""
        return self.ref == ref and self.line == line and self.generation == generation


class StoredLists:
    """The last lists, by thread, namespace and channel."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str, str], StoredList] = OrderedDict()
        self._sizes: dict[tuple[str, str, str], int] = {}
        self._lock = threading.Lock()

    def get(self, thread_id: str, ns: str, channel: str) -> StoredList | None:
        """The list that was committed last."""
        return self._known.get((thread_id, ns, channel))

    def put(self, thread_id: str, ns: str, channel: str, stored: StoredList) -> None:
        """Remember a list that is committed."""
        if len(stored.rows) < MIN_ROWS:
            return
        key = (thread_id, ns, channel)
        with self._lock:
            self._sizes[key] = _size(stored)
            self._known[key] = stored
            self._known.move_to_end(key)
            while sum(len(one.rows) for one in self._known.values()) > _MAX_ROWS or (
                sum(self._sizes.values()) > _MAX_BYTES
            ):
                oldest, _ = self._known.popitem(last=False)
                del self._sizes[oldest]


def _size(stored: StoredList) -> int:
    if stored.parts is not None:
        return sum(map(len, stored.parts))
    return sum(len(kept.row.data) for kept in stored.rows)
