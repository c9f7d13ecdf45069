"""Everybody sees their own threads; the boss sees all."""

from typing import Any, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from langgraph_sdk import Auth

auth = Auth()


@auth.authenticate
async def authenticate(authorization: str | None) -> str:
    if not authorization:
        raise Auth.exceptions.HTTPException(status_code=401, detail="Say who you are.")
    return authorization.removeprefix("Bearer ")


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> Any:
    if ctx.user.identity == "boss":
        return None
    value.setdefault("metadata", {})
    if isinstance(value["metadata"], dict):
        value["metadata"]["owner"] = ctx.user.identity
    return {"owner": ctx.user.identity}


class State(TypedDict, total=False):
    answer: Any
    runs_as: str


async def ask(state: State, config: RunnableConfig) -> State:
    answer = interrupt("May I?", response_schema={"enum": ["yes", "no"]})
    return {"answer": answer, "runs_as": config["configurable"]["langgraph_auth_user_id"]}


graph = StateGraph(State).add_node("ask", ask).add_edge(START, "ask").compile()
