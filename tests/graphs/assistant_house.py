"""Asking the assistant's graph in tests, and what a scripted chat model replies to its three tasks."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from langchain_core.messages import BaseMessage
from langgraph.types import Command
from tiny_campaigns import TINY

from pausepoint.services import Services
from state.assistant import AssistantContext

Values = dict[str, Any]


@dataclass
class House:
    """Asks the graph as the server does: a thread a conversation, a run a question."""

    services: Services
    graph: Any

    async def ask(
        self, question: Any, campaign: str = TINY, thread: str | None = None, **context: Any
    ) -> Values:
        """The final values; the thread's id is among them."""
        start = {"question": question, "campaign": campaign}
        return await self.run(start, thread or str(uuid4()), context)

    async def answer(self, question: str, **more: Any) -> Values:
        """Only the answer object."""
        return (await self.ask(question, **more))["answer"]

    async def resume(self, waiting: Values, answer: Any) -> Values:
        """Answer the clarification that `waiting` ended with."""
        (pause,) = waiting["__interrupt__"]
        return await self.run(Command(resume={pause.id: answer}), waiting["thread"], {})

    async def state(self, thread: str) -> Values:
        return (await self.graph.aget_state({"configurable": {"thread_id": thread}})).values

    async def run(self, start: Any, thread: str, context: Values) -> Values:
        config = {"configurable": {"thread_id": thread}, "metadata": {"run_id": str(uuid4())}}
        chosen = AssistantContext(**{"use_cache": False, **context})
        values = await self.graph.ainvoke(start, config, context=chosen)
        return {**values, "thread": thread}

    async def everything(self) -> list[str]:
        """All that is in the graph database, comparable."""
        found = await self.services.graph.read(
            "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) RETURN labels(n) AS l, properties(n) AS n, type(r) AS t, "
            "properties(r) AS r, m.id AS m",
            max_rows=100_000,
        )
        return sorted(json.dumps(row, sort_keys=True, default=str) for row in found.rows)


def planned(action: str, search: str = "", scope: str = "relationships", **more: Any) -> str:
    """A planner's reply."""
    parameters = {"artifact_search_query": search, "expected_cypher_scope": scope}
    return json.dumps({"action": action, "reasoning": "because", "parameters": parameters, **more})


def cypher(query: str) -> str:
    """A query writer's reply."""
    return json.dumps({"reasoning": "because", "cypher_query": query})


def by_step(plan: str, query: str, text: str) -> Callable[[list[BaseMessage]], str]:
    """A reply for whichever step asks."""

    def reply(messages: list[BaseMessage]) -> str:
        system = str(messages[0].content)
        if '"cypher_query"' in system:
            return query
        return plan if '"action"' in system else text

    return reply
