"""Graphs that wait for people, written as any LangGraph user would; every node execution leaves a line outside."""

import asyncio
import operator
import os
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import BaseModel, Field

from pausepoint.pauses.effects import effect

OUTSIDE = Path(os.environ.get("OUTSIDE", "/tmp/pausepoint-outside"))
SCHEMA = {
    "type": "object",
    "properties": {
        "site": {"type": "string", "minLength": 1},
        "severity": {"type": "integer", "minimum": 1, "maximum": 5},
    },
    "required": ["site", "severity"],
    "additionalProperties": False,
}


class State(TypedDict, total=False):
    steps: Annotated[list[Any], operator.add]
    answer: Any
    errors: list[Any]
    deadline: Any
    fail: bool


def note(line: str) -> None:
    OUTSIDE.mkdir(parents=True, exist_ok=True)
    with (OUTSIDE / "log").open("a") as file:
        file.write(line + "\n")


def ask(value: Any, schema: Any = None, name: str = "ask"):
    async def node(state: State) -> State:
        note(name)
        return {"steps": [interrupt(value, response_schema=schema)]}

    return node


async def done(state: State) -> State:
    note("done")
    return {"steps": ["done"]}


def asking(node) -> Any:
    graph = StateGraph(State).add_node("ask", node).add_node("done", done)
    return graph.add_edge(START, "ask").add_edge("ask", "done").compile()


form = asking(ask({"title": "Report", "language": "pl"}, SCHEMA))
plain = asking(ask("What now?"))
approve = asking(
    ask(
        {"action_requests": [{"name": "send_mail", "args": {"to": "a@b"}}], "review_configs": []},
        name="approve",
    )
)
photo = asking(
    ask(
        {"title": "Photo"},
        {
            "type": "object",
            "properties": {
                "photo": {"type": "string", "format": "attachment", "x-attachment": {"types": ["image/png"]}}
            },
            "required": ["photo"],
        },
    )
)


async def two_in_a_row(state: State) -> State:
    note("chain")
    first = interrupt("Delete A?", response_schema={"enum": ["yes", "no"]})
    second = interrupt("Delete B?", response_schema={"enum": ["yes", "no"]})
    return {"steps": [first, second]}


chain = asking(two_in_a_row)
two = (
    StateGraph(State)
    .add_node("left", ask({"title": "Left"}, {"type": "string"}, "left"))
    .add_node("right", ask({"title": "Right"}, {"type": "integer"}, "right"))
    .add_node("done", done)
    .add_edge(START, "left")
    .add_edge(START, "right")
    .add_edge(["left", "right"], "done")
    .compile()
)


async def explode(state: State) -> State:
    answer = interrupt("Which fuse?")
    if answer == "boom":
        raise ValueError("the fuse is wet")
    return {"steps": [answer]}


fails = asking(explode)


async def wait_for_gate(state: State) -> State:
    note("gate")
    while not (OUTSIDE / "gate").exists():
        await asyncio.sleep(0.01)
    return {"steps": ["through"]}


gated = (
    StateGraph(State)
    .add_node("ask", ask("Open?", {"enum": ["yes", "no"]}))
    .add_node("gate", wait_for_gate)
    .add_node("again", ask("Close?", {"enum": ["yes", "no"]}, "again"))
    .add_edge(START, "ask")
    .add_edge("ask", "gate")
    .add_edge("gate", "again")
    .compile()
)


class Order(BaseModel):
    count: int = Field(ge=1)


async def order(state: State) -> State:
    found = interrupt("How many?", response_schema=Order)
    return {"steps": [found.count]}


typed = asking(order)
inner = asking(ask("Inside?", {"type": "string"}))
nested = (
    StateGraph(State)
    .add_node("inner", inner)
    .add_node("after", done)
    .add_edge(START, "inner")
    .add_edge("inner", "after")
    .compile()
)


async def reask_ask(state: State) -> State:
    note("ask")
    return {"answer": interrupt({"errors": state.get("errors") or []}, response_schema={"type": "object"})}


async def reask_check(state: State) -> State:
    note("check")
    good = state["answer"].get("site") == "north"
    return {"errors": [] if good else [{"field": "site", "message": "only north"}]}


reask = (
    StateGraph(State)
    .add_node("ask", reask_ask)
    .add_node("check", reask_check)
    .add_edge(START, "ask")
    .add_edge("ask", "check")
    .add_conditional_edges("check", lambda s: "ask" if s["errors"] else END, ["ask", END])
    .compile()
)


async def ask_in_time(state: State) -> State:
    return {
        "steps": [
            interrupt(
                {"title": "In time", "kind": "approval", "deadline": state["deadline"]},
                response_schema={"enum": ["yes", "no"]},
            )
        ]
    }


timed = asking(ask_in_time)


async def say_nothing(state: State) -> State:
    return {"steps": ["quiet"]}


quiet = StateGraph(State).add_node("say", say_nothing).add_edge(START, "say").compile()


async def say_nothing_twice(state: State, runtime: Runtime) -> State:
    """An effect in a node that runs again: once before the question, once after."""
    async with effect(runtime, "greet") as once:
        if once:
            note("greeted")
            once.result = "hello"
    answer = interrupt("Send it?", response_schema={"enum": ["yes", "no"]})
    async with effect(runtime, "send") as sent:
        if sent:
            note("sent")
            sent.post(os.environ["RECEIVER"] + "/effect", {"answer": answer})
    return {"steps": [once.result, answer]}


effects = asking(say_nothing_twice)


async def effect_that_fails(state: State, runtime: Runtime) -> State:
    async with effect(runtime, "charge") as once:
        if once:
            note(f"charge-{once.attempt}")
            if not (OUTSIDE / "gate").exists():
                raise ConnectionError("the bank is closed")
    return {"steps": ["charged"]}


charging = StateGraph(State).add_node("charge", effect_that_fails).add_edge(START, "charge").compile()
