"""Step `plan`: one of six actions, what to search for and how far, and what the question speaks of."""

from nodes.answers import used
from pausepoint.campaigns.lexicon import Candidate, Mention
from pausepoint.campaigns.view import CampaignView
from pausepoint.models.task import run_task
from pausepoint.services import Services, get_services
from prompts import planning
from prompts.clarification import question_back
from prompts.offline.outside import likeness
from prompts.offline.references import points_back
from state.assistant import AssistantState, Plan, Turn

MAX_CLARIFICATIONS = 2


async def plan(state: AssistantState) -> AssistantState:
    """Decide; the person's choice of an earlier clarification is kept."""
    services = await get_services()
    view = await services.view(state["campaign"])
    question, history = state["question"], state.get("history") or []
    chosen = (state.get("plan") or {}).get("focus") or []
    mentions = _mentions(question, view, chosen, history)
    rounds = state.get("clarification_rounds", 0)
    inputs = planning.PlanInputs(
        question=question,
        language=state["language"],
        campaign_name=view.campaign.name,
        campaign_description=view.campaign.description,
        categories=[c.id for c in view.campaign.categories],
        mentions=mentions,
        coverage=view.coverage(question) if state["language"] == view.campaign.language else None,
        inside=await _inside(services, view, question),
        outside=await likeness(question, services.embedder),
        history=history,
        may_clarify=not chosen and rounds < MAX_CLARIFICATIONS,
    )
    result = await run_task(planning.TASK, inputs, services.chat_model, services.model_options)
    draft = result.value
    message, options = question_back(question, state["language"], mentions, draft.message, draft.options)
    decided: Plan = {
        "action": draft.action,
        "reasoning": draft.reasoning,
        "search_text": _search_text(draft.parameters.artifact_search_query or question, mentions),
        "scope": draft.parameters.expected_cypher_scope,
        "focus": [m.candidates[0].id for m in mentions],
        "named": [c.id for m in mentions for c in m.candidates],
        "unknown": [] if mentions or inputs.coverage is None else view.unknown_names(question),
        "options": options,
        "message": message,
        "model": result.model,
    }
    if draft.action == "clarification_needed" and not inputs.may_clarify:
        decided["action"] = "combined_search"
    return {"plan": decided, "actions": ["planning"], "usage": used(state, "planning", result)}


async def _inside(services: Services, view: CampaignView, question: str) -> float:
    """Cosine of the question to the campaign's nearest text."""
    vector = (await services.embedder.embed_queries([question]))[0]
    hits = await services.vectors.search(services.collection(view.campaign.uuid), vector, limit=1)
    return hits[0].score if hits else 0.0


def _mentions(question: str, view: CampaignView, chosen: list[str], history: list[Turn]) -> list[Mention]:
    """What the question names; a choice made or the last turn's topic stands in where it names nothing."""
    found = view.lexicon.link(question)
    if chosen:
        settled = [m for m in found if not any(c.id in chosen for c in m.candidates)]
        return [*(_known(view, artifact) for artifact in chosen), *settled]
    if not found and history and points_back(question):
        return [_known(view, artifact) for artifact in history[-1]["focus"] if artifact in view.artifacts]
    return found


def _search_text(text: str, mentions: list[Mention]) -> str:
    """What to search for, with the topic's name where the question only points to it."""
    unsaid = [m.text for m in mentions if m.start == m.end]
    return " ".join([text, *unsaid])


def _known(view: CampaignView, artifact_id: str) -> Mention:
    artifact = view.artifacts[artifact_id]
    return Mention(artifact.name, 0, 0, (Candidate(artifact.id, artifact.name, artifact.type, 1.0),))
