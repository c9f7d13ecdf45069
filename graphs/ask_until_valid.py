"""The subgraph that asks a person until the answer is right: ask ⇄ check, by an edge, so every answer costs the same.

Use it as a node of any graph, under any LangGraph server:

    graph.add_node("report", ask_until_valid(form, check, state=MyState, into="report"))
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypedDict, cast, get_type_hints

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from pausepoint.pauses.forms import Form

Problems = Mapping[str, str] | None
"""Field → what is wrong with it; nothing when the answer is right."""
Check = Callable[[Any, Mapping[str, Any]], Problems | Awaitable[Problems]]
"""Looks at an answer that fits the schema, with the state beside it."""
_OWN: dict[str, Any] = {"form_given": Any, "form_errors": list[dict[str, Any]], "form_attempt": int}


def ask_until_valid(
    form: Form | Callable[[Mapping[str, Any]], Form],
    check: Check | None = None,
    *,
    state: type | None = None,
    into: str = "answer",
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Make the subgraph.

    Args:
        form: What to ask, or a function that makes it from the state.
        check: What the schema cannot say; may be async.
        state: The state of the graph around it, so that `form` and `check` see it.
        into: The key of the state that gets the answer.
    """
    around = get_type_hints(state, include_extras=True) if state else {}
    inner: Any = TypedDict("AskState", {**around, into: Any, **_OWN}, total=False)  # type: ignore[operator, misc]
    given: Any = TypedDict("AskInput", around, total=False)  # type: ignore[operator, misc]
    out: Any = TypedDict("AskOutput", {into: Any}, total=False)  # type: ignore[misc]

    async def ask(state: dict[str, Any]) -> dict[str, Any]:
        attempt = state.get("form_attempt", 0) + 1
        asked = _form(form, state)
        before = state.get("form_given")
        if isinstance(before, dict):
            asked = asked.filled(before)
        return {"form_given": asked.ask(state.get("form_errors") or [], attempt), "form_attempt": attempt}

    async def check_answer(state: dict[str, Any]) -> dict[str, Any]:
        answer = state.get("form_given")
        errors = _form(form, state).errors(answer)
        if not errors and check is not None:
            found = check(answer, state)
            problems = await found if inspect.isawaitable(found) else found
            errors = [{"field": k, "message": v, "code": "check"} for k, v in (problems or {}).items()]
        return {"form_errors": errors} if errors else {into: answer, "form_errors": [], "form_attempt": 0}

    def after_check(state: dict[str, Any]) -> Literal["ask", "__end__"]:
        return "ask" if state.get("form_errors") else "__end__"

    # The nodes get the whole state: the schema is made above, so their annotations cannot name it.
    for node in (ask, check_answer, after_check):
        node.__annotations__["state"] = inner
    graph = StateGraph(inner, input_schema=given if around else None, output_schema=out)
    graph.add_node("ask", cast("Any", ask))
    graph.add_node("check", cast("Any", check_answer))
    graph.add_edge(START, "ask")
    graph.add_edge("ask", "check")
    graph.add_conditional_edges("check", after_check, ["ask", END])
    return graph.compile(name="ask_until_valid")


def _form(form: Form | Callable[[Mapping[str, Any]], Form], state: Mapping[str, Any]) -> Form:
    return form if isinstance(form, Form) else form(state)
