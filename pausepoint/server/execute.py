"""Runs one run: opens its graph, streams it into the journal, and says how it ended."""

import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel
from langgraph.runtime import RunControl
from langgraph.types import Command, Send, StateSnapshot

from pausepoint.server.graphs import GraphRegistry, Purpose
from pausepoint.server.journal import Journal
from pausepoint.server.modes import Chunk, Translator, graph_modes
from pausepoint.server.serialize import to_json
from pausepoint.server.snapshots import address, distinct, interrupts_by_task
from pausepoint.server.tables.runs import Run
from pausepoint.server.users import ServedUser

Graph = Pregel[Any, Any, Any, Any]
_OWN_KEYS = ("thread_id", "run_id", "assistant_id", "graph_id", "checkpoint_ns", "checkpoint_map")
_ALL_MODES = ["values", "updates", "messages", "tools", "tasks", "checkpoints", "custom"]


@dataclass
class State:
    """What a thread looks like after a run, serialized once for the thread's row and for whoever waits."""

    status: str
    """The thread's status: idle or interrupted."""
    values: bytes | None
    interrupts: bytes
    waiting: list[dict[str, Any]]
    """The interrupts, each once."""
    answer: bytes
    """What a waiting client gets: the values, with `__interrupt__` when the graph waits."""
    nodes: dict[str, str] = field(default_factory=dict[str, str])
    """Task id → the node, for the tasks that are left."""
    checkpoint_id: str | None = None


@dataclass
class Active:
    """A run at work."""

    run: Run
    control: RunControl = field(default_factory=RunControl)
    cancel_action: str | None = None
    cancel_reason: str | None = None
    events: int = 0


class TooManyEvents(RuntimeError):
    """A run streamed more events than the server keeps."""


class Executor:
    """Streams graphs."""

    def __init__(self, graphs: GraphRegistry, journal: Journal, event_limit: int) -> None:
        """Keep what every run needs."""
        self._graphs = graphs
        self._journal = journal
        self._event_limit = event_limit

    def purpose(self, run: Run) -> Purpose:
        """How the run's graph is to be opened."""
        return Purpose(
            "threads.create_run",
            run_config(run),
            run.kwargs.get("context"),
            ServedUser.of(run.kwargs.get("user")),
        )

    async def stream(self, active: Active, given: Any) -> State:
        """Run the graph to its end or its next pause.

        Args:
            active: The run.
            given: The graph's input: an input, a Command, or None to carry on.

        Raises:
            Exception: Whatever a node raised.
        """
        run = active.run
        purpose = self.purpose(run)
        async with self._graphs.open(run.graph_id, purpose) as graph:
            if run.kwargs.get("protocol"):
                from pausepoint.server.protocol.translate import ProtocolTranslator

                translator: Translator | ProtocolTranslator = ProtocolTranslator()
                chunks = _protocol_chunks(graph, run, purpose, given, active.control)
            else:
                asked = run.kwargs["stream_mode"]
                translator = Translator(asked)
                chunks = _chunks(graph, run, purpose, given, active.control)
            latest = _Latest(graph)
            async for chunk in chunks:
                latest.see(chunk)
                for name, data in translator.events(chunk):
                    self._emit(active, name, data)
            return latest.state() or await self._state(graph, run.thread_id)

    async def state(self, run: Run) -> State:
        """The thread's state without running anything."""
        async with self._graphs.open(run.graph_id, self.purpose(run)) as graph:
            return await self._state(graph, run.thread_id)

    async def _state(self, graph: Graph, thread_id: str) -> State:
        snapshot = await graph.aget_state(cast("Any", address(thread_id)))
        return state_of(snapshot)

    def _emit(self, active: Active, name: str, data: Any) -> None:
        active.events += 1
        if active.events > self._event_limit:
            raise TooManyEvents(
                f"The run streamed more than {self._event_limit} events, which is the limit. "
                "Stream fewer modes, or raise --max-events."
            )
        run = active.run
        self._journal.emit(
            run.run_id, run.thread_id, name, to_json(data), store=bool(run.kwargs.get("stored", True))
        )


class _Latest:
    """The state a run ends with, as its own stream shows it: that spares reading a long thread once more."""

    def __init__(self, graph: Graph) -> None:
        # The stream of other graphs (the functional API) shows what they return, which is not their state.
        self._known = isinstance(graph, CompiledStateGraph)
        self._values: Any = None
        self._paused = False

    def see(self, chunk: Chunk) -> None:
        namespace, mode, payload = chunk
        if namespace or mode not in ("values", "updates"):
            return
        data: Any = payload["data"] if isinstance(payload, dict) and "ns" in payload else payload
        if isinstance(data, dict) and "__interrupt__" in data:
            self._paused = True
        elif mode == "values":
            self._values = data

    def state(self) -> State | None:
        """The state, or None when it has to be read: the graph waits, or nothing was shown."""
        if not self._known or self._paused or not isinstance(self._values, dict):
            return None
        values = to_json(self._values)
        return State("idle", values, b"{}", [], values)


def state_of(snapshot: StateSnapshot) -> State:
    """A snapshot as the thread's row keeps it."""
    values = to_json(snapshot.values)
    interrupts = interrupts_by_task(snapshot.tasks)
    waiting = distinct(snapshot.interrupts)
    status = "interrupted" if snapshot.next else "idle"
    answer = values
    if waiting and isinstance(snapshot.values, dict):
        answer = to_json({**snapshot.values, "__interrupt__": waiting})
    nodes = {task.id: task.name for task in snapshot.tasks}
    at = snapshot.config.get("configurable", {}).get("checkpoint_id")
    return State(status, values, to_json(interrupts), waiting, answer, nodes, at)


def run_config(run: Run) -> dict[str, Any]:
    """The RunnableConfig of a run: the caller's, with what only the server may say."""
    kwargs = run.kwargs
    config: dict[str, Any] = dict(kwargs.get("config") or {})
    own: dict[str, Any] = {
        k: v
        for k, v in (config.get("configurable") or {}).items()
        if not k.startswith(("__", "langgraph_auth_")) and k not in _OWN_KEYS
    }
    checkpoint = dict(kwargs.get("checkpoint") or {})
    if kwargs.get("checkpoint_id"):
        checkpoint["checkpoint_id"] = kwargs["checkpoint_id"]
    own.update(address(run.thread_id, checkpoint)["configurable"])
    own.update(run_id=run.run_id, assistant_id=run.assistant_id, graph_id=run.graph_id)
    user = kwargs.get("user")
    if user:
        own.update(
            langgraph_auth_user=ServedUser.of(user),
            langgraph_auth_user_id=user["identity"],
            langgraph_auth_permissions=user.get("permissions") or [],
        )
    own.update(kwargs.get("headers") or {})
    if kwargs.get("strict_resume"):
        own["__pregel_strict_resume"] = True
    config["configurable"] = own
    config["run_id"] = uuid.UUID(run.run_id)
    config["metadata"] = {
        **(config.get("metadata") or {}),
        **run.metadata,
        "run_id": run.run_id,
        "thread_id": run.thread_id,
        "graph_id": run.graph_id,
        "assistant_id": run.assistant_id,
        **({"user_id": user["identity"]} if user else {}),
    }
    return config


def run_input(run: Run) -> Any:
    """What the graph is given when the run starts afresh."""
    command = run.kwargs.get("command")
    return run.kwargs.get("input") if command is None else to_command(command)


def to_command(command: Mapping[str, Any]) -> Command[Any]:
    """A command from JSON."""
    goto: Any = command.get("goto")
    targets = cast("list[Any]", goto) if isinstance(goto, list) else ([] if goto is None else [goto])
    update: Any = command.get("update")
    if isinstance(update, list):
        update = [tuple(cast("list[Any]", pair)) for pair in cast("list[Any]", update)]
    return Command(
        update=update,
        resume=command.get("resume"),
        goto=[Send(t["node"], t.get("input")) if isinstance(t, dict) else t for t in targets],
    )


def _stream_arguments(run: Run, purpose: Purpose, control: RunControl) -> dict[str, Any]:
    kwargs = run.kwargs
    found: dict[str, Any] = {"control": control, "durability": kwargs.get("durability") or "sync"}
    for key in ("interrupt_before", "interrupt_after"):
        if kwargs.get(key) is not None:
            found[key] = kwargs[key]
    if purpose.context is not None:
        found["context"] = purpose.context
    return found


async def _chunks(
    graph: Graph, run: Run, purpose: Purpose, given: Any, control: RunControl
) -> AsyncGenerator[Chunk]:
    """What a graph streams in the modes of the run, with namespaces."""
    asked: list[str] = run.kwargs["stream_mode"]
    subgraphs = bool(run.kwargs.get("stream_subgraphs")) or "lifecycle" in asked
    arguments = _stream_arguments(run, purpose, control)
    modes = [*graph_modes(asked), *(mode for mode in ("values", "updates") if mode not in asked)]
    arguments.update(stream_mode=modes, subgraphs=subgraphs)
    if "events" in asked:
        source = _with_events(graph, run, purpose, given, arguments)
    else:
        source = graph.astream(given, cast("Any", purpose.config), **arguments)
    async for item in cast("AsyncIterator[Any]", source):
        if isinstance(item, dict):
            yield (), "events", item
        elif subgraphs:
            yield item
        else:
            yield (), item[0], item[1]


async def _with_events(
    graph: Graph, run: Run, purpose: Purpose, given: Any, arguments: dict[str, Any]
) -> AsyncGenerator[Any]:
    """LangChain's events, as dicts, and the graph's own chunks, which are found among them, as tuples."""
    async for event in graph.astream_events(given, cast("Any", purpose.config), version="v2", **arguments):
        found = cast("dict[str, Any]", event)
        if found["event"] == "on_chain_stream" and found["run_id"] == run.run_id:
            yield found["data"]["chunk"]
        yield found


async def _protocol_chunks(
    graph: Graph, run: Run, purpose: Purpose, given: Any, control: RunControl
) -> AsyncGenerator[Chunk]:
    """Everything a graph can tell, with messages as content-block events."""
    config = {**purpose.config}
    config["configurable"] = {**config["configurable"], "__pregel_stream_messages_v2": True}
    arguments = _stream_arguments(run, purpose, control)
    async for part in graph.astream(
        given,
        cast("Any", config),
        stream_mode=cast("Any", _ALL_MODES),
        subgraphs=True,
        version="v2",
        **arguments,
    ):
        part = cast("dict[str, Any]", part)
        yield tuple(part["ns"]), part["type"], part
