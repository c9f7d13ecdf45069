"""Step `record`: keep the answer for the next one who asks, and the turn for follow-ups."""

from langgraph.config import get_config

from pausepoint.campaigns.usage import Usage
from pausepoint.services import get_services
from state.assistant import AssistantState, Turn


async def record(state: AssistantState) -> AssistantState:
    """Cache what was asked without a conversation (never errors), count its use, remember the turn."""
    answer = state["answer"]
    services = await get_services()
    alone = not state.get("history") and not state.get("clarification_rounds")
    fit = answer["responseType"] != "error" and answer["debugInfo"] is None
    if alone and fit and not state["cached"] and state["revision"]:
        await services.cache.put(state["campaign"], state["asked"], dict(answer), state["revision"])
    await services.usage.record(_usage(state))
    plan = state.get("plan")
    turn: Turn = {
        "question": state["asked"],
        "answer": answer["textResponse"],
        "focus": _focus(state) if plan else [],
    }
    return {"history": [turn]}


def _usage(state: AssistantState) -> list[Usage]:
    plan = state.get("plan")
    run = str(get_config().get("metadata", {}).get("run_id", ""))
    action = plan["action"] if plan else "cached"
    return [
        Usage(run, state["campaign"], action, u["task"], u["model"], u["input_tokens"], u["output_tokens"])
        for u in state.get("usage") or []
        if u["model"] != "offline"
    ]


def _focus(state: AssistantState) -> list[str]:
    plan = state.get("plan")
    named = plan["focus"] if plan else []
    found = [e["id"] for e in state["evidence"] if e["type"] == "artifact"][:1]
    return named or found
