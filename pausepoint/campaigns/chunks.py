"""Cuts a note into passages that are embedded and cited one by one."""

import re
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

MAX_WORDS = 120
MAX_CHARS = 1600
_OVERLAP_WORDS = 40
_BREAK = re.compile(r"\n[ \t]*\n+|(?<=[.!?…])[\"'”’»)*_]*\s+|\n(?=[ \t]*(?:[-*+>|#]|\d+[.)]) )")


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    words: int


def chunk(text: str, max_words: int = MAX_WORDS) -> list[str]:
    """Passages of at most `max_words` words (and MAX_CHARS characters), in order.

    They break between sentences or paragraphs and are of similar length; each repeats the last sentence of
    the one before, unless that is long. Only a sentence longer than a passage is cut inside.
    """
    pieces = _pieces(text, max_words)
    total = sum(piece.words for piece in pieces)
    if total <= max_words and len(text) <= MAX_CHARS:
        return [text.strip()] if text.strip() else []
    parts = ceil(total / max_words)
    goal = min(max_words, ceil(total / parts) + max_words // 8)
    return [text[group[0].start : group[-1].end].strip() for group in _groups(pieces, goal, max_words)]


def _groups(pieces: list[_Piece], goal: int, limit: int) -> list[list[_Piece]]:
    groups: list[list[_Piece]] = []
    current: list[_Piece] = []
    for piece in pieces:
        if current and not _fits([*current, piece], goal):
            groups.append(current)
            last = current[-1]
            repeat = last.words <= _OVERLAP_WORDS and len(current) > 1 and _fits([last, piece], limit)
            current = [last] if repeat else []
        current.append(piece)
    return [*groups, current]


def _fits(pieces: list[_Piece], words: int) -> bool:
    return sum(p.words for p in pieces) <= words and pieces[-1].end - pieces[0].start <= MAX_CHARS


def _pieces(text: str, max_words: int) -> list[_Piece]:
    """Sentences and list items; the overlong ones cut after a number of words or characters."""
    bounds = [0, *(match.end() for match in _BREAK.finditer(text)), len(text)]
    pieces: list[_Piece] = []
    for start, end in pairwise(bounds):
        words = len(text[start:end].split())
        if words <= max_words and end - start <= MAX_CHARS:
            if words:
                pieces.append(_Piece(start, end, words))
        else:
            pieces += _cut(text, start, end, max_words)
    return pieces


def _cut(text: str, start: int, end: int, max_words: int) -> list[_Piece]:
    pieces: list[_Piece] = []
    while start < end:
        words = 0
        at = stop = min(end, start + MAX_CHARS)
        for match in re.compile(r"\S+\s*").finditer(text, start, stop):
            if match.end() == stop < end and words:
                break
            words, at = words + 1, match.end()
            if words == max_words:
                break
        pieces.append(_Piece(start, at, max(words, 1)))
        start = at
    return pieces
