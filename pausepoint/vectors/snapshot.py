"""A collection's payloads with their lexical index, as of one version of the store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pausepoint.vectors.lexical import LexicalIndex, Words, words_of
from pausepoint.vectors.port import Hit


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Points in one order; `at` gives a point's place in it."""

    version: str
    hits: Sequence[Hit]
    at: Mapping[str, int]
    words: Sequence[Words]
    index: LexicalIndex


def take(version: str, hits: Sequence[Hit], before: Snapshot | None = None) -> Snapshot:
    """Index the points; those whose payload is as it was before are not read into words again."""
    words = [_words(hit, before) for hit in hits]
    at = {hit.id: place for place, hit in enumerate(hits)}
    return Snapshot(version, hits, at, words, LexicalIndex(words))


def _words(hit: Hit, before: Snapshot | None) -> Words:
    place = before.at.get(hit.id) if before else None
    if before and place is not None and before.hits[place].payload == hit.payload:
        return before.words[place]
    return words_of(hit.payload)
