"""Which of the supported languages a short text is in, by its function words and letters."""

import re
from functools import cache
from importlib.resources import files
from typing import Literal

Language = Literal["pl", "en", "de", "es"]

_LETTERS: dict[str, str] = {"pl": "ąćęłńśźż", "de": "äöüß", "es": "ñ¿¡"}
_TOKEN = re.compile(r"[^\W\d_]+")


@cache
def _words() -> dict[str, frozenset[str]]:
    """Function words by language (function_words.txt: lines of a language and some of its words)."""
    found: dict[str, list[str]] = {}
    for line in (files("pausepoint") / "function_words.txt").read_text("utf-8").splitlines():
        language, _, words = line.partition(":")
        found.setdefault(language, []).extend(words.split())
    return {language: frozenset(words) for language, words in found.items()}


@cache
def function_words() -> frozenset[str]:
    """The function words of all languages, also as they look without diacritics."""
    from pausepoint.vectors.text import fold

    every = {word for words in _words().values() for word in words}
    return frozenset(every | {fold(word) for word in every})


def detect_language(text: str, default: str = "en") -> str:
    """The language's ISO 639-1 code (pl, en, de, es), or `default` when nothing tells."""
    words = _TOKEN.findall(text.lower())
    scores = {
        language: sum(word in known for word in words)
        + 2.0 * any(letter in text.lower() for letter in _LETTERS.get(language, ""))
        for language, known in _words().items()
    }
    best = max(scores, key=lambda language: (scores[language], language == default))
    return best if scores[best] > 0 else default
