"""Remembers the messages of long threads, so that a turn serializes and parses only what is new in it.

Nothing that is remembered is ever handed out: callers get copies and may change them. A message counts as unchanged only
when it is the same object as before and still equals the private copy made when it was serialized.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from langchain_core.messages import BaseMessage

from pausepoint.storage.checkpoints.writing import StoredList

MIN_LENGTH = 32
"""Shorter lists are quicker to serialize than to remember."""

MAX_MESSAGES = 6000
"""How many messages are remembered by content, and again by identity: some 20 MB."""

_Known: TypeAlias = tuple[BaseMessage, BaseMessage, bytes]

Key: TypeAlias = tuple[str, str, str]
"""Thread, namespace, channel."""

_set = object.__setattr__

_ATOMS = frozenset({str, int, float, bool, type(None), bytes})


class _NotPlainError(Exception):
    """A message holds something that is not known to be safe to copy."""


def copied(message: BaseMessage) -> BaseMessage | None:
    """A copy that shares nothing changeable with the message; None when it holds more than plain values."""
    twin = object.__new__(type(message))
    try:
        _set(twin, "__dict__", _plain_dict(message.__dict__))
        _set(
            twin, "__pydantic_extra__", message.__pydantic_extra__ and _plain_dict(message.__pydantic_extra__)
        )
        _set(twin, "__pydantic_fields_set__", message.__pydantic_fields_set__.copy())
        _set(twin, "__pydantic_private__", message.__pydantic_private__ and _refuse())
    except _NotPlainError:
        return None
    return twin


def same(message: BaseMessage, twin: BaseMessage) -> bool:
    """Whether nothing of the message was changed since `twin` was copied from it."""
    return message.__dict__ == twin.__dict__ and message.__pydantic_extra__ == twin.__pydantic_extra__


def _plain_dict(values: Mapping[Any, Any]) -> dict[Any, Any]:
    twin = dict(values)
    for name, value in values.items():
        if type(value) not in _ATOMS:
            twin[name] = _plain(value)
    return twin


def _plain(value: Any) -> Any:
    if type(value) is dict:
        return _plain_dict(cast(dict[Any, Any], value)) if value else {}
    if type(value) is list:
        return (
            [item if type(item) in _ATOMS else _plain(item) for item in cast(list[Any], value)]
            if value
            else []
        )
    raise _NotPlainError


def _refuse() -> Any:
    raise _NotPlainError


def _all(encode_one: Callable[[Any], bytes | None], values: Sequence[Any]) -> list[bytes] | None:
    parts: list[bytes] = []
    for value in values:
        part = encode_one(value)
        if part is None:
            return None
        parts.append(part)
    return parts


class StoredLists:
    """The rows of the lists that were stored last, by thread and namespace."""

    _THREADS = 16

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], dict[str, StoredList]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, thread_id: str, ns: str) -> dict[str, StoredList]:
        """Channel → list."""
        return self._known.get((thread_id, ns), {})

    def put(self, thread_id: str, ns: str, lists: dict[str, StoredList]) -> None:
        """Remember lists that are committed; short ones are read as quickly as remembered."""
        long = {channel: stored for channel, stored in lists.items() if len(stored.rows) >= MIN_LENGTH}
        if not long:
            return
        with self._lock:
            self._known[thread_id, ns] = long
            self._known.move_to_end((thread_id, ns))
            while len(self._known) > self._THREADS:
                self._known.popitem(last=False)


class Recall:
    """Messages by their bytes, and the objects that callers have by their identity."""

    def __init__(self) -> None:
        self._twins: OrderedDict[bytes, BaseMessage] = OrderedDict()
        self._lists: OrderedDict[Key, dict[int, _Known]] = OrderedDict()
        self._lock = threading.Lock()

    def encode(
        self, key: Key, values: Sequence[Any], encode_one: Callable[[Any], bytes | None]
    ) -> list[bytes] | None:
        """Serialize the elements of a list, the unchanged ones from memory.

        Returns:
            The elements' bytes; None when `encode_one` returns None for any.
        """
        if len(values) < MIN_LENGTH or not isinstance(values[-1], BaseMessage):
            return _all(encode_one, values)
        known = self._lists.get(key, {})
        now: dict[int, _Known] = {}
        parts: list[bytes] = []
        fresh: list[_Known] = []
        for value in values:
            entry = known.get(id(value))
            if entry is not None and entry[0] is value and same(value, entry[1]):
                now[id(value)] = entry
                parts.append(entry[2])
                continue
            part = encode_one(value)
            if part is None:
                return None
            parts.append(part)
            if entry := _known(value, part):
                now[id(value)] = entry
                fresh.append(entry)
        self._remember(key, now, fresh)
        return parts

    def decode(
        self,
        key: Key,
        rows: Sequence[tuple[int, bytes]],
        decode_rows: Callable[[Sequence[tuple[int, bytes]]], list[Any]],
    ) -> list[Any]:
        """Parse a list of rows (elements, bytes), the known ones from memory."""
        if len(rows) < MIN_LENGTH:
            return decode_rows(rows)
        values: list[Any] = []
        now: dict[int, _Known] = {}
        fresh: list[_Known] = []
        unknown: list[tuple[int, bytes]] = []
        for row in rows:
            twin = self._twins.get(row[1]) if row[0] == 1 else None
            if twin is None:
                unknown.append(row)
                continue
            if unknown:
                values += _parsed(unknown, decode_rows, fresh)
                unknown = []
            value = cast(BaseMessage, copied(twin))
            values.append(value)
            now[id(value)] = (value, twin, row[1])
        if unknown:
            values += _parsed(unknown, decode_rows, fresh)
        now.update((id(entry[0]), entry) for entry in fresh)
        self._remember(key, now, fresh)
        return values

    def _remember(self, key: Key, entries: dict[int, _Known], fresh: Sequence[_Known]) -> None:
        with self._lock:
            self._lists[key] = entries
            self._lists.move_to_end(key)
            self._twins.update((part, twin) for _, twin, part in fresh)
            while len(self._twins) > MAX_MESSAGES:
                self._twins.popitem(last=False)
            total = sum(map(len, self._lists.values()))
            while self._lists and total > MAX_MESSAGES:
                total -= len(self._lists.popitem(last=False)[1])


def _known(value: Any, part: bytes) -> _Known | None:
    twin = copied(value) if isinstance(value, BaseMessage) else None
    return (value, twin, part) if twin is not None else None


def _parsed(
    rows: Sequence[tuple[int, bytes]],
    decode_rows: Callable[[Sequence[tuple[int, bytes]]], list[Any]],
    fresh: list[_Known],
) -> list[Any]:
    values = decode_rows(rows)
    if len(values) == len(rows):
        entries = (_known(value, row[1]) for value, row in zip(values, rows, strict=True))
        fresh += [entry for entry in entries if entry is not None]
    return values
