"""Step `prepare`: forget the last question's work, find the campaign, answer from the cache when it can."""

from typing import cast

from langgraph.runtime import Runtime

from nodes.answers import campaign_of, context_of, empty_answer, fail
from pausepoint.campaigns.resolve import NoSuchCampaign, resolve_campaign
from pausepoint.language import detect_language
from pausepoint.services import get_services
from state.assistant import MAX_QUESTION, Answer, AssistantContext, AssistantState

_EMPTY = {
    "pl": "w kampanii „{name}” nie ma jeszcze notatek. Wczytaj je: pausepoint load campaign FOLDER.",
    "en": "the campaign “{name}” has no notes yet. Load some: pausepoint load campaign DIR.",
}


async def prepare(state: AssistantState, runtime: Runtime[AssistantContext]) -> AssistantState:
    """Reset what belongs to one question; a bad question or campaign becomes an answer that says so."""
    question = str(state.get("question") or "").strip()
    fresh: AssistantState = {
        "question": question,
        "asked": question,
        "plan": None,
        "clarification": None,
        "clarification_errors": [],
        "clarification_rounds": 0,
        "evidence": [],
        "cypher": None,
        "graph": None,
        "actions": [],
        "cached": False,
        "usage": [],
        "revision": 0,
        "answer": empty_answer(),
        "language": detect_language(question),
    }
    if not question:
        return {**fresh, "answer": fail("invalid_query", "en", "Ask something: `question` is empty.")}
    if len(question) > MAX_QUESTION:
        said = f"`question` has {len(question)} characters; at most {MAX_QUESTION} are allowed."
        return {**fresh, "answer": fail("invalid_query", "en", said)}
    services = await get_services()
    try:
        row = await resolve_campaign(services.campaigns, campaign_of(state, runtime))
    except NoSuchCampaign as error:
        return {**fresh, "answer": fail("unknown_campaign", "en", str(error))}
    fresh["campaign"] = row.uuid
    fresh["language"] = detect_language(question, row.campaign.language)
    view = await services.view(row.uuid)
    if not view.titles and not view.artifacts:
        said = _EMPTY.get(fresh["language"], _EMPTY["en"]).format(name=row.name)
        return {**fresh, "answer": fail("empty_campaign", fresh["language"], said)}
    if context_of(runtime).use_cache and not state.get("history"):
        known = await services.cache.get(row.uuid, question)
        if known.answer is not None:
            return {**fresh, "answer": cast("Answer", known.answer), "cached": True}
        fresh["revision"] = known.revision
    return fresh
