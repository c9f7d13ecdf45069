import operator
from typing import Annotated, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


class State(TypedDict, total=False):
    log: Annotated[list[str], operator.add]


def draft(state: State) -> State:
    return {"log": ["draft"]}


def approve(state: State) -> State:
    verdict = interrupt({"action": "publish?"})
    second = interrupt({"action": f"really {verdict}?"})
    return {"log": [f"{verdict}, {second}"]}


inner = (
    StateGraph(State)
    .add_node("draft", draft)
    .add_node("approve", approve)
    .add_edge(START, "draft")
    .add_edge("draft", "approve")
    .compile()
)


def publish(state: State) -> State:
    return {"log": ["published"]}


graph = (
    StateGraph(State)
    .add_node("review", inner)
    .add_node("publish", publish)
    .add_edge(START, "review")
    .add_edge("review", "publish")
    .compile()
)
