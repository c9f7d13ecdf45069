"""Where the value of a channel is: in the checkpoint itself when it is tiny, in one row, or in rows that lists share."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Inline:
    """A value small enough to be repeated in every checkpoint; `type` is the serializer's."""

    type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Single:
    """A value in one row."""

    type: str
    slot: int
    seq: int


@dataclass(frozen=True, slots=True)
class Spread:
    """A list whose elements are in rows `first` to `last` (inclusive) of `slot`, for each range in order."""

    slot: int
    ranges: tuple[tuple[int, int], ...]

    def seqs(self) -> Iterator[int]:
        """The rows' numbers in the list's order."""
        for first, last in self.ranges:
            yield from range(first, last + 1)


Ref: TypeAlias = Inline | Single | Spread


def pack(ref: Ref) -> list[Any]:
    """The reference as plain values."""
    match ref:
        case Inline(kind, data):
            return [kind, data]
        case Single(kind, slot, seq):
            return [kind, slot, seq]
        case Spread(slot, ranges):
            return [None, slot, [n for pair in ranges for n in pair]]


def unpack(packed: list[Any]) -> Ref:
    """The opposite of `pack`."""
    if len(packed) == 2:
        return Inline(packed[0], packed[1])
    kind, slot, where = packed
    if kind is not None:
        return Single(kind, slot, where)
    return Spread(slot, tuple(zip(where[::2], where[1::2], strict=True)))


def extended(before: Iterable[tuple[int, int]], seqs: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Ranges with more numbers behind them: (1, 3) and 4 7 8 → (1, 4), (7, 8)."""
    ranges = list(before)
    for seq in seqs:
        if ranges and ranges[-1][1] == seq - 1:
            ranges[-1] = (ranges[-1][0], seq)
        else:
            ranges.append((seq, seq))
    return tuple(ranges)


def rows_of(ref: Ref) -> Iterator[tuple[int, int, int]]:
    """Which rows the value needs: (slot, first, last)."""
    match ref:
        case Inline():
            return
        case Single(_, slot, seq):
            yield slot, seq, seq
        case Spread(slot, ranges):
            for first, last in ranges:
                yield slot, first, last
