"""Building answer objects, and small things that several steps need."""

from typing import Any

from langgraph.runtime import Runtime

from pausepoint.models.task import TaskResult
from state.assistant import Answer, AssistantContext, AssistantState, ModelUse


def empty_answer() -> Answer:
    """An answer nobody gave yet."""
    return {
        "responseType": "text",
        "errorType": None,
        "textResponse": "",
        "graphData": None,
        "sources": [],
        "executedActions": [],
        "debugInfo": None,
    }


def fail(kind: str, language: str, reason: str, debug: dict[str, Any] | None = None) -> Answer:
    """An error answer; `reason` says what was wrong and what to do."""
    lead = {"pl": "Przepraszam, nie udało się: ", "en": "Sorry, that did not work: "}.get(language, "")
    return {
        **empty_answer(),
        "responseType": "error",
        "errorType": kind,
        "textResponse": f"{lead}{reason}",
        "debugInfo": debug,
    }


def used(state: AssistantState, task: str, result: TaskResult[Any]) -> list[ModelUse]:
    """The question's model calls so far, with this one."""
    call: ModelUse = {
        "task": task,
        "model": result.model,
        "input_tokens": result.input_tokens,
        "output_tokens": result.output_tokens,
    }
    return [*(state.get("usage") or []), call]


def campaign_of(state: AssistantState, runtime: Runtime[AssistantContext]) -> str:
    """The campaign asked about: the input's, or the run's context's."""
    return str(state.get("campaign") or (runtime.context.campaign if runtime.context else "")).strip()


def debugging(runtime: Runtime[AssistantContext]) -> bool:
    """Whether answers carry debugInfo: by the run's context or by `PAUSEPOINT_DEBUG`."""
    from pausepoint.settings import get_settings

    return bool(runtime.context and runtime.context.debug) or get_settings().debug
