"""Turns a checkpoint's values into bytes, on the caller's thread: afterwards the caller may change them."""

from collections.abc import Callable
from dataclasses import dataclass
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


EncodeList = Callable[[list[Any]], list[bytes] | None]
"""Serializes the elements of a list; None when the serializer writes something else than plain MessagePack."""


def encode(value: Any, serde: SerializerProtocol, encode_list: EncodeList | None = None) -> Encoded:
    """Serialize a value; a list element by element, where the serializer writes plain MessagePack.

    Args:
        value: The channel's value.
        serde: The checkpointer's serializer.
        encode_list: Encodes long lists, when the caller knows a quicker way.
    """
    if type(value) is list and value:
        values = cast(list[Any], value)
        parts = encode_list(values) if encode_list else encode_elements(values, serde)
        if parts is not None and sum(map(len, parts)) > INLINE_BYTES:
            return Elements(parts)
    return Whole(*serde.dumps_typed(value))


def encode_element(item: Any, serde: SerializerProtocol) -> bytes | None:
    """The element's MessagePack encoding; None when the serializer writes something else (encrypted, for example)."""
    kind, data = serde.dumps_typed([item])
    return data[1:] if kind == "msgpack" and data[0] == _ONE_ELEMENT else None


def encode_elements(values: list[Any], serde: SerializerProtocol) -> list[bytes] | None:
    """Each element's encoding; None when the serializer does not write plain MessagePack."""
    parts: list[bytes] = []
    for value in values:
        part = encode_element(value, serde)
        if part is None:
            return None
        parts.append(part)
    return parts
