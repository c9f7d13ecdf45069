"""The checkpointer and the store the graphs get: those on the server's own file, or the ones langgraph.json names."""

import inspect
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack
from dataclasses import dataclass
from typing import Any, cast

import structlog
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from pausepoint.server.config import ProjectConfig
from pausepoint.server.errors import ConfigError
from pausepoint.server.loading import load_object
from pausepoint.storage import checkpointer as own_checkpointer
from pausepoint.storage.checkpointer import SqliteCheckpointer
from pausepoint.storage.database import Database

log = structlog.get_logger("pausepoint.server")


@dataclass
class Backends:
    """What is opened once for all graphs."""

    checkpointer: BaseCheckpointSaver[Any]
    store: BaseStore
    _stack: AsyncExitStack

    @classmethod
    async def open(cls, config: ProjectConfig, database: Database) -> "Backends":
        """Open both.

        Raises:
            ConfigError: langgraph.json names something else than a checkpointer or a store.
        """
        stack = AsyncExitStack()
        saver: Any = await _named(config.checkpointer, config, stack)
        if saver is None:
            # The server's own writes that acknowledge something wait for the disk, and with them what came before.
            saver = SqliteCheckpointer(database, durable=False)
        if not isinstance(saver, BaseCheckpointSaver):
            raise ConfigError(f"'checkpointer' names {saver!r}, which is no BaseCheckpointSaver.")
        store: Any = await _named(config.store, config, stack) or await _own_store(config, database, stack)
        if not isinstance(store, BaseStore):
            raise ConfigError(f"'store' names {store!r}, which is no BaseStore.")
        return cls(cast("BaseCheckpointSaver[Any]", saver), store, stack)

    async def close(self) -> None:
        """Close what was opened."""
        await self._stack.aclose()

    async def forget_thread(self, thread_id: str) -> None:
        """Delete a thread's checkpoints."""
        await self.checkpointer.adelete_thread(thread_id)

    async def forget_runs(self, run_ids: Sequence[str], thread_id: str) -> None:
        """Delete the checkpoints that runs made."""
        if isinstance(self.checkpointer, SqliteCheckpointer):
            await self.checkpointer.adelete_for_runs(run_ids, thread_id=thread_id)
            return
        try:
            await self.checkpointer.adelete_for_runs(run_ids)
        except NotImplementedError:
            log.warning(
                "this checkpointer cannot take back a run", checkpointer=type(self.checkpointer).__name__
            )

    async def copy_thread(self, source: str, target: str) -> None:
        """Copy all checkpoints of a thread to another."""
        await self.checkpointer.acopy_thread(source, target)

    async def keep_latest(self, thread_ids: Sequence[str]) -> None:
        """Delete all but the latest checkpoint of each thread."""
        await self.checkpointer.aprune(thread_ids, strategy="keep_latest")


async def _named(target: str | None, config: ProjectConfig, stack: AsyncExitStack) -> Any:
    """The object langgraph.json names: an instance, a factory, or a context manager of one."""
    if target is None or target == "default":
        return None
    found = load_object(target, config.root)
    if _is_own(found):
        return None
    if callable(found) and not isinstance(found, (BaseCheckpointSaver, BaseStore)):
        found = cast("Callable[[], Any]", found)()
    if inspect.isawaitable(found):
        found = await found
    if isinstance(found, AbstractAsyncContextManager):
        return await stack.enter_async_context(cast("AbstractAsyncContextManager[Any]", found))
    if isinstance(found, AbstractContextManager):
        return stack.enter_context(cast("AbstractContextManager[Any]", found))
    return found


def _is_own(found: Any) -> bool:
    """Whether a project names this package's factories: here they mean the server's own file."""
    return getattr(found, "__module__", "").startswith("pausepoint.storage") or found is own_checkpointer


async def _own_store(config: ProjectConfig, database: Database, stack: AsyncExitStack) -> BaseStore:
    try:
        from pausepoint.storage.store import SqliteStore  # pyright: ignore
    except ImportError:
        return InMemoryStore()
    return cast("BaseStore", SqliteStore(database))
