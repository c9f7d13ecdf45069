"""Remembers the messages of long threads, so that a turn serializes and parses only what is new in it.

Nothing that is remembered is ever handed out: callers get copies and may change them. A message counts as unchanged
only when it is the same object as before and still equals the private copy made when it was serialized.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, is_
from typing import Any, TypeAlias

from langchain_core.messages import BaseMessage

from pausepoint.storage.checkpoints.twins import copied

MIN_LENGTH = 32
"""Shorter lists are quicker to serialize than to remember."""

MAX_MESSAGES = 6000
MAX_BYTES = 16_000_000
"""How many messages are remembered by content, and again by identity: some 20 MB of plain ones."""

MAX_MESSAGE_BYTES = 64_000
"""A longer message is parsed each time."""

Key: TypeAlias = tuple[str, str, str]
"""Thread, namespace, channel."""

EncodeOne: TypeAlias = Callable[[Any], bytes | None]
Rows: TypeAlias = Sequence[tuple[int, bytes]]
"""Rows of a list: how many elements, and their bytes."""

_state: Callable[[Any], Any] = attrgetter("__dict__", "__pydantic_extra__")


@dataclass(slots=True)
class _Handed:
    """A list as a caller has it: its elements, what they were like, and their bytes."""

    values: list[Any] = field(default_factory=list[Any])
    states: list[Any] = field(default_factory=list[Any])
    parts: list[bytes] = field(default_factory=list[bytes])
    size: int = 0

    def add(self, value: Any, twin: BaseMessage | None, part: bytes) -> None:
        """Add an element; one without a twin is never taken for unchanged."""
        self.values.append(value)
        self.states.append(None if twin is None else _state(twin))
        self.parts.append(part)

    def unchanged(self, values: Sequence[Any]) -> int:
        """How many elements `values` begins with that are all known and unchanged; all it knows, or 0."""
        length = min(len(values), len(self.values))
        if not all(map(is_, values, self.values)) or None in self.states[:length]:
            return 0
        return length if list(map(_state, values[:length])) == self.states[:length] else 0

    def first(self, length: int) -> "_Handed":
        """The list's beginning."""
        return _Handed(self.values[:length], self.states[:length], self.parts[:length])


class Recall:
    """Messages by their bytes, and the objects that callers have by their identity."""

    def __init__(self) -> None:
        self._twins: OrderedDict[bytes, BaseMessage] = OrderedDict()
        self._lists: OrderedDict[Key, _Handed] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def encode(self, key: Key, values: Sequence[Any], encode_one: EncodeOne) -> list[bytes] | None:
        """Serialize the elements of a list, the unchanged ones from memory.

        Returns:
            The elements' bytes; None when `encode_one` returns None for any.
        """
        if len(values) < MIN_LENGTH or not isinstance(values[-1], BaseMessage):
            return _all(encode_one, values)
        known = self._lists.get(key) or _Handed()
        now = known.first(known.unchanged(values))
        by_id = {} if now.values else {id(value): at for at, value in enumerate(known.values)}
        fresh: dict[bytes, BaseMessage] = {}
        for value in values[len(now.values) :]:
            at = by_id.get(id(value))
            if at is not None and known.states[at] is not None and _state(value) == known.states[at]:
                now.values.append(value)
                now.states.append(known.states[at])
                now.parts.append(known.parts[at])
                continue
            part = encode_one(value)
            if part is None:
                return None
            _add(now, fresh, value, part)
        self._remember(key, now, fresh)
        return now.parts

    def decode(self, key: Key | None, rows: Rows, decode_rows: Callable[[Rows], list[Any]]) -> list[Any]:
        """Parse a list, the known messages from memory.

        Args:
            key: Which list it is, when it is going to be stored again with more in it.
            rows: The list's rows.
            decode_rows: Parses what is not known.
        """
        if len(rows) < MIN_LENGTH or any(row[0] != 1 for row in rows):
            return decode_rows(rows)
        now = _Handed()
        fresh: dict[bytes, BaseMessage] = {}
        at = 0
        while at < len(rows):
            twin = self._twins.get(rows[at][1])
            value = copied(twin) if twin is not None else None
            if value is not None:
                now.add(value, twin, rows[at][1])
                at += 1
                continue
            end = self._next_known(rows, at + 1)
            for value, row in zip(decode_rows(rows[at:end]), rows[at:end], strict=True):
                _add(now, fresh, value, row[1])
            at = end
        self._remember(key, now, fresh)
        return list(now.values)

    def _next_known(self, rows: Rows, at: int) -> int:
        while at < len(rows) and rows[at][1] not in self._twins:
            at += 1
        return at

    def _remember(self, key: Key | None, handed: _Handed, fresh: dict[bytes, BaseMessage]) -> None:
        handed.size = sum(map(len, handed.parts)) if key else 0
        with self._lock:
            self._remember_twins(fresh)
            if key is None:
                return
            self._lists[key] = handed
            self._lists.move_to_end(key)
            length = sum(len(one.values) for one in self._lists.values())
            size = sum(one.size for one in self._lists.values())
            while self._lists and (length > MAX_MESSAGES or size > MAX_BYTES):
                _, oldest = self._lists.popitem(last=False)
                length, size = length - len(oldest.values), size - oldest.size

    def _remember_twins(self, fresh: dict[bytes, BaseMessage]) -> None:
        self._bytes += sum(len(part) for part in fresh if part not in self._twins)
        self._twins.update(fresh)
        while len(self._twins) > MAX_MESSAGES or self._bytes > MAX_BYTES:
            part, _ = self._twins.popitem(last=False)
            self._bytes -= len(part)


def _add(handed: _Handed, fresh: dict[bytes, BaseMessage], value: Any, part: bytes) -> None:
    small = len(part) <= MAX_MESSAGE_BYTES
    twin = copied(value) if small and isinstance(value, BaseMessage) else None
    handed.add(value, twin, part)
    if twin is not None:
        fresh[part] = twin


def _all(encode_one: EncodeOne, values: Sequence[Any]) -> list[bytes] | None:
    parts: list[bytes] = []
    for value in values:
        part = encode_one(value)
        if part is None:
            return None
        parts.append(part)
    return parts
