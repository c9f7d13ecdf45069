"""Step `synthesize`: the cited answer, streamed; an empty result says so, a query nobody could mend is an error."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.answers import debugging, empty_answer, fail, used
from nodes.citations import citable_titles, verified
from nodes.generate_cypher import MAX_REPAIRS
from pausepoint.models.task import TaskResult, run_task
from pausepoint.services import get_services
from prompts import synthesis
from state.assistant import Answer, AssistantContext, AssistantState, Cypher, Plan, ResponseType

_INVALID = {
    "pl": "zapytanie do grafu nie dało się poprawić ({reason}). Czy możesz przeformułować pytanie?",
    "en": "the graph query could not be mended ({reason}). Could you rephrase the question?",
}


async def synthesize(state: AssistantState, runtime: Runtime[AssistantContext]) -> AssistantState:
    """Write the answer from the evidence and the graph."""
    broken = _broken(state.get("cypher"))
    if broken:
        return {"answer": _invalid_cypher(state, broken)}
    services = await get_services()
    view = await services.view(state["campaign"])
    plan: Plan = state["plan"]  # type: ignore[assignment]
    evidence, graph = state["evidence"], state.get("graph")
    inputs = synthesis.SynthesisInputs(
        question=state["question"],
        language=state["language"],
        action=plan["action"],
        scope=plan["scope"],
        campaign_name=view.campaign.name,
        evidence=evidence,
        graph=graph,
        titles=view.titles,
        focus=plan["focus"],
        history=state.get("history") or [],
        unknown=plan["unknown"],
    )
    allowed = citable_titles(evidence, graph, view.titles)
    result = await _write(inputs, allowed, services, runtime)
    text, sources, wrong = verified(result.value.text, allowed)
    kind: ResponseType = "text_and_graph" if graph else "text"
    answer: Answer = {
        **empty_answer(),
        "responseType": kind,
        "textResponse": text,
        "graphData": graph,
        "sources": sources,
        "executedActions": [*state["actions"]],
    }
    if debugging(runtime):
        answer["debugInfo"] = _debug(state, result, wrong)
    return {"answer": answer, "usage": used(state, "synthesis", result)}


async def _write(
    inputs: synthesis.SynthesisInputs,
    allowed: dict[str, str],
    services: Any,
    runtime: Runtime[AssistantContext],
) -> TaskResult[synthesis.Synthesis]:
    task = synthesis.task(set(allowed))

    def stream(piece: str | None) -> None:
        runtime.stream_writer({"type": "text_start"} if piece is None else {"type": "text", "text": piece})

    model = services.chat_model if allowed else None
    result = await run_task(task, inputs, model, services.model_options, stream)
    if result.model == "offline":
        stream(None)
        for line in result.value.text.splitlines(keepends=True):
            stream(line)
    return result


def _broken(cypher: Cypher | None) -> Cypher | None:
    return cypher if cypher and cypher["error"] and cypher["attempt"] > MAX_REPAIRS else None


def _invalid_cypher(state: AssistantState, cypher: Cypher) -> Answer:
    language = state["language"] if state["language"] in _INVALID else "en"
    reason = _INVALID[language].format(reason=cypher["error"])
    debug = {
        "generatedCypher": cypher["query"],
        "validationError": cypher["error"],
        "attempts": cypher["attempt"],
    }
    return {**fail("invalid_cypher", language, reason, debug), "executedActions": [*state["actions"]]}


def _debug(state: AssistantState, result: TaskResult[Any], wrong: list[str]) -> dict[str, Any]:
    plan, cypher = state.get("plan"), state.get("cypher")
    return {
        "plan": {k: v for k, v in (plan or {}).items() if k != "options"},
        "generatedCypher": cypher["query"] if cypher else None,
        "cypherParams": cypher["params"] if cypher else None,
        "evidence": [
            {"type": e["type"], "title": e["title"], "score": e["score"]} for e in state["evidence"]
        ],
        "model": result.model,
        "modelFailures": result.failures,
        "removedCitations": wrong,
    }
