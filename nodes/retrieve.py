"""Step `retrieve`: notes, artifacts and relations, ranked side by side in one pass with one embedding of the question."""

from collections.abc import Iterable

from pausepoint.campaigns.view import CampaignView, citable
from pausepoint.services import Services, get_services
from pausepoint.vectors.hybrid import Scored
from pausepoint.vectors.text import fold
from prompts.offline.cues import NOW
from state.assistant import AssistantState, Evidence, Plan

WANTED: dict[str, tuple[str, ...]] = {
    "search_notes": ("note",),
    "search_artifacts_then_graph": ("artifact", "relation", "note"),
    "search_relations_then_graph": ("relation", "artifact", "note"),
    "combined_search": ("note", "artifact", "relation"),
}
LIMITS = {"note": 8, "artifact": 5, "relation": 8}
LOOKED_AT = {"note": 60, "artifact": 20, "relation": 200}
"""Points ranked for the question: more than are evidence, since they order what the question names."""
NAMED_BONUS = 0.5
"""Added to a relation's score for each of its ends that the question names."""
MIN_SCORE = 0.15
"""Below this nothing is evidence."""


async def retrieve(state: AssistantState) -> AssistantState:
    """Find evidence; what the question names comes first."""
    plan: Plan = state["plan"]  # type: ignore[assignment]
    services = await get_services()
    view = await services.view(state["campaign"])
    kinds = WANTED[plan["action"]]
    found = await _search(services, view, plan, state["question"], kinds)
    ranked = _notes(found.get("note", []))
    notes = ranked[: LIMITS["note"]]
    order = _note_order(ranked, view, state["question"])
    artifacts = _artifacts(found.get("artifact", []), view, plan["focus"]) if "artifact" in kinds else []
    relations = _relations(found.get("relation", []), view, plan["focus"]) if "relation" in kinds else []
    groups = {"note": notes, "artifact": artifacts, "relation": relations}
    evidence = [_reordered(e, order) for kind in kinds for e in groups[kind]]
    return {"evidence": evidence, "actions": [*state["actions"], plan["action"]]}


async def _search(
    services: Services, view: CampaignView, plan: Plan, question: str, kinds: Iterable[str]
) -> dict[str, list[Scored]]:
    text = _search_text(plan, question, view)
    collection = services.collection(view.campaign.uuid)
    return await services.hybrid.search_types(collection, text, {kind: LOOKED_AT[kind] for kind in kinds})


def _search_text(plan: Plan, question: str, view: CampaignView) -> str:
    """The question, with the topic's name where it only points back to it."""
    missing = [view.artifacts[a].name for a in plan["focus"][:2] if a in view.artifacts]
    text = plan["search_text"] or question
    return " ".join([text, *(name for name in missing if name.split()[0][:4].lower() not in text.lower())])


def _notes(hits: Iterable[Scored]) -> list[Evidence]:
    return [
        {
            "id": hit.id,
            "type": "note",
            "score": round(hit.score, 4),
            "title": citable(hit.payload["title"]),
            "text": hit.payload["content"],
            "note_ids": [hit.payload["note_id"]],
            "payload": {"note_id": hit.payload["note_id"], "chunk": hit.payload.get("chunk", 0)},
        }
        for hit in hits
        if hit.score >= MIN_SCORE
    ]


def _artifacts(hits: Iterable[Scored], view: CampaignView, focus: list[str]) -> list[Evidence]:
    scores = {h.payload["artifact_id"]: h.score for h in hits if h.score >= MIN_SCORE}
    wanted = [*(a for a in focus if a in view.artifacts), *(a for a in scores if a not in focus)]
    wanted = wanted[: max(len(focus), 3) if focus else LIMITS["artifact"]]
    return [_artifact(view, a, scores.get(a, MIN_SCORE)) for a in wanted if a in view.artifacts]


def _artifact(view: CampaignView, artifact_id: str, score: float) -> Evidence:
    about = view.artifacts[artifact_id]
    payload = {
        "artifact_id": about.id,
        "name": about.name,
        "artifact_type": about.type,
        "description": about.description,
    }
    return {
        "id": about.id,
        "type": "artifact",
        "score": round(score, 4),
        "title": about.name,
        "text": f"{about.name}: {about.description}",
        "note_ids": list(about.note_ids),
        "payload": payload,
    }


def _relations(hits: Iterable[Scored], view: CampaignView, focus: list[str]) -> list[Evidence]:
    found = {h.payload["relationship_id"]: h.score for h in hits}
    scores = {r: s for r, s in found.items() if s >= MIN_SCORE}
    if focus:
        named = {r.id: sum(end in focus for end in (r.source, r.target)) for r in view.relations.values()}
        near = {r: found.get(r, 0.0) + NAMED_BONUS * n for r, n in named.items() if n}
        both = {r: s for r, s in near.items() if named[r] == 2}
        scores = both if len(focus) > 1 and both else near or scores
    best = sorted(scores, key=lambda r: -scores[r])[: LIMITS["relation"]]
    return [_relation(view, r, scores[r], found.get(r, 0.0)) for r in best if r in view.relations]


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


def _note_order(ranked: list[Evidence], view: CampaignView, question: str) -> dict[str, float]:
    """Smaller is better: by how well a note answers, or the latest first when it is asked how things are now."""
    if NOW.search(fold(question)):
        latest = sorted(view.dates, key=view.dates.__getitem__, reverse=True)
        return {note: float(place) for place, note in enumerate(latest)}
    order: dict[str, float] = {}
    for place, found in enumerate(ranked):
        order.setdefault(found["note_ids"][0], float(place))
    return order


def _reordered(found: Evidence, order: dict[str, float]) -> Evidence:
    """The note that answers best is cited first."""
    ordered = sorted(found["note_ids"], key=lambda n: order.get(n, float("inf")))
    return {**found, "note_ids": ordered}
