"""What a LangGraph config says: which thread, namespace and checkpoint, or which of them to list."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import get_checkpoint_id

from pausepoint.storage.errors import StorageError


@dataclass(slots=True)
class Query:
    """Which checkpoints to list, newest first; None and empty mean any."""

    thread_id: str | None = None
    ns: str | None = None
    checkpoint_id: str | None = None
    before: str | None = None
    filter: Mapping[str, Any] = field(default_factory=dict[str, Any])


def address(thread_id: str, ns: str, checkpoint_id: str) -> RunnableConfig:
    """The config that names a checkpoint."""
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ns, "checkpoint_id": checkpoint_id}}


def place(config: RunnableConfig) -> tuple[str, str]:
    """The thread and the namespace.

    Raises:
        StorageError: The config names no thread.
    """
    configurable: dict[str, Any] = config.get("configurable") or {}
    if "thread_id" not in configurable:
        raise StorageError("The config has no configurable.thread_id: pass the thread to read or write.")
    return str(configurable["thread_id"]), str(configurable.get("checkpoint_ns") or "")


def listed(
    config: RunnableConfig | None, filter: dict[str, Any] | None, before: RunnableConfig | None
) -> Query:
    """What LangGraph's arguments of `list` ask for."""
    query = Query(filter=filter or {}, before=get_checkpoint_id(before) if before else None)
    if config is not None:
        query.thread_id, _ = place(config)
        query.ns = config.get("configurable", {}).get("checkpoint_ns")
        query.checkpoint_id = get_checkpoint_id(config)
    return query
