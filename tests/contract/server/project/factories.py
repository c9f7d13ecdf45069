from contextlib import asynccontextmanager

from basics import State, step
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph_sdk.runtime import ServerRuntime


def _named(name: str) -> StateGraph:
    return StateGraph(State).add_node("node", step(name)).add_edge(START, "node")


async def with_config(config: RunnableConfig):
    return _named("for " + config.get("configurable", {}).get("tone", "nobody")).compile()


def with_runtime(runtime: ServerRuntime):
    kind = "run" if runtime.execution_runtime else "look"
    return _named(f"{kind} by {runtime.user.identity if runtime.user else 'anybody'}").compile()


@asynccontextmanager
async def opened(config: RunnableConfig):
    yield _named("opened").compile()


builder = _named("built")
