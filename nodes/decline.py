"""Step `decline`: a question that is not about the campaign's data gets a polite no that says what would work."""

from langgraph.runtime import Runtime

from nodes.answers import debugging, empty_answer
from state.assistant import Answer, AssistantContext, AssistantState

_TEXT = {
    "pl": "To pytanie wykracza poza dane tej kampanii. Mogę pomóc w tym, co jest w notatkach: postacie, miejsca, "
    "przedmioty, wydarzenia i ich relacje.",
    "en": "That is outside this campaign's data. I can help with what its notes hold: characters, places, items, "
    "events and their relations.",
    "de": "Das steht nicht in den Daten dieser Kampagne. Ich helfe mit Figuren, Orten, Gegenständen, Ereignissen "
    "und ihren Beziehungen.",
    "es": "Eso queda fuera de los datos de esta campaña. Puedo ayudar con personajes, lugares, objetos, sucesos y sus "
    "relaciones.",
}


async def decline(state: AssistantState, runtime: Runtime[AssistantContext]) -> AssistantState:
    """Say no, and what to ask instead."""
    text = _TEXT.get(state["language"], _TEXT["en"])
    runtime.stream_writer({"type": "text_start"})
    runtime.stream_writer({"type": "text", "text": text})
    plan = state.get("plan")
    answer: Answer = {
        **empty_answer(),
        "responseType": "out_of_scope",
        "errorType": "out_of_scope",
        "textResponse": text,
        "executedActions": state["actions"],
        "debugInfo": {"reasoning": plan["reasoning"], "model": plan["model"]}
        if plan and debugging(runtime)
        else None,
    }
    return {"answer": answer}
