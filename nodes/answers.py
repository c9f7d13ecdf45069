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
        "model": result.asked if result.input_tokens or result.output_tokens else result.model,
        "input_tokens": result.input_tokens,
        "output_tokens": result.output_tokens,
    }
    return [*(state.get("usage") or []), call]


def context_of(runtime: Runtime[AssistantContext]) -> AssistantContext:
    """The run's context; a run that was started without one has the defaults."""
    given: AssistantContext | None = runtime.context
    return given or AssistantContext()


def campaign_of(state: AssistantState, runtime: Runtime[AssistantContext]) -> str:
    """The campaign asked about: the input's, or the run's context's."""
    return str(state.get("campaign") or (context_of(runtime).campaign)).strip()


def debugging(runtime: Runtime[AssistantContext]) -> bool:
    """Whether answers carry debugInfo: by the run's context or by `PAUSEPOINT_DEBUG`."""
    from pausepoint.settings import get_settings

    return context_of(runtime).debug or get_settings().debug
