"""Which of the supported languages a short text is in, by its function words and letters."""

import re
from typing import Literal

Language = Literal["pl", "en", "de", "es"]

_WORDS: dict[Language, frozenset[str]] = {
    "pl": frozenset(
        ["a", "aby", "albo", "ale", "bo", "był", "była", "było", "były", "być", "co", "coś", "czego", "czemu", "czy", "czyj", "czyja", "czym", "dla", "dlaczego", "do", "ego", "gdy", "gdzie", "go", "i", "ich", "ile", "im", "ja", "jak", "jaka", "jaki", "jakich", "jakie", "jakim", "jako", "je", "jego", "jej", "jest", "jeśli", "już", "każdy", "kiedy", "kim", "kogo", "komu", "kto", "która", "które", "którego", "który", "którzy", "lub", "ma", "mają", "mi", "między", "mną", "mnie", "moje", "może", "na", "nad", "nam", "nami", "nas", "nie", "nią", "nich", "nim", "niż", "no", "o", "od", "on", "ona", "one", "oni", "ono", "oraz", "po", "pod", "przed", "przez", "przy", "są", "się", "skąd", "ta", "tak", "także", "tam", "te", "tego", "tej", "ten", "tę", "to", "tu", "ty", "tym", "u", "w", "we", "wie", "wiadomo", "wszystko", "wszystkie", "z", "za", "ze", "że", "opowiedz", "powiedz", "podaj", "pokaż", "opisz", "mamy", "zna", "ktoś", "jakas", "jakies", "ktora", "ktore", "ktory", "miedzy", "sie", "sa", "ze", "jesli", "dokad", "gdzies", "stalo"]
    ),
    "en": frozenset(
        ["a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "him", "his", "how", "i", "in", "into", "is", "it", "its", "me", "my", "not", "of", "on", "or", "our", "she", "should", "so", "some", "tell", "than", "that", "the", "their", "them", "then", "there", "they", "this", "those", "to", "up", "us", "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will", "with", "would", "you", "your", "give", "show", "list", "describe", "explain", "know", "happened"]
    ),
    "de": frozenset(
        ["aber", "als", "am", "an", "auf", "aus", "bei", "bin", "bist", "das", "dass", "dem", "den", "der", "des", "die", "du", "ein", "eine", "einem", "einen", "einer", "er", "es", "für", "hat", "hatte", "ich", "ihm", "ihn", "ihr", "im", "in", "ist", "kann", "mit", "nach", "nicht", "noch", "oder", "sie", "sind", "über", "um", "und", "uns", "von", "vor", "war", "waren", "warum", "was", "wann", "wem", "wen", "wer", "wie", "wir", "wird", "wo", "zu", "zum", "zur", "welche", "welcher"]
    ),
    "es": frozenset(
        ["al", "como", "con", "cuál", "cuáles", "cuándo", "de", "del", "dónde", "el", "ella", "ellos", "en", "entre", "era", "es", "eran", "ese", "esta", "está", "este", "ha", "hay", "la", "las", "le", "lo", "los", "más", "me", "mi", "no", "nos", "o", "para", "pero", "por", "porque", "qué", "que", "quién", "quiénes", "se", "ser", "si", "sin", "sobre", "son", "su", "sus", "un", "una", "y", "ya", "cual", "quien", "donde", "cuando", "cuentame"]
    ),
}
_LETTERS: dict[Language, str] = {"pl": "ąćęłńśźż", "de": "äöüß", "es": "ñ¿¡"}
_TOKEN = re.compile(r"[^\W\d_]+")


def detect_language(text: str, default: str = "en") -> str:
    """The language's ISO 639-1 code (pl, en, de, es), or `default` when nothing tells."""
    words = _TOKEN.findall(text.lower())
    scores = {
        language: sum(word in known for word in words)
        + 2.0 * any(letter in text.lower() for letter in _LETTERS.get(language, ""))
        for language, known in _WORDS.items()
    }
    best = max(scores, key=lambda language: (scores[language], language == default))
    return best if scores[best] > 0 else default
