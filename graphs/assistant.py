"""The assistant: plan, retrieve, ask the graph, answer with citations; or ask back, or decline.

A vague question pauses the run (`clarify`); the person's answer continues it. A refused or failing query goes back
to generation with its reason, at most twice.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from nodes.clarify import clarify, read_clarification
from nodes.decline import decline
from nodes.generate_cypher import MAX_REPAIRS, generate_cypher
from nodes.plan import plan
from nodes.prepare import prepare
from nodes.record import record
from nodes.retrieve import retrieve
from nodes.run_cypher import run_cypher
from nodes.synthesize import synthesize
from nodes.validate_cypher import validate_cypher
from state.assistant import AssistantContext, AssistantInput, AssistantOutput, AssistantState


def after_prepare(state: AssistantState) -> Literal["plan", "record", "__end__"]:
    """What cannot be asked ends here, a cached answer is only recorded."""
    if state["answer"]["responseType"] == "error":
        return "__end__"
    return "record" if state["cached"] else "plan"


def after_plan(state: AssistantState) -> Literal["clarify", "decline", "retrieve"]:
    """Ask back, decline, or search."""
    plan = state.get("plan")
    match plan and plan["action"]:
        case "clarification_needed":
            return "clarify"
        case "out_of_scope":
            return "decline"
        case _:
            return "retrieve"


def after_clarification(state: AssistantState) -> Literal["clarify", "plan"]:
    """A wrong answer is asked again."""
    return "clarify" if state.get("clarification_errors") else "plan"


def after_retrieve(state: AssistantState) -> Literal["generate_cypher", "synthesize"]:
    """Notes need no graph; what was found in it does."""
    plan = state.get("plan")
    wanted = plan is not None and plan["action"] != "search_notes"
    found = any(e["type"] != "note" for e in state["evidence"])
    return "generate_cypher" if wanted and found else "synthesize"


def after_validate(state: AssistantState) -> Literal["run_cypher", "generate_cypher", "synthesize"]:
    """Run what passed the guard; mend the rest."""
    return _mend(state) or "run_cypher"


def after_run(state: AssistantState) -> Literal["generate_cypher", "synthesize"]:
    """Mend what the database refused."""
    return _mend(state) or "synthesize"


def _mend(state: AssistantState) -> Literal["generate_cypher", "synthesize"] | None:
    cypher = state.get("cypher")
    if not cypher or not cypher["error"]:
        return None
    return "generate_cypher" if cypher["attempt"] <= MAX_REPAIRS else "synthesize"


def make_graph() -> CompiledStateGraph[AssistantState, AssistantContext, AssistantInput, AssistantOutput]:
    """Wire the steps."""
    graph = StateGraph(
        AssistantState,
        context_schema=AssistantContext,
        input_schema=AssistantInput,
        output_schema=AssistantOutput,
    )
    graph.add_node("prepare", prepare)
    graph.add_node("plan", plan)
    graph.add_node("clarify", clarify)
    graph.add_node("read_clarification", read_clarification)
    graph.add_node("decline", decline)
    graph.add_node("retrieve", retrieve)
    graph.add_node("generate_cypher", generate_cypher)
    graph.add_node("validate_cypher", validate_cypher)
    graph.add_node("run_cypher", run_cypher)
    graph.add_node("synthesize", synthesize)
    graph.add_node("record", record)

    graph.add_edge(START, "prepare")
    graph.add_conditional_edges("prepare", after_prepare)
    graph.add_conditional_edges("plan", after_plan)
    graph.add_edge("clarify", "read_clarification")
    graph.add_conditional_edges("read_clarification", after_clarification)
    graph.add_conditional_edges("retrieve", after_retrieve)
    graph.add_edge("generate_cypher", "validate_cypher")
    graph.add_conditional_edges("validate_cypher", after_validate)
    graph.add_conditional_edges("run_cypher", after_run)
    graph.add_edge("synthesize", "record")
    graph.add_edge("decline", "record")
    graph.add_edge("record", END)
    return graph.compile(name="assistant")


graph = make_graph()
