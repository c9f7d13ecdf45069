"""Lists as rows of serialized elements: what a list shares with the one before it is not stored again.

An element's bytes are its MessagePack encoding, so that the rows' bytes one after the other, behind an array header, are
the encoding of the whole list.
"""

from collections.abc import Sequence
from dataclasses import dataclass

ROW_BYTES = 256
"""Small elements share a row up to this size; a bigger element has its own."""

MAX_RANGES = 48
"""A list in more pieces than this is stored anew, in one."""


@dataclass(frozen=True, slots=True)
class Row:
    """`n` elements that lie together."""

    n: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored row."""

    seq: int
    row: Row


def array_header(length: int) -> bytes:
    """MessagePack's header of an array."""
    if length < 16:
        return bytes([0x90 | length])
    if length < 1 << 16:
        return b"\xdc" + length.to_bytes(2, "big")
    return b"\xdd" + length.to_bytes(4, "big")


def pack_rows(elements: Sequence[bytes]) -> list[Row]:
    """Divide a list into rows."""
    rows: list[Row] = []
    pending: list[bytes] = []
    size = 0
    for element in elements:
        if pending and size + len(element) > ROW_BYTES:
            rows.append(Row(len(pending), b"".join(pending)))
            pending, size = [], 0
        pending.append(element)
        size += len(element)
    if pending:
        rows.append(Row(len(pending), b"".join(pending)))
    return rows


def share(old: Sequence[Kept], elements: Sequence[bytes]) -> list[Kept | Row]:
    """Write a list with as many of the old rows as fit, in order.

    Finds what was appended, replaced in its place, or removed (of elements that have their own rows).

    Args:
        old: The rows of the list before.
        elements: The encoded elements of the list now.

    Returns:
        The rows of the list now: old ones to keep, new ones to store.
    """
    at = position = _common(old, elements)
    result: list[Kept | Row] = list(old[:at])
    fresh: list[bytes] = []
    own_row = {kept.row.data: at + i for i, kept in enumerate(old[at:]) if kept.row.n == 1}
    while position < len(elements):
        match = _match(old, at, elements, position, own_row)
        if match is not None:
            result += pack_rows(fresh)
            fresh = []
            result.append(old[match])
            position += old[match].row.n
            at = match + 1
            continue
        width = old[at].row.n if at < len(old) else 1
        fresh += elements[position : position + width]
        position += width
        # Behind a changed row of several elements the next row follows; rows of one are found by their content.
        at += width > 1
    return result + pack_rows(fresh)


def _common(old: Sequence[Kept], elements: Sequence[bytes]) -> int:
    """How many rows of one element the list still begins with."""
    for at, (kept, element) in enumerate(zip(old, elements, strict=False)):
        if kept.row.n != 1 or kept.row.data != element:
            return at
    return min(len(old), len(elements))


def _match(
    old: Sequence[Kept], at: int, elements: Sequence[bytes], position: int, own_row: dict[bytes, int]
) -> int | None:
    """The index of the old row that holds the elements from `position` on; none before `at`."""
    if at < len(old):
        row = old[at].row
        here = elements[position] if row.n == 1 else b"".join(elements[position : position + row.n])
        if row.data == here:
            return at
    later = own_row.get(elements[position])
    return later if later is not None and later >= at else None
