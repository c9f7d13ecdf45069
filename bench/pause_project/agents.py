"""Three graphs that ask, with plain LangGraph only, so that they run under any LangGraph server."""

from typing import Any, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel

SCHEMA = {
    "type": "object",
    "properties": {"site": {"type": "string", "minLength": 1}, "severity": {"type": "integer", "maximum": 5}},
    "required": ["site", "severity"],
}


class State(TypedDict, total=False):
    answers: list[Any]
    note: str


class Order(BaseModel):
    count: int


async def ask_form(state: State) -> State:
    return {"answers": [interrupt({"title": "Report"}, response_schema=SCHEMA)]}


async def ask_twice(state: State) -> State:
    return {"answers": [interrupt("Delete A?"), interrupt("Delete B?")]}


async def ask_typed(state: State) -> State:
    return {"answers": [interrupt("How many?", response_schema=Order).count]}


def asking(node: Any) -> Any:
    return StateGraph(State).add_node("ask", node).add_edge(START, "ask").compile()


form, chain, typed = asking(ask_form), asking(ask_twice), asking(ask_typed)
