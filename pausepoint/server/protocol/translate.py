"""Turns what a graph streams into events of the thread stream protocol.

In the journal such an event is named `protocol/<method>` and holds its `params`.
"""

import time
from collections.abc import Iterator, Mapping
from typing import Any, cast

from langchain_core.language_models._compat_bridge import (  # pyright: ignore[reportPrivateUsage]
    message_to_events,
)
from langchain_core.messages import AIMessageChunk, BaseMessage, ToolMessage

from pausepoint.server.modes import Chunk, Translator

PREFIX = "protocol/"
_SCALARS = (str, int, float, bool)


def params(namespace: Any, data: Any) -> dict[str, Any]:
    """The `params` of an event."""
    return {"namespace": list(namespace), "timestamp": int(time.time() * 1000), "data": data}


class ProtocolTranslator:
    """One run's translation."""

    def __init__(self) -> None:
        """Begin without open messages and subgraphs."""
        self._ids: dict[str, str] = {}
        self._subgraphs = Translator(["lifecycle"])

    def events(self, chunk: Chunk) -> Iterator[tuple[str, Any]]:
        """The events for one chunk: (journal name, params)."""
        namespace, mode, part = chunk
        if mode == "messages":
            for data in self._messages(part["data"]):
                yield PREFIX + "messages", params(namespace, data)
            return
        if mode == "tasks":
            for _, data in self._subgraphs.events((namespace, mode, part["data"])):
                yield PREFIX + "lifecycle", params(data.pop("namespace"), data)
        for data in _data(mode, part):
            yield PREFIX + mode, params(namespace, data)

    def _messages(self, payload: Any) -> Iterator[dict[str, Any]]:
        event, metadata = cast("tuple[Any, Mapping[str, Any]]", payload)
        run_id = str(metadata.get("run_id") or "")
        if isinstance(event, dict):
            yield self._live(cast("dict[str, Any]", event), metadata, run_id)
        elif isinstance(event, BaseMessage) and not isinstance(event, (AIMessageChunk, ToolMessage)):
            for item in message_to_events(event, message_id=event.id):
                data = cast("dict[str, Any]", item)
                yield self._live(data, metadata, run_id or f"message-{event.id}")

    def _live(self, event: dict[str, Any], metadata: Mapping[str, Any], run_id: str) -> dict[str, Any]:
        """An event of a message, with what tells concurrent messages apart."""
        data = dict(event)
        if data.get("event") == "message-start":
            self._ids[run_id] = str(data.get("id") or data.get("message_id") or run_id)
            own = {k: v for k, v in metadata.items() if isinstance(v, _SCALARS)}
            data["metadata"] = {**own, **(data.get("metadata") or {})}
        data["message_id"] = self._ids.get(run_id, run_id)
        data["run_id"] = run_id
        if data.get("event") == "message-finish":
            self._ids.pop(run_id, None)
        return data


def _data(mode: str, part: Mapping[str, Any]) -> Iterator[Any]:
    """The data of an event of one of the plain channels, in the protocol's shape."""
    payload = part["data"]
    if mode == "updates":
        for node, values in cast("dict[str, Any]", payload).items():
            if node != "__interrupt__":
                yield {"node": node, "values": values}
    elif mode == "checkpoints":
        yield _checkpoint(payload)
    elif mode == "custom":
        yield _custom(payload)
    else:
        yield payload


def _checkpoint(payload: Mapping[str, Any]) -> dict[str, Any]:
    def key(config: Any) -> Any:
        return ((config or {}).get("configurable") or {}).get("checkpoint_id")

    metadata = payload.get("metadata") or {}
    found = {"id": key(payload.get("config")), "step": metadata.get("step"), "source": metadata.get("source")}
    parent = key(payload.get("parent_config"))
    return {**found, "parent_id": parent} if parent else found


def _custom(payload: Any) -> dict[str, Any]:
    """Custom data; a dict that names itself is found under `custom:<name>`."""
    if isinstance(payload, dict):
        named = cast("dict[str, Any]", payload)
        if isinstance(named.get("name"), str):
            return {"name": named["name"], "payload": named.get("payload", named)}
    return {"payload": payload}
