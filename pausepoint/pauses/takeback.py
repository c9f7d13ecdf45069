"""Takes back an answer whose run failed or was stopped before its node was through, so that it can be answered anew.

LangGraph keeps a given answer with the task that took it, also when the task then failed: the next answer would never
be looked at. So the answers of this run are taken out of the tasks that are still at work on them.
"""

import sqlite3
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from langgraph.types import StateSnapshot, _interrupt_id  # pyright: ignore[reportPrivateUsage]

from pausepoint.server.snapshots import address
from pausepoint.server.tables.runs import Run
from pausepoint.storage.checkpointer import SqliteCheckpointer

if TYPE_CHECKING:
    from pausepoint.server.engine import Engine

_RESUME = "__resume__"
_CONTROL = ("__resume__", "__interrupt__", "__error__")


@dataclass(frozen=True)
class _Taken:
    """A task that took answers."""

    config: dict[str, Any]
    task_id: str
    namespace: str
    resume: list[Any]
    finished: bool

    def kept(self, answers: dict[str, Any]) -> list[Any]:
        """The answers it took before this run."""
        for number in range(len(self.resume)):
            if _interrupt_id(self.namespace, number) in answers:
                return self.resume[:number]
        return self.resume


async def take_back(engine: "Engine", run: Run, *, rolled_back: bool) -> None:
    """Take a run's answers out of its tasks.

    Args:
        engine: The server.
        run: A run that has not succeeded.
        rolled_back: Whether what its tasks had done is undone, too.
    """
    answers: dict[str, Any] = run.kwargs.get("answers") or {}
    if not answers:
        return
    async with engine.graphs.open(run.graph_id, engine.executor.purpose(run)) as graph:
        snapshot = await graph.aget_state(cast("Any", address(run.thread_id)), subgraphs=True)
        async for task in _takers(engine, snapshot):
            kept = task.kept(answers)
            if len(kept) == len(task.resume) or (task.finished and not rolled_back):
                continue
            if task.finished:
                await _undo(engine, run.thread_id, task)
            await engine.backends.checkpointer.aput_writes(
                cast("Any", task.config), [(_RESUME, kept)], task.task_id
            )


async def _takers(engine: "Engine", snapshot: StateSnapshot) -> AsyncIterator[_Taken]:
    saved = await engine.backends.checkpointer.aget_tuple(snapshot.config)
    writes = (saved.pending_writes or []) if saved else []
    parent = snapshot.config.get("configurable", {}).get("checkpoint_ns", "")
    for task in snapshot.tasks:
        namespace = f"{parent}|{task.name}:{task.id}" if parent else f"{task.name}:{task.id}"
        mine = [(channel, value) for writer, channel, value in writes if writer == task.id]
        resume = next((v if isinstance(v, list) else [v] for c, v in mine if c == _RESUME), [])
        finished = any(channel not in _CONTROL for channel, _ in mine)
        if saved is not None:
            yield _Taken(dict(saved.config), task.id, namespace, resume, finished)
        if isinstance(task.state, StateSnapshot):
            async for inner in _takers(engine, task.state):
                yield inner


async def _undo(engine: "Engine", thread_id: str, task: _Taken) -> None:
    """Forget what a task that was rolled back had written."""
    if not isinstance(engine.backends.checkpointer, SqliteCheckpointer):
        return
    configurable = task.config["configurable"]

    def forget(conn: sqlite3.Connection) -> None:
        conn.execute(
            "DELETE FROM checkpoint_writes WHERE task_id = ? AND checkpoint_id = ? AND channel NOT IN (?, ?, ?)"
            " AND line IN (SELECT id FROM checkpoint_lines WHERE thread_id = ? AND ns = ?)",
            (
                task.task_id,
                configurable["checkpoint_id"],
                *_CONTROL,
                thread_id,
                configurable.get("checkpoint_ns", ""),
            ),
        )

    await engine.database.write(forget)
