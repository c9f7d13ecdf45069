"""Step `retrieve`: notes, artifacts and relations, ranked side by side in one pass with one embedding of the question."""

from collections.abc import Iterable, Mapping

from nodes.ranking import rank_notes, rank_relations
from pausepoint.campaigns.view import CampaignView, citable
from pausepoint.services import get_services
from pausepoint.vectors.hybrid import Scored
from state.assistant import AssistantState, Evidence, Plan

WANTED: dict[str, tuple[str, ...]] = {
    "search_notes": ("note",),
    "search_artifacts_then_graph": ("artifact", "relation", "note"),
    "search_relations_then_graph": ("relation", "artifact", "note"),
    "combined_search": ("note", "artifact", "relation"),
}
LIMITS = {"note": 8, "artifact": 5, "relation": 8}
LOOKED_AT = {"note": 300, "artifact": 20, "relation": 400}
"""Points ranked for the question: more than become evidence, since they rank the notes too."""
MIN_SCORE = 0.15
"""Below this nothing is evidence."""
PASSAGES = 2
"""Passages of one note that become evidence."""


async def retrieve(state: AssistantState) -> AssistantState:
    """Find evidence; what the question names comes first."""
    plan: Plan = state["plan"]  # type: ignore[assignment]
    actions = [*state["actions"], plan["action"]]
    if plan["unknown"]:
        return {"evidence": [], "actions": actions}
    services = await get_services()
    view = await services.view(state["campaign"])
    collection = services.collection(view.campaign.uuid)
    found = await services.hybrid.search_types(collection, plan["search_text"], LOOKED_AT)
    relations = rank_relations(found["relation"], view, set(plan["named"]))
    notes = rank_notes(state["question"], found, relations, view)
    groups = {
        "note": _notes(found["note"], notes),
        "artifact": _artifacts(found["artifact"], view, plan["focus"]),
        "relation": _relations(found["relation"], relations, view, plan["focus"]),
    }
    order = {note: place for place, note in enumerate(notes)}
    evidence = [_ordered(e, order) for kind in WANTED[plan["action"]] for e in groups[kind]]
    return {"evidence": evidence, "actions": actions}


def _notes(hits: Iterable[Scored], notes: Mapping[str, float]) -> list[Evidence]:
    """The best passages of the best notes."""
    passages: dict[str, list[Scored]] = {}
    for hit in hits:
        passages.setdefault(hit.payload["note_id"], []).append(hit)
    best = [note for note, score in notes.items() if score >= MIN_SCORE and note in passages]
    chosen = [hit for note in best[: LIMITS["note"]] for hit in passages[note][:PASSAGES]]
    return [_note(hit, notes[hit.payload["note_id"]]) for hit in chosen[: LIMITS["note"]]]


def _note(hit: Scored, score: float) -> Evidence:
    about = hit.payload
    return {
        "id": hit.id,
        "type": "note",
        "score": round(score, 4),
        "title": citable(about["title"]),
        "text": about["content"],
        "note_ids": [about["note_id"]],
        "payload": {
            "note_id": about["note_id"],
            "chunk": about.get("chunk", 0),
            "match": round(hit.score, 4),
        },
    }


def _artifacts(hits: Iterable[Scored], view: CampaignView, focus: list[str]) -> list[Evidence]:
    scores = {h.payload["artifact_id"]: h.score for h in hits if h.score >= MIN_SCORE}
    wanted = [*(a for a in focus if a in view.artifacts), *(a for a in scores if a not in focus)]
    wanted = wanted[: max(len(focus), 3) if focus else LIMITS["artifact"]]
    return [_artifact(view, a, scores.get(a, MIN_SCORE)) for a in wanted if a in view.artifacts]


def _artifact(view: CampaignView, artifact_id: str, score: float) -> Evidence:
    about = view.artifacts[artifact_id]
    return {
        "id": about.id,
        "type": "artifact",
        "score": round(score, 4),
        "title": about.name,
        "text": f"{about.name}: {about.description}",
        "note_ids": list(about.note_ids),
        "payload": {
            "artifact_id": about.id,
            "name": about.name,
            "artifact_type": about.type,
            "description": about.description,
        },
    }


def _relations(
    hits: Iterable[Scored], scores: Mapping[str, float], view: CampaignView, focus: list[str]
) -> list[Evidence]:
    """The best relations; of named things only theirs, and of two named things those between them."""
    match = {h.payload["relationship_id"]: h.score for h in hits}
    ends = {r.id: sum(end in focus for end in (r.source, r.target)) for r in view.relations.values()}
    near = [r for r in scores if ends[r] and focus]
    both = [r for r in near if ends[r] == 2] if len(focus) > 1 else []
    loose = [r for r in scores if match.get(r, 0.0) >= MIN_SCORE]
    chosen = (both or near or loose)[: LIMITS["relation"]]
    return [_relation(view, r, scores[r], match.get(r, 0.0)) for r in chosen]


def _relation(view: CampaignView, relation_id: str, score: float, match: float) -> Evidence:
    about = view.relations[relation_id]
    source = view.artifacts[about.source].name if about.source in view.artifacts else ""
    target = view.artifacts[about.target].name if about.target in view.artifacts else ""
    return {
        "id": about.id,
        "type": "relation",
        "score": round(score, 4),
        "title": f"{source} {about.label} {target}",
        "text": f"{source} {about.label} {target}: {about.description}",
        "note_ids": list(about.note_ids),
        "payload": {
            "relationship_id": about.id,
            "source": source,
            "target": target,
            "source_id": about.source,
            "target_id": about.target,
            "label": about.label,
            "description": about.description,
            "match": round(match, 4),
        },
    }


def _ordered(found: Evidence, order: Mapping[str, int]) -> Evidence:
    """The note that answers best is cited first."""
    return {**found, "note_ids": sorted(found["note_ids"], key=lambda n: order.get(n, len(order)))}
