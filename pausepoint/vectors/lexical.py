"""Which points share words with a question: an in-memory index of stems that forgives inflection and typos.

For a question it gives each point's coverage, 0 to 1: the part of the question's words, weighted by how rare they
are, that the point has; in a name or title wholly, in the running text by `BODY`. Words that stand side by side in
the question count once more where they do so in the point, by `PAIRS`: "the White Hand" is not "the White Pans".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, product
from math import log
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pausepoint.vectors.fuzzy import Vocabulary
from pausepoint.vectors.stopwords import STOPWORDS
from pausepoint.vectors.text import SAME, stem, tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]
    Places = NDArray[np.int32]

Pair = tuple[str, str]
T = TypeVar("T", str, Pair)

NAMES = ("name", "title", "aliases", "source", "target", "label")
TEXTS = ("text", "content", "description", "reasoning")
BODY = 0.8
"""What a word in the running text counts, against one in a name, a title or a label."""
PAIRS = 0.5
"""What two neighbouring words count as such, against their own mean."""
UNKNOWN = 0.5
"""What a word of the question that no point has weighs, against one that a single point has."""
_MAX_WORDS = 64


@dataclass(frozen=True, slots=True)
class Words:
    """A point's stems, those in its names and those only in its text, and its neighbouring stems."""

    names: frozenset[str]
    texts: frozenset[str]
    pairs: frozenset[Pair]


def words_of(payload: Mapping[str, Any]) -> Words:
    """The point's stems by field; function words are left out, so that "Night of Lamps" has neighbours."""
    names = [content_stems(text) for key in NAMES for text in _texts(payload.get(key))]
    texts = [content_stems(text) for key in TEXTS for text in _texts(payload.get(key))]
    named = frozenset(chain.from_iterable(names))
    pairs = frozenset(pair for words in (*names, *texts) for pair in pairwise(words))
    return Words(named, frozenset(chain.from_iterable(texts)) - named, pairs)


def content_words(text: str) -> list[str]:
    """The text's folded words without function and question words; labels such as OWES_MONEY_TO are words."""
    return [word for word in tokens(text.replace("_", " ")) if word not in STOPWORDS]


def content_stems(text: str) -> list[str]:
    """The stems of the text's content words."""
    return [stem(word) for word in content_words(text)]


class LexicalIndex:
    """An immutable index of points in a fixed order; build it in a thread."""

    def __init__(self, points: Sequence[Words]) -> None:
        self.size = len(points)
        self._named = _postings(words.names for words in points)
        self._texts = _postings(words.texts for words in points)
        self._pairs = _postings(words.pairs for words in points)
        self._vocabulary = Vocabulary(self._named.keys() | self._texts.keys())

    def coverage(self, question: str) -> "Scores":
        """Each point's coverage of the question, 0 to 1; zeros for a question without content words."""
        import numpy as np

        words = content_words(question)[:_MAX_WORDS]
        similar = {word: self._vocabulary.similar(word) for word in words}
        rarity = {word: self._rarity(similar[word]) for word in similar}
        covered, total = np.zeros(self.size, np.float32), 0.0
        for word in similar:
            total += rarity[word]
            covered += rarity[word] * self._best(similar[word])
        for one, other in dict.fromkeys(pairwise(words)):
            weight = PAIRS * (rarity[one] + rarity[other]) / 2
            total += weight
            covered[self._beside(similar[one], similar[other])] += weight
        return covered / np.float32(total) if total else covered

    def _best(self, similar: Mapping[str, float]) -> "Scores":
        """What each point's best word among the similar ones counts."""
        import numpy as np

        best = np.zeros(self.size, np.float32)
        for postings, weight in ((self._texts, BODY), (self._named, 1.0)):
            for term in similar.keys() & postings.keys():
                places = postings[term]
                best[places] = np.maximum(best[places], np.float32(weight * similar[term]))
        return best

    def _beside(self, one: Mapping[str, float], other: Mapping[str, float]) -> "Places":
        """Points in which the two words, or typos of them, are neighbours."""
        import numpy as np

        pairs = product(_sure(one), _sure(other))
        found = [self._pairs[pair] for pair in pairs if pair in self._pairs]
        return np.unique(np.concatenate(found)) if found else np.zeros(0, np.int32)

    def _rarity(self, similar: Mapping[str, float]) -> float:
        """Inverse document frequency (as in BM25) of the word that the question's word most likely is."""
        if not similar:
            return UNKNOWN * log(1 + self.size)
        closest = max(similar.values())
        found = max(self._frequency(term) for term, likeness in similar.items() if likeness == closest)
        return log(1 + (self.size - found + 0.5) / (found + 0.5))

    def _frequency(self, term: str) -> int:
        return sum(len(postings.get(term, ())) for postings in (self._named, self._texts))


def _sure(similar: Mapping[str, float]) -> list[str]:
    return [term for term, likeness in similar.items() if likeness >= SAME]


def _postings(points: Iterable[frozenset[T]]) -> "dict[T, Places]":
    import numpy as np

    places: dict[T, list[int]] = {}
    for at, terms in enumerate(points):
        for term in terms:
            places.setdefault(term, []).append(at)
    return {term: np.asarray(found, np.int32) for term, found in places.items()}


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (each for each in cast("list[object]", value) if isinstance(each, str))
