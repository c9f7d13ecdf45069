"""The words of a collection that a word of a question may be: the same stem, a typo of it, or a relative."""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from pausepoint.vectors.text import SAME, stem, stem_similarity, swapped

_GRAM = 3
LIKE = 0.5
"""Share of letter triples from which two words count as relatives ("murder", "murderer")."""
RELATIVE = 0.8
"""What a relative counts, times that share, against the same word."""


class Vocabulary:
    """Stems, findable by letter triples."""

    def __init__(self, terms: Iterable[str]) -> None:
        self._terms = frozenset(terms)
        self._by_gram: dict[str, list[str]] = {}
        self._by_letters: dict[str, list[str]] = {}
        for term in sorted(self._terms):
            self._by_letters.setdefault(_letters(term), []).append(term)
            for gram in grams(term):
                self._by_gram.setdefault(gram, []).append(term)
        self.similar = lru_cache(maxsize=4096)(self._similar)

    def _similar(self, word: str) -> dict[str, float]:
        """Terms like the folded word, with their likeness 0 to 1."""
        own = stem(word)
        found = {term: score for term in self._near(own) if (score := likeness(own, term)) > 0}
        # Letters that changed places may have changed the ending ("nowka"), and so the stem.
        for term in self._by_letters.get(_letters(word), ()):
            found[term] = max(found.get(term, 0.0), swapped(word, term))
        if own in self._terms:
            found[own] = 1.0
        return {term: score for term, score in found.items() if score > 0}

    def _near(self, word: str) -> list[str]:
        """Terms that share at least a third of the word's triples: none other can be like it."""
        own = grams(word)
        shared = Counter(term for gram in own for term in self._by_gram.get(gram, ()))
        return [term for term, count in shared.items() if 3 * count >= len(own) and term != word]


@lru_cache(maxsize=50_000)
def grams(word: str) -> frozenset[str]:
    """The word's letter triples, its borders included."""
    padded = f"^{word}$"
    return frozenset(padded[at : at + _GRAM] for at in range(max(1, len(padded) - _GRAM + 1)))


def _letters(word: str) -> str:
    return "".join(sorted(word))


def likeness(one: str, other: str) -> float:
    """0 for unlike stems, else how much finding the other counts for the one."""
    typo = stem_similarity(one, other)
    if typo >= SAME:
        return typo
    first, second = grams(one), grams(other)
    share = 2 * len(first & second) / (len(first) + len(second))
    return RELATIVE * share if share >= LIKE and not one.isdigit() else 0.0
