import operator
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send


class Overall(TypedDict, total=False):
    subjects: list[str]
    jokes: Annotated[list[str], operator.add]
    best: str


class OneSubject(TypedDict):
    subject: str


def fan_out(state: Overall) -> list[Send]:
    return [Send("joke", {"subject": subject}) for subject in state["subjects"]]


def joke(state: OneSubject) -> Overall:
    return {"jokes": [f"a {state['subject']} walks into a bar"]}


def choose(state: Overall) -> Overall:
    return {"best": max(state["jokes"], key=len)}


builder = StateGraph(Overall)
builder.add_node("joke", joke)
builder.add_node("choose", choose)
builder.add_conditional_edges(START, fan_out, ["joke"])
builder.add_edge("joke", "choose")
builder.add_edge("choose", END)
graph = builder.compile()
