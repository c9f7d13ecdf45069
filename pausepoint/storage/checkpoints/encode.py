"""Turns a checkpoint's values into bytes, on the caller's thread: afterwards the caller may change them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from langgraph.checkpoint.serde.base import SerializerProtocol

INLINE_BYTES = 64
"""A value up to this size is repeated in every checkpoint: a reference would take as much."""

_ONE_ELEMENT = 0x91


@dataclass(frozen=True, slots=True)
class Whole:
    """A serialized value."""

    type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Elements:
    """A list as its serialized elements."""

    parts: list[bytes]


Encoded = Whole | Elements


def encode(
    value: Any, serde: SerializerProtocol, element: Callable[[Any], bytes | None] | None = None
) -> Encoded:
    """Serialize a value; a list element by element, where the serializer writes plain MessagePack.

    Args:
        value: The channel's value.
        serde: The checkpointer's serializer.
        element: Encodes one element, when the caller knows a quicker way than `encode_element`.
    """
    if type(value) is list and value:
        values = cast(list[Any], value)
        parts = _all(element or partial(encode_element, serde=serde), values)
        if parts is not None and sum(map(len, parts)) > INLINE_BYTES:
            return Elements(parts)
    return Whole(*serde.dumps_typed(value))


def encode_element(item: Any, serde: SerializerProtocol) -> bytes | None:
    """The element's MessagePack encoding; None when the serializer writes something else (encrypted, for example)."""
    kind, data = serde.dumps_typed([item])
    return data[1:] if kind == "msgpack" and data[0] == _ONE_ELEMENT else None


def _all(encode_one: Callable[[Any], bytes | None], values: list[Any]) -> list[bytes] | None:
    parts: list[bytes] = []
    for value in values:
        part = encode_one(value)
        if part is None:
            return None
        parts.append(part)
    return parts
