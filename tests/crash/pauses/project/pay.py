"""Asks, and pays once the answer is there. The bank keeps its own books and knows a key it has seen."""

import asyncio
import operator
import os
import random
import sqlite3
from typing import Annotated, Any, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from pausepoint.pauses.effects import effect


class State(TypedDict, total=False):
    steps: Annotated[list[Any], operator.add]
    order: str


def book(order: str, key: str) -> None:
    with sqlite3.connect(os.environ["BANK"], timeout=30) as bank:
        bank.execute("INSERT OR IGNORE INTO payments VALUES (?, ?)", (order, key))
        bank.execute("INSERT INTO calls VALUES (?)", (order,))
    bank.close()


async def ask(state: State) -> State:
    return {"steps": [interrupt({"order": state["order"]}, response_schema={"enum": ["yes", "no"]})]}


async def pay(state: State, runtime: Runtime) -> State:
    async with effect(runtime, "pay") as once:
        if once:
            await asyncio.sleep(random.random() * 0.02)
            await asyncio.to_thread(book, state["order"], once.key)
            await asyncio.sleep(random.random() * 0.02)
            once.result = "paid"
    return {"steps": [once.result]}


graph = (
    StateGraph(State)
    .add_node("ask", ask)
    .add_node("pay", pay)
    .add_edge(START, "ask")
    .add_edge("ask", "pay")
    .compile()
)
