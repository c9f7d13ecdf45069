"""The campaign's names, and which of them a question speaks of: inflected, misspelt, by first name or by alias."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log

from pausepoint.vectors.text import fold, name_similarity

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SAME_WORD = 0.8
"""Similarity from which a word of the question counts as a word of a name."""
_MISSPELT = 0.85
"""Similarity of a word with one slip to the name it was meant to be."""
_TIE = 0.06
"""Candidates this close to the best one count as equally meant."""
_SHORT = frozenset(
    _WORD.findall(
        "a an and at by de del der die el for from i in la las le les los na nad o od of on pod przy "
        "the to u w we z ze za jest sa kto co jak czy kim sie do dla ma mu go jego jej is are was who "
        "what how did does has his her "
    )
)


@dataclass(frozen=True)
class Candidate:
    """An artifact that a mention may mean; `score` 0 to 1."""

    id: str
    name: str
    type: str
    score: float


@dataclass(frozen=True)
class Mention:
    """A stretch of the question (words `start` to `end`, exclusive) that names something; best candidate first."""

    text: str
    start: int
    end: int
    candidates: tuple[Candidate, ...]

    @property
    def ambiguous(self) -> bool:
        """Whether it may as well mean another one."""
        return len(self.candidates) > 1


@dataclass(frozen=True)
class Named:
    """One artifact with all its names."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Form:
    owner: Named
    words: tuple[str, ...]
    alias: bool


@dataclass
class Lexicon:
    """An index of names, made once per version of a campaign."""

    forms: list[_Form]
    weights: dict[str, float]
    known: frozenset[str]
    """Words of the campaign's texts: none of them is a misspelt name."""
    _by_start: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _by_word: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, named: Iterable[Named], known: Iterable[str] = ()) -> "Lexicon":
        """Index the names and aliases of artifacts; `known` are the (folded) words of the campaign's texts."""
        forms = [
            _Form(item, words, position > 0)
            for item in named
            for position, text in enumerate((item.name, *item.aliases))
            if (words := tuple(_words(text)))
        ]
        owners: dict[str, set[str]] = defaultdict(set)
        for form in forms:
            for word in form.words:
                owners[word].add(form.owner.id)
        total = max(2, len({f.owner.id for f in forms}))
        weights = {
            word: (0.15 if word in _SHORT else 1.0) * (0.4 + log(1 + total / len(ids)))
            for word, ids in owners.items()
        }
        lexicon = cls(forms, weights, frozenset(known))
        for word in weights:
            lexicon._by_start[word[:2]].append(word)
        for at, form in enumerate(forms):
            for word in set(filter(_solid, form.words)):
                lexicon._by_word[word].append(at)
        return lexicon

    def link(self, question: str) -> list[Mention]:
        """Find the names in a question, longest and surest first for every stretch, in order of appearance."""
        raw = _WORD.findall(question)
        asked = [fold(w) for w in raw]
        matches = [self._similar_words(word) for word in asked]
        places: dict[str, list[int]] = defaultdict(list)
        for at, similar in enumerate(matches):
            for word in similar:
                places[word].append(at)
        near = sorted({form for word in places for form in self._by_word.get(word, ())})
        found: list[tuple[float, int, int, _Form]] = []
        for form in (self.forms[at] for at in near):
            starts = {at for word in form.words for at in places.get(word, ())}
            found.extend(_place(form, sorted(starts), matches, self.weights))
        return _resolve(found, raw)

    def _similar_words(self, word: str) -> dict[str, float]:
        """Name words like this word of the question, with their similarity."""
        if len(word) < 3 or word in _SHORT:
            return {word: 1.0} if word in self.weights else {}
        near = self._by_start.get(word[:2], [])
        if len(word) >= 5:
            near = [*near, *(w for w in self.weights if w[:2] != word[:2] and w[1:4] == word[1:4])]
        scored = {w: 1.0 if w == word else _similarity(word, w) for w in near}
        if word not in self.known:
            scored |= {w: _MISSPELT for w in near if scored[w] < _MISSPELT and one_slip(word, w)}
        return {w: s for w, s in scored.items() if s >= _SAME_WORD}


@lru_cache(maxsize=50_000)
def _similarity(word: str, other: str) -> float:
    if word.endswith("s") and word[:-1] == other:
        return 0.95
    return name_similarity(word, other)


def one_slip(word: str, other: str) -> bool:
    """Whether words of 5 letters or more differ by one insertion, deletion, substitution or swap of neighbours."""
    if min(len(word), len(other)) < 5 or abs(len(word) - len(other)) > 1 or word[0] != other[0]:
        return False
    start = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), None)
    if start is None:
        return word != other
    a, b = word[start:], other[start:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


def _words(text: str) -> list[str]:
    return [fold(word) for word in _WORD.findall(text)]


def _solid(word: str) -> bool:
    """Whether a word of a name can stand for it alone."""
    return word not in _SHORT and len(word) > 2


def _place(
    form: _Form, starts: Iterable[int], matches: Sequence[dict[str, float]], weights: dict[str, float]
) -> Iterable[tuple[float, int, int, _Form]]:
    """Where in the question a name stands, whole or in part, with a score; `starts` have one of its words."""
    total = sum(weights[w] for w in form.words)
    for start in starts:
        hits: dict[str, float] = {}
        end = start
        for at in range(start, min(len(matches), start + len(form.words) + 1)):
            best = max(
                (w for w in form.words if w in matches[at] and w not in hits),
                key=matches[at].__getitem__,
                default=None,
            )
            if best is None:
                continue
            hits[best] = matches[at][best]
            end = at + 1
        if not any(map(_solid, hits)):
            continue
        covered = sum(weights[w] for w in hits) / total
        sure = sum(weights[w] * s for w, s in hits.items()) / sum(weights[w] for w in hits)
        whole = len(hits) == len(form.words)
        score = sure * (1.0 if whole else 0.45 + 0.4 * covered) - (0.03 if form.alias and not whole else 0.0)
        if score >= 0.55:
            yield score, start, end, form


def _resolve(found: list[tuple[float, int, int, _Form]], raw: Sequence[str]) -> list[Mention]:
    taken: set[int] = set()
    mentions: list[Mention] = []
    for score, start, end, _ in sorted(found, key=lambda f: (-f[0] * _breadth(f), f[1])):
        span = set(range(start, end))
        if span & taken:
            continue
        mentions.append(_mention(score, start, end, found, raw))
        taken |= span
    return _merged(sorted(mentions, key=lambda m: m.start))


def _breadth(found: tuple[float, int, int, _Form]) -> float:
    """Longer stretches win over their parts."""
    return 1.0 + 0.25 * (found[2] - found[1] - 1)


def _mention(
    score: float, start: int, end: int, found: list[tuple[float, int, int, _Form]], raw: Sequence[str]
) -> Mention:
    best: dict[str, Candidate] = {}
    for other, at, to, form in found:
        if (at, to) != (start, end) or other < score - _TIE:
            continue
        known = best.get(form.owner.id)
        if known is None or known.score < other:
            best[form.owner.id] = Candidate(form.owner.id, form.owner.name, form.owner.type, round(other, 4))
    ranked = sorted(best.values(), key=lambda c: (-c.score, c.name))
    return Mention(" ".join(raw[start:end]), start, end, tuple(ranked))


def _merged(mentions: list[Mention]) -> list[Mention]:
    """One mention per meant thing: a name said twice counts once."""
    seen: set[str] = set()
    kept: list[Mention] = []
    for mention in mentions:
        first = mention.candidates[0].id
        if first not in seen:
            kept.append(mention)
            seen.add(first)
    return kept
