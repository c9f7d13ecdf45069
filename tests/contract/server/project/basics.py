import asyncio
import operator
import os
from typing import Annotated, Any, TypedDict

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt


class State(TypedDict, total=False):
    steps: Annotated[list[Any], operator.add]
    note: str


class Context(TypedDict, total=False):
    greeting: str


def step(name: str):
    async def node(state: State, runtime: Runtime[Context]) -> State:
        get_stream_writer()({"at": name})
        greeting = (runtime.context or {}).get("greeting")
        return {"steps": [f"{greeting} {name}" if greeting else name]}

    return node


async def setting(state: State) -> State:
    return {"note": os.environ.get("PROJECT_SETTING", "unset")}


graph = (
    StateGraph(State, context_schema=Context)
    .add_node("one", step("one"))
    .add_node("two", step("two"))
    .add_node("three", step("three"))
    .add_node("setting", setting)
    .add_edge(START, "one")
    .add_edge("one", "two")
    .add_edge("two", "three")
    .add_edge("three", "setting")
    .compile()
)


async def talk(state: MessagesState) -> dict[str, Any]:
    said = state["messages"][-1].content
    model = GenericFakeChatModel(messages=iter([AIMessage(f"you said {said}")]))
    return {"messages": [await model.ainvoke(state["messages"])]}


chat = StateGraph(MessagesState).add_node("talk", talk).add_edge(START, "talk").compile()


async def ask(state: State) -> State:
    answer = interrupt({"question": "your name?"}, response_schema={"type": "string"})
    return {"steps": [f"hello {answer}"]}


pause = (
    StateGraph(State)
    .add_node("before", step("before"))
    .add_node("ask", ask)
    .add_node("after", step("after"))
    .add_edge(START, "before")
    .add_edge("before", "ask")
    .add_edge("ask", "after")
    .compile()
)


async def ask_left(state: State) -> State:
    return {"steps": [f"left {interrupt('left?')}"]}


async def ask_right(state: State) -> State:
    return {"steps": [f"right {interrupt('right?')}"]}


two_questions = (
    StateGraph(State)
    .add_node("ask_left", ask_left)
    .add_node("ask_right", ask_right)
    .add_edge(START, "ask_left")
    .add_edge(START, "ask_right")
    .compile()
)

touched: list[str] = []


async def wait_long(state: State) -> State:
    touched.append("began")
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        touched.append("cancelled")
        raise
    return {"steps": ["slept"]}


slow = (
    StateGraph(State)
    .add_node("first", step("first"))
    .add_node("wait_long", wait_long)
    .add_edge(START, "first")
    .add_edge("first", "wait_long")
    .compile()
)


async def explode(state: State) -> State:
    raise ValueError("the oven is too hot")


fails = (
    StateGraph(State)
    .add_node("first", step("first"))
    .add_node("explode", explode)
    .add_edge(START, "first")
    .add_edge("first", "explode")
    .compile()
)


class Odd(TypedDict, total=False):
    thing: Any


async def odd_values(state: Odd) -> Odd:
    return {"thing": {"set": {1}, "bytes": b"\x00\xff", "nan": float("nan"), "text": "\ud800 lone"}}


odd = StateGraph(Odd).add_node("odd_values", odd_values).add_edge(START, "odd_values").compile()
