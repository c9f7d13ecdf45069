"""Whether a question points back to what was spoken of before."""

import re

from pausepoint.vectors.text import fold

_PRONOUN = re.compile(
    r"\b(on|ona|ono|oni|one|jego|jej|ich|jemu|mu|nim|nia|niego|niej|nich|nimi|go|ja|tam|tego|tej|ten|ta|to|tym|ta sama|"
    r"he|she|it|they|him|her|his|hers|its|their|them|there|that|this|those|these)\b"
)
_LEAD = re.compile(r"^(a|i|and|but|also|ale|oraz|no to|what about|how about|co z|a co)\b")


def points_back(question: str) -> bool:
    """True for "A gdzie mieszka?" or "And who are her friends?": it needs the turn before."""
    text = fold(question)
    return bool(_PRONOUN.search(text) or _LEAD.match(text)) or len(text.split()) <= 3
