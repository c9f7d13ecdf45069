"""Turns what a graph streams into the events clients asked for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import BaseMessage, BaseMessageChunk, message_chunk_to_message

DIRECT = frozenset({"values", "updates", "custom", "tasks", "checkpoints", "debug", "tools"})
"""Modes that are passed on as the graph gives them."""

Chunk = tuple[tuple[str, ...], str, Any]
"""(namespace, graph mode, payload)"""


def graph_modes(asked: Sequence[str]) -> list[str]:
    """The modes a graph has to stream for the modes a client asked for."""
    found = [mode for mode in asked if mode in DIRECT]
    if "messages" in asked or "messages-tuple" in asked:
        found.append("messages")
    if "lifecycle" in asked and "tasks" not in found:
        found.append("tasks")
    return found


class Translator:
    """One run's translation; keeps the messages that are still growing."""

    def __init__(self, asked: Sequence[str]) -> None:
        """Translate into these modes."""
        self._asked = frozenset(asked)
        self._growing: dict[str, BaseMessageChunk] = {}
        self._subgraphs: dict[tuple[str, ...], str] = {}

    def events(self, chunk: Chunk) -> Iterator[tuple[str, Any]]:
        """The events for one chunk: (name, data)."""
        namespace, mode, payload = chunk
        suffix = "|".join(("", *namespace))
        if mode == "events":
            yield mode, payload
            return
        if mode == "messages":
            for name, data in self._messages(payload):
                yield name + suffix, data
            return
        if mode == "tasks" and "lifecycle" in self._asked:
            for data in self._lifecycle(namespace, payload):
                yield "lifecycle" + suffix, data
        if mode in self._asked:
            yield mode + suffix, payload

    def _messages(self, payload: Any) -> Iterator[tuple[str, Any]]:
        message, metadata = cast("tuple[Any, dict[str, Any]]", payload)
        if "messages-tuple" in self._asked:
            yield "messages", [message, metadata]
        if "messages" not in self._asked or not isinstance(message, BaseMessage):
            return
        key = message.id or ""
        if not isinstance(message, BaseMessageChunk):
            if key not in self._growing:
                yield "messages/metadata", {key: {"metadata": metadata}}
            self._growing.pop(key, None)
            yield "messages/complete", [message]
            return
        if key in self._growing:
            grown = self._growing[key] + message
        else:
            grown = message
            yield "messages/metadata", {key: {"metadata": metadata}}
        self._growing[key] = grown
        yield "messages/partial", [message_chunk_to_message(grown)]

    def _lifecycle(self, namespace: tuple[str, ...], payload: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """A subgraph has started when its first task does, and ends with the task that runs it."""
        if "result" in payload:
            for child, task_id in list(self._subgraphs.items()):
                if child[:-1] == namespace and task_id == payload.get("id"):
                    del self._subgraphs[child]
                    yield {"event": _ending(payload), "namespace": list(child), "graph_name": _name(child)}
        elif namespace and namespace not in self._subgraphs:
            self._subgraphs[namespace] = namespace[-1].partition(":")[2]
            yield {
                "event": "started",
                "namespace": list(namespace),
                "graph_name": _name(namespace),
                "trigger_call_id": namespace[-1].partition(":")[2] or None,
            }


def _name(namespace: tuple[str, ...]) -> str:
    return namespace[-1].partition(":")[0]


def _ending(payload: Mapping[str, Any]) -> str:
    if payload.get("interrupts"):
        return "interrupted"
    return "failed" if payload.get("error") else "completed"
