"""Which points share words with a question: an in-memory index of stems that forgives inflection and typos.

For a question it gives each point's coverage, 0 to 1: the part of the question's words, weighted by how rare they
are, that the point has; in a name or title wholly, in the running text by `BODY`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any

from pausepoint.vectors.fuzzy import Vocabulary
from pausepoint.vectors.stopwords import STOPWORDS
from pausepoint.vectors.text import stem, tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]

NAMES = ("name", "title", "aliases", "source", "target", "label")
TEXTS = ("text", "content", "description", "reasoning")
BODY = 0.8
"""What a word in the running text counts, against one in a name, a title or a label."""
UNKNOWN = 0.5
"""What a word of the question that no point has weighs, against one that a single point has."""


@dataclass(frozen=True, slots=True)
class Words:
    """A point's stems: those in its names, and those only in its text."""

    names: frozenset[str]
    texts: frozenset[str]


def words_of(payload: Mapping[str, Any]) -> Words:
    """The point's stems by field."""
    names = frozenset(_stems(payload.get(key) for key in NAMES))
    return Words(names, frozenset(_stems(payload.get(key) for key in TEXTS)) - names)


class LexicalIndex:
    """An immutable index of points in a fixed order; build it in a thread."""

    def __init__(self, points: Iterable[Words]) -> None:
        import numpy as np

        postings: dict[str, tuple[list[int], list[float]]] = {}
        self.size = 0
        for at, words in enumerate(points):
            self.size += 1
            for weight, stems in ((1.0, words.names), (BODY, words.texts)):
                for each in stems:
                    ids, weights = postings.setdefault(each, ([], []))
                    ids.append(at)
                    weights.append(weight)
        self._postings = {
            term: (np.asarray(ids, np.int32), np.asarray(weights, np.float32))
            for term, (ids, weights) in postings.items()
        }
        self._vocabulary = Vocabulary(postings)

    def coverage(self, question: str) -> "Scores":
        """Each point's coverage of the question, 0 to 1; zeros for a question without content words."""
        import numpy as np

        covered = np.zeros(self.size, np.float32)
        total = 0.0
        for word in content_words(question):
            similar = self._vocabulary.similar(word)
            rarity = self._rarity(similar)
            total += rarity
            if similar:
                covered += rarity * self._best(similar)
        return covered / np.float32(total) if total else covered

    def _best(self, similar: Mapping[str, float]) -> "Scores":
        """Each point's best word among the similar ones."""
        import numpy as np

        best = np.zeros(self.size, np.float32)
        for term, likeness in similar.items():
            ids, weights = self._postings[term]
            best[ids] = np.maximum(best[ids], weights * np.float32(likeness))
        return best

    def _rarity(self, similar: Mapping[str, float]) -> float:
        """Inverse document frequency of the words that the question's word may be."""
        if not similar:
            return UNKNOWN * log(1 + self.size)
        closest = max(similar.values())
        found = max(len(self._postings[term][0]) for term, likeness in similar.items() if likeness == closest)
        return log(1 + (self.size - found + 0.5) / (found + 0.5))


def content_words(question: str) -> list[str]:
    """The question's stems in order, once each, without function and question words."""
    return list(dict.fromkeys(stem(word) for word in tokens(question) if word not in STOPWORDS))


def _stems(values: Iterable[object]) -> Iterable[str]:
    for value in values:
        if isinstance(value, str):
            yield from (stem(word) for word in tokens(value.replace("_", " ")) if word not in STOPWORDS)
        elif isinstance(value, list):
            yield from _stems(value)  # pyright: ignore[reportUnknownArgumentType]
