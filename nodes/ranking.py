"""Which note answers best: its own passages, and the artifacts and relations that were drawn from it.

A note scores what its best passage scores, plus shares of the best relation and the best artifact that it backs: a
relation between two people who are named points to the one note that tells of it, whatever words that note uses.
The shares were chosen on 157 labelled questions of four campaigns, on a plateau (docs/search.md).
"""

from collections.abc import Iterable, Mapping

from pausepoint.campaigns.view import CampaignView
from pausepoint.vectors.hybrid import Scored
from pausepoint.vectors.text import fold
from prompts.offline.cues import NOW

RELATION_SHARE = 0.22
ARTIFACT_SHARE = 0.7
LATEST_BONUS = 0.2
"""For the latest note when it is asked how things are now; earlier ones get less."""
NAMED_BONUS = 0.4
"""Added to a relation for each of its ends that the question names."""
VOTERS = {"relation": 10, "artifact": 8}


def rank_relations(hits: Iterable[Scored], view: CampaignView, named: set[str]) -> dict[str, float]:
    """Every relation's score: how well it fits, and how many of its ends are named; best first."""
    match = {hit.payload["relationship_id"]: hit.score for hit in hits}
    scores = {
        r.id: match.get(r.id, 0.0) + NAMED_BONUS * sum(end in named for end in (r.source, r.target))
        for r in view.relations.values()
    }
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def rank_notes(
    question: str, found: Mapping[str, list[Scored]], relations: Mapping[str, float], view: CampaignView
) -> dict[str, float]:
    """Every note's score for the question, best first.

    Args:
        question: as asked.
        found: ranked points by type: note, artifact, relation.
        relations: scores of `rank_relations`.
        view: the campaign.
    """
    passages = _best((h.payload["note_id"], h.score) for h in found.get("note", []))
    told = _best(
        (note, score)
        for relation, score in list(relations.items())[: VOTERS["relation"]]
        for note in view.relations[relation].note_ids
    )
    shown = _best(
        (note, hit.score)
        for hit in found.get("artifact", [])[: VOTERS["artifact"]]
        for note in view.artifacts[hit.payload["artifact_id"]].note_ids
    )
    latest = _recency(view.dates) if NOW.search(fold(question)) else {}
    scores = {
        note: passages.get(note, 0.0)
        + RELATION_SHARE * told.get(note, 0.0)
        + ARTIFACT_SHARE * shown.get(note, 0.0)
        + LATEST_BONUS * latest.get(note, 0.0)
        for note in view.titles
    }
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def _best(scores: Iterable[tuple[str, float]]) -> dict[str, float]:
    best: dict[str, float] = {}
    for key, score in scores:
        best[key] = max(score, best.get(key, 0.0))
    return best


def _recency(dates: Mapping[str, str]) -> dict[str, float]:
    """0 for the oldest date, 1 for the latest."""
    days = sorted(set(dates.values()))
    return {note: days.index(day) / max(1, len(days) - 1) for note, day in dates.items()}
