"""Deleting, pruning and copying threads; always durable, for their outcome is what was asked for."""

from collections.abc import Callable, Sequence
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from pausepoint.storage.checkpoints import deleting
from pausepoint.storage.database import Database
from pausepoint.storage.errors import StorageError


class Maintenance(BaseCheckpointSaver[Any]):
    """The part of the checkpointer that looks after whole threads."""

    database: Database

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread."""
        await self.database.write(lambda conn: deleting.delete_thread(conn, str(thread_id)))

    def delete_thread(self, thread_id: str) -> None:
        """`adelete_thread` for sync callers."""
        self.database.write_sync(lambda conn: deleting.delete_thread(conn, str(thread_id)))

    async def adelete_for_runs(self, run_ids: Sequence[str], *, thread_id: str | None = None) -> None:
        """Delete the checkpoints and writes of runs.

        Args:
            run_ids: The runs.
            thread_id: Leave other threads alone; a copy of a thread names the runs of the original.
        """
        await self.database.write(lambda conn: deleting.delete_runs(conn, run_ids, thread_id))

    def delete_for_runs(self, run_ids: Sequence[str], *, thread_id: str | None = None) -> None:
        """`adelete_for_runs` for sync callers."""
        self.database.write_sync(lambda conn: deleting.delete_runs(conn, run_ids, thread_id))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Make a thread a copy of another, with its whole history."""
        source, target = str(source_thread_id), str(target_thread_id)
        await self.database.write(lambda conn: deleting.copy_thread(conn, source, target))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """`acopy_thread` for sync callers."""
        source, target = str(source_thread_id), str(target_thread_id)
        self.database.write_sync(lambda conn: deleting.copy_thread(conn, source, target))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Thin threads out.

        Args:
            thread_ids: The threads.
            strategy: "keep_latest" keeps the latest checkpoint of each namespace with its pending writes, "delete"
                nothing. What delta channels are rebuilt from stays, out of sight.

        Raises:
            StorageError: The strategy is none of these.
        """
        prune = _strategy(strategy)
        for thread_id in thread_ids:
            await self.database.write(lambda conn, thread_id=thread_id: prune(conn, str(thread_id)))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """`aprune` for sync callers."""
        prune = _strategy(strategy)
        for thread_id in thread_ids:
            self.database.write_sync(lambda conn, thread_id=thread_id: prune(conn, str(thread_id)))


def _strategy(name: str) -> Callable[..., None]:
    strategies = {"keep_latest": deleting.keep_latest, "delete": deleting.delete_thread}
    if name not in strategies:
        raise StorageError(f"Unknown pruning strategy {name!r}: use one of {sorted(strategies)!r}.")
    return strategies[name]
