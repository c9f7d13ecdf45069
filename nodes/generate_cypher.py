"""Step `generate_cypher`: a query for what was found; what the guard or the database refused comes back here."""

from nodes.answers import used
from pausepoint.campaigns.view import CampaignView
from pausepoint.models.task import run_task
from pausepoint.services import get_services
from prompts import cypher_generation
from state.assistant import AssistantState, Cypher, Evidence, Plan

MAX_REPAIRS = 2
FOCUS = 4
"""Artifacts or relations that a query starts from, at most."""


async def generate_cypher(state: AssistantState) -> AssistantState:
    """Write the query: by the model, or from a template when there is none."""
    services = await get_services()
    view = await services.view(state["campaign"])
    last = state.get("cypher")
    inputs = _inputs(state, view, last)
    model = services.chat_model if last is None or last["source"] == "model" else None
    result = await run_task(cypher_generation.TASK, inputs, model, services.model_options)
    cypher: Cypher = {
        "query": result.value.cypher_query,
        "params": dict(inputs.params),
        "reasoning": result.value.reasoning,
        "attempt": (last["attempt"] if last else 0) + 1,
        "error": None,
        "source": "template" if result.model == "offline" else "model",
    }
    return {"cypher": cypher, "usage": used(state, "cypher-generation", result)}


def _inputs(state: AssistantState, view: CampaignView, last: Cypher | None) -> cypher_generation.CypherInputs:
    plan: Plan = state["plan"]  # type: ignore[assignment]
    kind, focus, names = _focus(plan, state["evidence"])
    return cypher_generation.CypherInputs(
        question=state["question"],
        kind=kind,
        focus=focus,
        focus_names=names,
        campaign_label=view.label,
        scope=plan["scope"],
        relation_types=view.relation_types,
        problem=(last["error"] or "") if last else "",
        previous=last["query"] if last else "",
    )


def _focus(plan: Plan, evidence: list[Evidence]) -> tuple[str, list[str], list[str]]:
    """What the query starts from: the found relations, else the named or best artifact."""
    relations = [e for e in evidence if e["type"] == "relation"]
    artifacts = [e for e in evidence if e["type"] == "artifact"]
    if relations and plan["action"] == "search_relations_then_graph":
        return "relation", [e["id"] for e in relations], [e["title"] for e in relations]
    wanted = [e for e in artifacts if e["id"] in plan["focus"]][:FOCUS] or artifacts[:1]
    if not wanted:
        return "relation", [e["id"] for e in relations], [e["title"] for e in relations]
    return "artifact", [e["id"] for e in wanted], [e["title"] for e in wanted]
