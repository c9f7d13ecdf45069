"""Steps `clarify` and `read_clarification`: the run pauses with a question, the person's answer continues it."""

from typing import Any

from langgraph.types import interrupt

from pausepoint.pauses.envelope import clarification
from prompts.clarification import read_choice
from state.assistant import AssistantState, Plan


async def clarify(state: AssistantState) -> AssistantState:
    """Pause. Nothing else happens here: this step runs again from its top when the answer comes."""
    plan: Plan = state["plan"]  # type: ignore[assignment]
    envelope, schema = clarification(
        message=plan["message"],
        options=[option["label"] for option in plan["options"]],
        errors=state.get("clarification_errors") or [],
        attempt=state.get("clarification_rounds", 0) + 1,
        language=state["language"],
        context={"question": state["asked"]},
    )
    answer: Any = interrupt(envelope, response_schema=schema)
    return {"clarification": answer}


async def read_clarification(state: AssistantState) -> AssistantState:
    """Turn the answer into a question that can be planned, or say what was wrong with it and ask again."""
    plan: Plan = state["plan"]  # type: ignore[assignment]
    choice = read_choice(state.get("clarification"), plan["options"], state["language"])
    if isinstance(choice, str):
        return {"clarification_errors": [{"field": "choice", "message": choice}]}
    artifact = choice["artifact_id"]
    question = state["asked"] if artifact else choice["question"]
    return {
        "question": question,
        "clarification_errors": [],
        "clarification_rounds": state.get("clarification_rounds", 0) + 1,
        "plan": {**plan, "focus": [artifact] if artifact else [], "options": []},
    }
