"""A campaign in memory for reading: its names, titles and words, made once per version from the vector store."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pausepoint.campaigns.ids import relationship_type
from pausepoint.campaigns.lexicon import Lexicon, Named
from pausepoint.campaigns.model import Artifact, Campaign, Relation
from pausepoint.language import function_words
from pausepoint.vectors.port import Hit
from pausepoint.vectors.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"(?<=[^\W\d_] )(?:[A-ZĄĆĘŁŃÓŚŹŻÄÖÜÁÉÍÑ][^\W\d_]{3,})")


@dataclass(frozen=True)
class CampaignView:
    """What planning and retrieval need at hand; `version` tells which state of the campaign it shows."""

    campaign: Campaign
    label: str
    version: int
    artifacts: dict[str, Artifact]
    relations: dict[str, Relation]
    titles: dict[str, str]
    dates: dict[str, str]
    """Note id to its ISO date; notes without one are not in it."""
    lexicon: Lexicon
    vocabulary: frozenset[str]

    @cached_property
    def relation_labels(self) -> list[str]:
        """Every label in use, sorted."""
        return sorted({r.label for r in self.relations.values()})

    @cached_property
    def relation_types(self) -> list[str]:
        """Every label as the graph's relationship type, sorted."""
        return sorted({relationship_type(r.label) for r in self.relations.values()})

    def coverage(self, question: str) -> float:
        """Share (0 to 1) of the question's own words that occur in the campaign; 1 when it has none."""
        stems = {
            word_key(w) for w in _WORD.findall(fold(question)) if len(w) > 2 and w not in function_words()
        }
        return len(stems & self.vocabulary) / len(stems) if stems else 1.0

    def unknown_names(self, question: str) -> list[str]:
        """Capitalised words within a sentence that the campaign's texts never use: names of something else."""
        return [
            word
            for word in _NAME.findall(question)
            if word_key(fold(word)) not in self.vocabulary and not self.lexicon.link(word)
        ]


def word_key(word: str) -> str:
    """What inflection mostly leaves of a folded word."""
    return word[: max(3, len(word) - 2)][:5]


def build_view(campaign: Campaign, label: str, version: int, hits: "Iterable[Hit]") -> CampaignView:
    """Make a view from every point of the campaign's collection."""
    artifacts: dict[str, Artifact] = {}
    relations: dict[str, Relation] = {}
    titles: dict[str, str] = {}
    dates: dict[str, str] = {}
    words: set[str] = set()
    for hit in hits:
        about = hit.payload
        words.update(_WORD.findall(fold(about.get("text") or "")))
        match about["type"]:
            case "note":
                titles[about["note_id"]] = citable(about["title"])
                if about.get("created_at"):
                    dates[about["note_id"]] = about["created_at"]
                words.update(_WORD.findall(fold(about["title"])))
            case "artifact":
                artifacts[about["artifact_id"]] = _artifact(about)
            case _:
                relations[about["relationship_id"]] = _relation(about)
    named = [Named(a.id, a.name, a.type, a.aliases) for a in artifacts.values()]
    return CampaignView(
        campaign,
        label,
        version,
        artifacts,
        relations,
        titles,
        dates,
        Lexicon.of(named, words),
        frozenset(word_key(w) for w in words if len(w) > 2),
    )


def citable(title: str) -> str:
    """A title as it stands inside a citation's brackets."""
    return " ".join(title.replace("[", "(").replace("]", ")").split())


def _artifact(about: dict[str, Any]) -> Artifact:
    return Artifact(
        id=about["artifact_id"],
        name=about["name"],
        type=about["artifact_type"],
        description=about.get("description") or "",
        aliases=tuple(about.get("aliases") or ()),
        note_ids=tuple(about.get("note_ids") or ()),
    )


def _relation(about: dict[str, Any]) -> Relation:
    return Relation(
        id=about["relationship_id"],
        source=about["source_id"],
        target=about["target_id"],
        label=about["label"],
        description=about.get("description") or "",
        reasoning=about.get("reasoning") or "",
        note_ids=tuple(about.get("note_ids") or ()),
    )
