"""Offline planning: ordered rules over cues in the question and the campaign's names found in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pausepoint.campaigns.lexicon import Mention, one_slip
from pausepoint.vectors.text import fold
from prompts.offline import cues
from state.assistant import Action, Scope

KNOWN = 0.5
"""Share of the question's own words that the campaign must know, for a question without names that is ..."""
STRANGE = 0.27
"""... like nothing in the campaign (cosine to its nearest text)."""
WHOLE = 0.85
"""Score of a mention from which the whole name was said."""
OUTSIDE = 0.42
"""Cosine to an example from which a question is like what no campaign answers, ..."""
MARGIN = 0.15
"""... if it is so much less like the campaign."""


@dataclass(frozen=True)
class Decision:
    """The rule that spoke."""

    action: Action
    reasoning: str
    scope: Scope = "relationships"


@dataclass(frozen=True)
class _Question:
    """What the rules look at; `text` is folded."""

    text: str
    mentions: Sequence[Mention]
    content: list[str]
    coverage: float | None
    inside: float
    outside: float
    has_history: bool

    def has(self, pattern: re.Pattern[str]) -> bool:
        return pattern.search(self.text) is not None

    @property
    def names(self) -> int:
        return len(self.mentions)

    @property
    def solid(self) -> int:
        """Names that are surely meant as such: whole, capitalised, or of a person."""
        return sum(
            m.candidates[0].score >= WHOLE or m.text[:1].isupper() or m.candidates[0].type == "characters"
            for m in self.mentions
        )

    @property
    def scope(self) -> Scope:
        if self.has(cues.SUBGRAPH) or self.has(cues.EVERYTHING):
            return "full_subgraph"
        if self.has(cues.DETAILS) and not self.has(cues.RELATIONS):
            return "node_details"
        return "relationships"


def decide(
    *,
    question: str,
    language: str,
    mentions: Sequence[Mention],
    coverage: float | None,
    has_history: bool,
    may_clarify: bool,
    inside: float = 1.0,
    outside: float = 0.0,
) -> Decision:
    """Pick an action.

    Args:
        question: as typed.
        language: ISO 639-1 code of the question.
        mentions: the campaign's names found in it.
        coverage: share (0 to 1) of the question's own words that the campaign's texts know; None when the question
            is in another language than the campaign.
        inside: cosine of the question to the campaign's nearest text.
        outside: cosine to the nearest example of a question that no campaign answers.
        has_history: whether an earlier turn can explain pronouns.
        may_clarify: False once the person has been asked.
    """
    asked = _read(question, mentions, coverage, inside, outside, has_history)
    told = _told_outside(asked)
    if told:
        return told
    unclear = _ambiguous(asked) or _vague(asked)
    if unclear and may_clarify:
        return unclear
    if may_clarify and _pointing(asked, language):
        return Decision("clarification_needed", "It points to something that was not named.")
    return _like_outside(asked) or _search(asked)


def _read(
    question: str,
    mentions: Sequence[Mention],
    coverage: float | None,
    inside: float,
    outside: float,
    has_history: bool,
) -> _Question:
    text = _mend(" ".join(re.findall(r"[\w&'+*/^-]+", fold(question))))
    named = {word for m in mentions for word in fold(m.text).split()}
    words = re.findall(r"[^\W\d_]+", text)
    rest = [w for w in words if w not in named]
    content = [
        w for w in rest if w not in cues.FUNCTION_WORDS and not cues.GENERIC_WORDS.match(w) and len(w) > 1
    ]
    return _Question(text, mentions, content, coverage, inside, outside, has_history)


def _told_outside(asked: _Question) -> Decision | None:
    if asked.has(cues.RULES):
        return Decision("out_of_scope", "It asks about rules of play, not about the campaign.")
    if asked.has(cues.WORLD) and not (asked.solid and asked.outside < asked.inside + MARGIN):
        return Decision("out_of_scope", "It asks about the world outside the campaign.")
    if asked.has(cues.CREATIVE):
        return Decision("out_of_scope", "It asks to make something up, not about the campaign's data.")
    return None


def _like_outside(asked: _Question) -> Decision | None:
    """By likeness: to what no campaign answers, or to nothing in this one."""
    recalls = asked.has(cues.SESSION) and (asked.has(cues.WHAT_HAPPENED) or asked.has(cues.SUMMARY))
    if not asked.solid and (recalls or not asked.content):
        return None
    sure = 2 if asked.solid else 1
    if asked.outside >= OUTSIDE + MARGIN * (sure - 1) and asked.outside - asked.inside >= MARGIN * sure:
        return Decision("out_of_scope", f"It is like what no campaign answers ({asked.outside:.2f}).")
    if asked.names or not asked.content:
        return None
    if asked.coverage is None:
        return None
    alien = asked.inside < STRANGE / 2 and asked.coverage < 1
    if alien or (asked.inside < STRANGE and asked.coverage < KNOWN):
        return Decision("out_of_scope", f"Nothing in the campaign is like it ({asked.inside:.2f}).")
    return None


def _ambiguous(asked: _Question) -> Decision | None:
    several = [m for m in asked.mentions if m.ambiguous]
    if not (several and asked.names == len(several) == 1 and len(asked.content) <= 2):
        return None
    if asked.has(cues.SEVERAL) or asked.has(cues.WHY_HOW_WHEN) or asked.has(cues.WHAT_HAPPENED):
        return None
    names = ", ".join(c.name for c in several[0].candidates[:4])
    return Decision("clarification_needed", f"{several[0].text!r} fits several: {names}.")


def _vague(asked: _Question) -> Decision | None:
    if asked.names or asked.content or asked.has_history:
        return None
    if asked.has(cues.SUMMARY) or (asked.has(cues.SESSION) and asked.has(cues.WHAT_HAPPENED)):
        return None
    return Decision("clarification_needed", "It names nothing that could be looked for.")


def _pointing(asked: _Question, language: str) -> bool:
    """Whether "he" or "that one" is all there is to go by."""
    if asked.names or asked.has_history or asked.outside > OUTSIDE + MARGIN:
        return False
    if not asked.has(cues.SOMEBODY.get(language, cues.SOMEBODY["en"])):
        return False
    strange = asked.coverage is not None and asked.coverage < 1 and asked.inside < STRANGE
    return len(asked.content) <= (2 if strange else 1)


def _search(asked: _Question) -> Decision:
    for rule in (_combined, _between, _happened, _relative, _thing):
        decision = rule(asked)
        if decision:
            return decision
    return Decision("search_notes", "It asks about something without naming it.")


def _combined(asked: _Question) -> Decision | None:
    if asked.has(cues.COMPARE) or asked.has(cues.SUMMARY):
        return Decision("combined_search", "A comparison or summary needs several sources.", "full_subgraph")
    several = asked.names >= 2 or (asked.names == 0 and len(asked.content) >= 1)
    if asked.has(cues.EVERYTHING) and several:
        return Decision("combined_search", "It wants everything about several things.", "full_subgraph")
    if asked.has(cues.AND_ALSO) and (asked.names >= 2 or asked.has(cues.ABOUT)):
        return Decision("combined_search", "It asks for several things at once.", "full_subgraph")
    return None


def _between(asked: _Question) -> Decision | None:
    if asked.has(cues.WHAT_HAPPENED) or re.search(
        r"\b(dlaczego|czemu|why|how did|when did|kiedy)\b", asked.text
    ):
        return None
    if asked.solid >= 2:
        return Decision(
            "search_relations_then_graph", "It names several things and asks what is between them."
        )
    if asked.has(cues.BETWEEN) and asked.names:
        return Decision("search_relations_then_graph", "It asks for a connection.")
    return None


def _happened(asked: _Question) -> Decision | None:
    if asked.has(cues.WHAT_HAPPENED) or asked.has(cues.WHY_HOW_WHEN) or asked.has(cues.SESSION):
        return Decision("search_notes", "It asks what happened, why, how or when.")
    return None


def _relative(asked: _Question) -> Decision | None:
    if not asked.has(cues.WHO) or (asked.has(cues.WHO_IS) and not asked.has(cues.KIN)):
        return None
    if asked.names and (asked.content or asked.has(cues.KIN)):
        return Decision("search_relations_then_graph", "It asks who stands in a relation to something.")
    if asked.content:
        return Decision("search_relations_then_graph", "It asks who did something to something.")
    return None


def _thing(asked: _Question) -> Decision | None:
    if asked.names:
        return Decision("search_artifacts_then_graph", "It asks about something it names.", asked.scope)
    if asked.has(cues.CATEGORY) or asked.has(cues.WHO_IS) or asked.has(cues.PLACE_OR_OWNER):
        return Decision(
            "search_artifacts_then_graph", "It asks for a character, place, item or event.", asked.scope
        )
    return None


def _mend(text: str) -> str:
    """Correct one slip in a word that is nearly a cue word."""
    return " ".join(_mended(word) for word in text.split())


def _mended(word: str) -> str:
    if len(word) < 5 or word in _CUES:
        return word
    return next((cue for cue in cues.CUE_WORDS if one_slip(word, cue)), word)


_CUES = frozenset(cues.CUE_WORDS)
