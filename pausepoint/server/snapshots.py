"""A graph's state as the API shows it, and the configs that address it."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from langgraph.types import Interrupt, PregelTask, StateSnapshot

from pausepoint.server.errors import Invalid
from pausepoint.server.serialize import interrupt_json


def address(thread_id: str, checkpoint: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The config that names a thread, at its latest or at a given checkpoint.

    Args:
        thread_id: The thread.
        checkpoint: `checkpoint_id`, `checkpoint_ns`, `checkpoint_map`, as far as they are given.
    """
    configurable: dict[str, Any] = {"thread_id": thread_id, "checkpoint_ns": ""}
    for key in ("checkpoint_ns", "checkpoint_id", "checkpoint_map"):
        value = (checkpoint or {}).get(key)
        if value is not None:
            configurable[key] = value
    return {"configurable": configurable}


def checkpoint_json(config: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A config as a checkpoint reference."""
    if not config:
        return None
    configurable = config.get("configurable", {})
    found = {
        "thread_id": configurable.get("thread_id"),
        "checkpoint_ns": configurable.get("checkpoint_ns", ""),
        "checkpoint_id": configurable.get("checkpoint_id"),
    }
    if configurable.get("checkpoint_map"):
        found["checkpoint_map"] = configurable["checkpoint_map"]
    return found


def state_json(snapshot: StateSnapshot, select: Iterable[str] | None = None) -> dict[str, Any]:
    """A state as the API shows it."""
    current = checkpoint_json(snapshot.config)
    parent = checkpoint_json(snapshot.parent_config)
    found = {
        "values": snapshot.values,
        "next": list(snapshot.next),
        "tasks": [task_json(task) for task in snapshot.tasks],
        "metadata": dict(snapshot.metadata or {}),
        "created_at": snapshot.created_at,
        "checkpoint": current,
        "parent_checkpoint": parent,
        "interrupts": [interrupt_json(i) for i in snapshot.interrupts],
        "checkpoint_id": (current or {}).get("checkpoint_id"),
        "parent_checkpoint_id": (parent or {}).get("checkpoint_id"),
    }
    return found if select is None else selected(found, select)


def empty_state(thread_id: str) -> dict[str, Any]:
    """The state of a thread nothing has run on."""
    return {
        "values": {},
        "next": [],
        "tasks": [],
        "metadata": {},
        "created_at": None,
        "checkpoint": checkpoint_json(address(thread_id)),
        "parent_checkpoint": None,
        "interrupts": [],
        "checkpoint_id": None,
        "parent_checkpoint_id": None,
    }


def task_json(task: PregelTask) -> dict[str, Any]:
    """A task of a state as the API shows it."""
    state: Any = task.state
    snapshot = state if isinstance(state, StateSnapshot) else None
    config = cast("Mapping[str, Any]", state) if isinstance(state, Mapping) else None
    return {
        "id": task.id,
        "name": task.name,
        "path": list(task.path),
        "error": None if task.error is None else str(task.error),
        "interrupts": [interrupt_json(i) for i in task.interrupts],
        "checkpoint": checkpoint_json(config or (snapshot.config if snapshot else None)),
        "state": state_json(snapshot) if snapshot else None,
        "result": task.result,
    }


def interrupts_by_task(tasks: Iterable[PregelTask]) -> dict[str, list[dict[str, Any]]]:
    """Task id → its interrupts, for the tasks that wait."""
    return {t.id: [interrupt_json(i) for i in t.interrupts] for t in tasks if t.interrupts}


def distinct(interrupts: Iterable[Interrupt]) -> list[dict[str, Any]]:
    """Interrupts as JSON, each once."""
    return list({i.id: interrupt_json(i) for i in interrupts}.values())


def selected(state: Mapping[str, Any], select: Iterable[str]) -> dict[str, Any]:
    """The named members of a state; `values.<key>` picks one key of the values.

    Raises:
        Invalid: A name is unknown.
    """
    found: dict[str, Any] = {}
    for name in select:
        if name.startswith("values.") and isinstance(state["values"], Mapping):
            key = name.removeprefix("values.")
            values = cast("Mapping[str, Any]", state["values"])
            if key in values:
                found.setdefault("values", {})[key] = values[key]
        elif name in state:
            found[name] = state[name]
        elif not name.startswith("values."):
            raise Invalid(f"There is no {name!r} in a state; choose from {', '.join(state)}.")
    return found
