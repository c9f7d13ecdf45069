"""Words made comparable: folded letters, light stems for Polish and English, and likeness of names.

The stemmer is for comparing, not for reading: it maps the cases of a name to one form ("Oldze", "Olgą" and "Olga" to
"olg"), by a list of endings and the consonant changes before them, with no dictionary but a few irregular nouns.
"""

import re
import unicodedata
from functools import lru_cache

SAME = 0.8
"""A `name_similarity` from here on means that the mention names it."""

_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "’": "'"})
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_PARTICLES = frozenset(
    _WORD.findall("a and de del der die el i im in la le na nad o of on pod przy the u von w we z za ze")
)
# Longest first, so that "Kowalskiego" loses "iego" and not just "o".
_ENDINGS = (
    *("iego", "iemu"),
    *("ami", "ach", "ego", "emu", "owi", "iej", "iem", "imi", "ymi", "ich", "ych", "ies"),
    *("om", "em", "ej", "im", "ym", "es", "ia", "ie", "io", "iu", "ii"),
    *("a", "e", "i", "o", "u", "y"),
)
_FLEETING = re.compile(r"i?e([klcr])$")
_IRREGULAR = {
    form: forms.split()[0]
    for forms in (
        "ksiaze ksiecia ksieciu ksieciem",
        "ojciec ojca ojcu ojcem ojcze ojcowi ojcow",
        "pies psa psu psem psi psy psow psom psami psach",
        "miasto miescie miast miasta miastu miastem",
        "wies wsi wsia wsie wsiom wsiami wsiach",
        "brat brata bratu bratem bracie bracia braci braciom",
        "lew lwa lwu lwem lwie lwy lwow lwami",
        "las lasu lasem lesie lasy lasow",
        "kosciol kosciele kosciola kosciolem kosciolowi",
        "reka rece reki reke rak rekami",
        "man men",
        "woman women",
        "wolf wolves",
        "thief thieves",
    )
    for form in forms.split()
}


def fold(text: str) -> str:
    """Lower case without diacritics: "Żółw" and "ZOLW" become "zolw"."""
    apart = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).translate(_LETTERS)


def tokens(text: str) -> list[str]:
    """Folded words and numbers in order, without the English possessive: "Adam's" is "adam"."""
    return [word.removesuffix("'s").replace("'", "") for word in _WORD.findall(fold(text))]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The form that a word's cases share, folded: "Adamowi", "Adamem" and "Adam" give "adam"."""
    folded = fold(word)
    if folded in _IRREGULAR:
        return _IRREGULAR[folded]
    if len(folded) < 3 or not folded.isalpha():
        return folded
    base, ending = _without_ending(folded)
    if base.endswith("iej") and len(base) > 5:
        base = base[:-3]
    if len(base) > 4 and base.endswith("s") and not base.endswith("ss"):
        base = base[:-1]
    return _alternation(_without_fleeting_e(base), ending)


def name_similarity(mention: str, name: str) -> float:
    """How surely a mention means a name, 0 to 1, whatever its case and small typos; `SAME` and up is a match.

    Every word of the mention must be found in the name; the name may have more ("Adama" names "Adam Nowak").
    """
    return _name_similarity(tuple(tokens(mention)), tuple(tokens(name)))


@lru_cache(maxsize=100_000)
def word_similarity(one: str, other: str) -> float:
    """Likeness of two folded words: 1 the same, 0.97 one stem, 0.86 a typo apart, below 0.75 different."""
    if one == other:
        return 1.0
    if not (one.isalpha() and other.isalpha()) or abs(len(one) - len(other)) > 6:
        return 0.0
    first, second = stem(one), stem(other)
    if first == second:
        return 0.97
    return max(stem_similarity(first, second), swapped(one, other))


def stem_similarity(one: str, other: str) -> float:
    """Likeness of two different stems: 0.82 and up for a probable typo, below 0.75 for another word."""
    if abs(len(one) - len(other)) > 2 or len(set(one) & set(other)) < 2:
        return 0.0
    return max(_typo_score(one, other), swapped(one, other))


def _without_ending(word: str) -> tuple[str, str]:
    for ending in _ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) >= _least(ending) and _may_go(base, ending):
            return base, ending
    return word, ""


def _least(ending: str) -> int:
    """Shortest base left by an ending: "Ewie" may become "ew", but "Lwem" not "lw"."""
    return 2 if len(ending) == 1 or (len(ending) == 2 and ending[0] == "i") else 3


def _may_go(base: str, ending: str) -> bool:
    """Keeps the last letters of names such as Joachim and Andrzej."""
    if ending == "im":
        return base[-1] in "kgn"
    if ending == "ej":
        return base[-1] not in "zi"
    if ending == "es":
        return len(base) > 3
    return True


def _without_fleeting_e(base: str) -> str:
    shorter = _FLEETING.sub(r"\1", base)
    return shorter if len(shorter) >= 3 else base


def _alternation(base: str, ending: str) -> str:
    """Undo what an ending does to the consonant before it: Marcie/Marta, Oldze/Olga, Ance/Anka, Piotrze/Piotr."""
    soft = ending == "ie"
    if len(base) < 3:
        return base
    if base.endswith("dz"):
        return base[:-2] + ("d" if soft else "g")
    if base.endswith("c"):
        return base[:-1] + ("t" if soft else "k")
    return base.removesuffix("z") if base.endswith("rz") else base


def _typo_score(one: str, other: str) -> float:
    shorter, longer = sorted((len(one), len(other)))
    distance, first, last = _edits(one, other)
    if distance == 1 and shorter >= 5:
        # A change in the first or last letters makes another word (Anna, Hanna; Nowak, Nowacki) more often than a typo.
        return 0.86 if first > 0 and last < shorter - 1 else 0.72
    if distance == 2 and shorter >= 8 and first > 0:
        return 0.82
    return 0.7 * max(0.0, 1 - distance / longer) if distance < 4 else 0.0


def swapped(one: str, other: str) -> float:
    """0.86 for two words of which neighbouring letters changed places ("Adma"), else 0."""
    same_letters = len(one) == len(other) > 3 and one[0] == other[0] and sorted(one) == sorted(other)
    return 0.86 if same_letters and _edits(one, other)[0] == 1 else 0.0


def _edits(one: str, other: str) -> tuple[int, int, int]:
    """Edit distance with transpositions, and the first and last place where the words differ."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    distance = _distance(one[start : len(one) - end], other[start : len(other) - end])
    return distance, start, max(len(one), len(other)) - end - 1


def _distance(one: str, other: str) -> int:
    """Optimal string alignment distance (Levenshtein with adjacent transpositions)."""
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, against in enumerate(other, 1):
            cost = min(rows[-1][j] + 1, row[j - 1] + 1, rows[-1][j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]


@lru_cache(maxsize=100_000)
def _name_similarity(mention: tuple[str, ...], name: tuple[str, ...]) -> float:
    if mention == name != ():
        return 1.0
    if not name or _PARTICLES.issuperset(mention):
        return 0.0
    if len(mention) != len(name) and "".join(mention) == "".join(name):
        return 0.95
    best = [max(((word_similarity(word, each), at) for at, each in enumerate(name))) for word in mention]
    weights = [_weight(word) for word in mention]
    found = sum(score * weight for (score, _), weight in zip(best, weights, strict=True)) / sum(weights)
    matched = {at for score, at in best if score >= SAME}
    covered = sum(_weight(name[at]) for at in matched) / sum(map(_weight, name))
    return found * (0.88 + 0.12 * covered)


def _weight(word: str) -> float:
    return 0.2 if word in _PARTICLES else 1.0
