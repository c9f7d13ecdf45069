"""What a run has to do after a crash: carry on from its last checkpoint, without answering a question twice."""

from dataclasses import dataclass
from typing import Any, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command, StateSnapshot, _interrupt_id  # pyright: ignore[reportPrivateUsage]

from pausepoint.server.execute import Executor, Graph, State, run_input, state_of
from pausepoint.server.graphs import GraphRegistry
from pausepoint.server.snapshots import address
from pausepoint.server.tables.runs import Run

_RESUME = "__resume__"
_INTERRUPT = "__interrupt__"


@dataclass
class Plan:
    """How a run goes on."""

    given: Any = None
    """The graph's input: the original one, a Command with the answers not yet taken, or None to carry on."""
    finished: State | None = None
    """Set when the graph was through and only the record of it was lost."""


@dataclass
class _Question:
    """A task that asked something: how many answers it has taken, and what it asked last."""

    namespace: str
    taken: int
    asked: str | None

    @property
    def waits(self) -> bool:
        """Whether its last question is open (an answer taken since makes it old)."""
        return self.asked is not None and self.asked == _interrupt_id(self.namespace, self.taken)

    def has_taken(self, interrupt_id: str) -> bool:
        """Whether the answer to this interrupt was taken before the crash."""
        return any(_interrupt_id(self.namespace, n) == interrupt_id for n in range(self.taken))


async def plan(
    executor: Executor, graphs: GraphRegistry, checkpointer: BaseCheckpointSaver[Any], run: Run
) -> Plan:
    """Look at the checkpoints and decide.

    Args:
        executor: Knows how the run opens its graph.
        graphs: The graphs.
        checkpointer: Where the checkpoints are.
        run: A run that was started before and has no recorded end.
    """
    async with graphs.open(run.graph_id, executor.purpose(run)) as graph:
        snapshot = await graph.aget_state(cast("Any", address(run.thread_id)), subgraphs=True)
        advanced = (snapshot.metadata or {}).get("run_id") == run.run_id
        answers: dict[str, Any] = run.kwargs.get("answers") or {}
        if not advanced and not answers:
            return Plan(given=run_input(run))
        questions = await _questions(checkpointer, snapshot)
        if not advanced:
            open_answers = {
                key: value
                for key, value in answers.items()
                if not any(question.has_taken(key) for question in questions)
            }
            if open_answers:
                return Plan(given=_with_answers(run, open_answers))
        if _is_through(snapshot, questions):
            return Plan(finished=await _latest(graph, run))
        return Plan(given=None)


async def progress(checkpointer: BaseCheckpointSaver[Any], run: Run) -> str:
    """How far a thread has come: its latest checkpoint, and how much of the step after it is done."""
    saved = await checkpointer.aget_tuple(cast("Any", address(run.thread_id)))
    if saved is None:
        return "nothing"
    return f"{saved.checkpoint['id']} and {len(saved.pending_writes or [])}"


def gave_up(attempts: int) -> dict[str, str]:
    """Why a run is not tried again."""
    return {
        "error": "TooManyAttempts",
        "message": f"The server ended {attempts} times at the same step of this run; it is not tried again. "
        "A node that ends the process (out of memory, a native crash) is the usual reason.",
    }


def _with_answers(run: Run, answers: dict[str, Any]) -> Command[Any]:
    command = cast("Command[Any]", run_input(run))
    return Command(update=command.update, resume=answers, goto=command.goto)


def _is_through(snapshot: StateSnapshot, questions: list[_Question]) -> bool:
    """Whether nothing is left to do: the end is reached, or every task that is left waits for an answer."""
    if not snapshot.next:
        # Tasks that have written but whose step was never closed are not named as next, and yet the graph goes on.
        return not snapshot.tasks
    waiting = {q.asked for q in questions if q.waits}
    return all(
        task.interrupts and all(i.id in waiting for i in task.interrupts)
        for task in snapshot.tasks
        if task.result is None
    )


async def _latest(graph: Graph, run: Run) -> State:
    return state_of(await graph.aget_state(cast("Any", address(run.thread_id))))


async def _questions(checkpointer: BaseCheckpointSaver[Any], snapshot: StateSnapshot) -> list[_Question]:
    """All tasks, of subgraphs too, that have asked something."""
    saved = await checkpointer.aget_tuple(snapshot.config)
    writes = (saved.pending_writes or []) if saved else []
    parent = snapshot.config.get("configurable", {}).get("checkpoint_ns", "")
    found: list[_Question] = []
    for task in snapshot.tasks:
        namespace = f"{parent}|{task.name}:{task.id}" if parent else f"{task.name}:{task.id}"
        found.append(_question(namespace, task.id, writes))
        if isinstance(task.state, StateSnapshot):
            found += await _questions(checkpointer, task.state)
    return found


def _question(namespace: str, task_id: str, writes: list[Any]) -> _Question:
    taken, asked = 0, None
    for writer, channel, value in writes:
        if writer != task_id:
            continue
        if channel == _RESUME:
            taken = len(value) if isinstance(value, list) else 1
        elif channel == _INTERRUPT and value:
            asked = value[0].id if isinstance(value, (list, tuple)) else getattr(value, "id", None)
    return _Question(namespace, taken, asked)
