"""Nodes that write down, outside of the server's data, that they have run; and that stop where the test says."""

import asyncio
import operator
import os
from typing import Annotated, Any, TypedDict

from langgraph.config import get_config
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


class State(TypedDict, total=False):
    steps: Annotated[list[Any], operator.add]


def note(what: str) -> None:
    thread = get_config()["configurable"]["thread_id"]
    with open(os.environ["WITNESS"], "a") as file:
        file.write(f"{thread} {what}\n")


async def hold(where: str) -> None:
    note(f"at {where}")
    if os.environ.get("HOLD_AT") == where:
        await asyncio.sleep(3600)


def step(name: str):
    async def node(state: State) -> State:
        await hold(name)
        note(f"did {name}")
        return {"steps": [name]}

    return node


steps = (
    StateGraph(State)
    .add_node("a", step("a"))
    .add_node("b1", step("b1"))
    .add_node("b2", step("b2"))
    .add_node("c", step("c"))
    .add_edge(START, "a")
    .add_edge("a", "b1")
    .add_edge("a", "b2")
    .add_edge(["b1", "b2"], "c")
    .compile()
)


async def ask(state: State) -> State:
    first = interrupt("first?")
    await hold(f"between-{first}")
    second = interrupt("second?")
    note(f"did ask {first} {second}")
    return {"steps": [first, second]}


questions = (
    StateGraph(State)
    .add_node("a", step("a"))
    .add_node("ask", ask)
    .add_node("c", step("c"))
    .add_edge(START, "a")
    .add_edge("a", "ask")
    .add_edge("ask", "c")
    .compile()
)


async def die(state: State) -> State:
    note("at die")
    os._exit(9)


deadly = (
    StateGraph(State)
    .add_node("a", step("a"))
    .add_node("die", die)
    .add_edge(START, "a")
    .add_edge("a", "die")
    .compile()
)


def slow_step(name: str):
    async def node(state: State) -> State:
        note(f"at {name}")
        await asyncio.sleep(0.02)
        note(f"did {name}")
        return {"steps": [name]}

    return node


async def ask_once(state: State) -> State:
    return {"steps": [interrupt("go on?")]}


work = (
    StateGraph(State)
    .add_node("w1", slow_step("w1"))
    .add_node("w2", slow_step("w2"))
    .add_node("ask_once", ask_once)
    .add_node("w3", slow_step("w3"))
    .add_edge(START, "w1")
    .add_edge("w1", "w2")
    .add_edge("w2", "ask_once")
    .add_edge("ask_once", "w3")
    .compile()
)
