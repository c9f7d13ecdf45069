import operator
from typing import Annotated, Any, TypedDict

from fastapi import FastAPI, Request
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

from pausepoint.server.local import local_client


class State(TypedDict, total=False):
    steps: Annotated[list[Any], operator.add]


async def tell(state: State, config: RunnableConfig) -> State:
    user = config["configurable"]["langgraph_auth_user"]
    return {"steps": [user.identity, user["team"], config["configurable"]["langgraph_auth_user_id"]]}


graph = StateGraph(State).add_node("tell", tell).add_edge(START, "tell").compile()


async def ask(state: State) -> State:
    return {"steps": [interrupt("?")]}


pause = StateGraph(State).add_node("ask", ask).add_edge(START, "ask").compile()
app = FastAPI()


@app.get("/mine")
async def mine(request: Request) -> dict[str, Any]:
    threads = await local_client(dict(request.headers)).threads.search(limit=100)
    return {"user": request.scope["user"].identity, "threads": [t["thread_id"] for t in threads]}
