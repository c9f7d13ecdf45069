"""The graphs that are measured: as small as they can be, so that what is measured is the server."""

import asyncio
import operator
from collections.abc import AsyncIterator
from typing import Annotated, Any, TypedDict

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt


class State(TypedDict, total=False):
    steps: Annotated[list[Any], operator.add]


def step(name: str):
    async def node(state: State) -> State:
        return {"steps": [name]}

    return node


three = (
    StateGraph(State)
    .add_node("a", step("a"))
    .add_node("b", step("b"))
    .add_node("c", step("c"))
    .add_edge(START, "a")
    .add_edge("a", "b")
    .add_edge("b", "c")
    .compile()
)


async def ask(state: State) -> State:
    return {"steps": [interrupt({"question": "go on?"})]}


pause = StateGraph(State).add_node("ask", ask).add_edge(START, "ask").compile()


class Scripted(BaseChatModel):
    """Fifty tokens a second."""

    count: int = 20

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage("word " * self.count))])

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        for _ in range(self.count):
            yield ChatGenerationChunk(message=AIMessageChunk("word "))
            await asyncio.sleep(0.02)


model = Scripted()


async def speak(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await model.ainvoke(state["messages"])]}


tokens = StateGraph(MessagesState).add_node("speak", speak).add_edge(START, "speak").compile()


async def reply(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage("An answer of a usual length, about as long as this sentence is. " * 3)]}


chat = StateGraph(MessagesState).add_node("reply", reply).add_edge(START, "reply").compile()
