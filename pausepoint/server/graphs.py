"""The project's graphs: compiled graphs, builders, factories and context managers, opened the same way.

A graph that cannot be imported does not keep the server from starting; whoever asks for it gets the reason.
"""

import asyncio
import inspect
import uuid
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import structlog
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel
from langgraph.store.base import BaseStore
from langgraph_sdk.runtime import (  # pyright: ignore[reportPrivateUsage]
    AccessContext,
    _ExecutionRuntime,
    _ReadRuntime,
)

from pausepoint.server.config import ProjectConfig
from pausepoint.server.errors import ApiError, ConfigError, NotFound
from pausepoint.server.loading import load_object
from pausepoint.server.serialize import trace_of

log = structlog.get_logger("pausepoint.server")

NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://pausepoint.dev/graphs")


def system_assistant_id(graph_id: str) -> str:
    """The id of the assistant that every graph has from the start."""
    return str(uuid.uuid5(NAMESPACE, graph_id))


@dataclass
class Purpose:
    """Why a graph is opened; a factory may build differently for it, with the same nodes."""

    access: AccessContext
    config: dict[str, Any] = field(default_factory=dict[str, Any])
    context: Any = None
    user: Any = None


@dataclass
class _Entry:
    graph_id: str
    target: str
    source: Any = None
    compiled: Pregel[Any, Any, Any, Any] | None = None
    error: str | None = None


class GraphRegistry:
    """All graphs of a project, by id."""

    def __init__(
        self,
        config: ProjectConfig,
        checkpointer: BaseCheckpointSaver[Any],
        store: BaseStore,
        *,
        show_traces: bool = True,
    ) -> None:
        """Know the graphs; `load` imports them.

        Args:
            config: The project.
            checkpointer: Replaces the one a graph was compiled with.
            store: Likewise.
            show_traces: Whether an answer may carry a failed import's traceback.
        """
        self._config = config
        self._checkpointer = checkpointer
        self._store = store
        self._show_traces = show_traces
        self._entries = {name: _Entry(name, target) for name, target in config.graphs.items()}

    async def load(self) -> None:
        """Import every graph; what fails is logged and remembered."""
        for entry in self._entries.values():
            try:
                entry.source = await asyncio.to_thread(load_object, entry.target, self._config.root)
                entry.compiled = await self._ready_made(entry.source)
            except Exception as error:
                entry.error = trace_of(error)
                log.error(
                    "graph failed to load", graph_id=entry.graph_id, target=entry.target, exc_info=error
                )

    def ids(self) -> list[str]:
        """The graphs' ids in the order of langgraph.json."""
        return list(self._entries)

    def __contains__(self, graph_id: object) -> bool:
        return graph_id in self._entries

    def failures(self) -> dict[str, str]:
        """Graph id → traceback of those that could not be imported."""
        return {e.graph_id: e.error for e in self._entries.values() if e.error}

    @asynccontextmanager
    async def open(self, graph_id: str, purpose: Purpose) -> AsyncGenerator[Pregel[Any, Any, Any, Any]]:
        """Give a graph that uses this server's checkpointer and store.

        Raises:
            NotFound: No such graph.
            ApiError: The graph could not be imported (its reason is in the message).
        """
        entry = self._entry(graph_id)
        if entry.compiled is not None:
            yield entry.compiled
            return
        made = self._call(entry.source, purpose)
        if inspect.isawaitable(made):
            made = await made
        if isinstance(made, AbstractAsyncContextManager):
            manager = cast("AbstractAsyncContextManager[Any]", made)
            async with manager as graph:
                yield self._bind(entry.graph_id, graph)
        elif isinstance(made, AbstractContextManager) and not isinstance(made, Pregel):
            with cast("AbstractContextManager[Any]", made) as graph:
                yield self._bind(entry.graph_id, graph)
        else:
            yield self._bind(entry.graph_id, made)

    def _entry(self, graph_id: str) -> _Entry:
        entry = self._entries.get(graph_id)
        if entry is None:
            raise NotFound("Graph", graph_id)
        if entry.error:
            reason = entry.error if self._show_traces else "See the server's log."
            raise ApiError(424, f"The graph {graph_id!r} could not be imported: {reason}")
        return entry

    async def _ready_made(self, source: Any) -> Pregel[Any, Any, Any, Any] | None:
        """A graph that is the same for every run: compiled, a builder, or a function without parameters."""
        if isinstance(source, (Pregel, StateGraph)):
            return self._bind("", source)
        if not callable(source):
            raise ConfigError(
                f"Expected a graph or a function that makes one, found {type(source).__name__}."
            )
        if _parameters(source) or _makes_context(source):
            return None
        made = source()
        if inspect.isawaitable(made):
            made = await made
        return self._bind("", made)

    def _bind(self, graph_id: str, graph: Any) -> Pregel[Any, Any, Any, Any]:
        if isinstance(graph, StateGraph):
            graph = cast("StateGraph[Any]", graph).compile()
        if not isinstance(graph, Pregel):
            raise ConfigError(f"The graph {graph_id!r} is a {type(graph).__name__}, not a LangGraph graph.")
        return cast("Pregel[Any, Any, Any, Any]", graph).copy(
            {"checkpointer": self._checkpointer, "store": self._store}
        )

    def _call(self, source: Any, purpose: Purpose) -> Any:
        arguments: dict[str, Any] = {}
        for parameter in _parameters(source):
            wants_runtime = "ServerRuntime" in str(parameter.annotation) or parameter.name == "runtime"
            arguments[parameter.name] = self._runtime(purpose) if wants_runtime else purpose.config
        return source(**arguments)

    def _runtime(self, purpose: Purpose) -> Any:
        if purpose.access == "threads.create_run":
            return _ExecutionRuntime(
                access_context=purpose.access, user=purpose.user, store=self._store, context=purpose.context
            )
        return _ReadRuntime(access_context=purpose.access, user=purpose.user, store=self._store)


def _parameters(source: Any) -> list[inspect.Parameter]:
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    found = [p for p in inspect.signature(source).parameters.values() if p.kind not in kinds]
    return [p for p in found if p.default is inspect.Parameter.empty or p.name in ("config", "runtime")]


def _makes_context(source: Any) -> bool:
    inner = inspect.unwrap(source)
    return inspect.isasyncgenfunction(inner) or inspect.isgeneratorfunction(inner)
