"""Forks a writer for each line it reads (job, path, seed): forking is quicker than importing everything anew.

The writer acknowledges on stdout what the checkpointer has acknowledged to it, until it is killed.
"""

import asyncio
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import empty_checkpoint

from pausepoint.storage.checkpointer import SqliteCheckpointer
from pausepoint.storage.connection import open_writer
from pausepoint.storage.database import Database
from pausepoint.storage.migrate import migrate
from pausepoint.storage.store import SqliteStore

THREADS = 4

MIGRATIONS = {
    "0001_old": "CREATE TABLE a (x); INSERT INTO a VALUES (zeroblob(2000000));",
    "0002_new": "CREATE TABLE b (y); INSERT INTO b SELECT x FROM a;" * 1,
    "0003_newer": "CREATE TABLE c (z);" + "INSERT INTO c SELECT y FROM b;" * 5,
}


def say(**what: Any) -> None:
    os.write(1, (json.dumps(what) + "\n").encode())


async def write_checkpoints(path: Path, seed: int) -> None:
    """Several threads at once: checkpoints, pending writes, copies and prunings, each said when it is acknowledged."""
    rng = random.Random(seed)
    async with await Database.open(path) as database:
        saver = SqliteCheckpointer(database, durable=seed % 2 == 0)
        await asyncio.gather(
            *(_one_thread(saver, SqliteStore(database), f"{seed}-{n}", rng) for n in range(THREADS))
        )


async def _one_thread(saver: SqliteCheckpointer, store: SqliteStore, thread: str, rng: random.Random) -> None:
    parent: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    messages: list[Any] = []
    for step in range(1, 100_000):
        messages = [*messages, HumanMessage(f"{thread} {step} " + "x" * rng.randrange(500), id=str(step))]
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = {"messages": messages, "photo": f"{step}" * 200}
        checkpoint["channel_versions"] = {"messages": step, "photo": step}
        versions = checkpoint["channel_versions"]
        parent = await saver.aput(parent, checkpoint, {"step": step}, versions)
        say(thread=thread, step=step, id=checkpoint["id"])
        await saver.aput_writes(parent, [("answer", step)], f"task{step}")
        say(thread=thread, write=step)
        await store.aput((thread,), str(step), {"step": step})
        say(thread=thread, item=step)
        if step % 20 == 0:
            say(thread=thread, pruning=step)
            await saver.aprune([thread])
        if step % 7 == 0:
            await saver.acopy_thread(thread, f"{thread}-copy")
            say(thread=thread, copied=step)


async def run_migrations(path: Path, seed: int) -> None:
    """Bring an old file forward, again and again."""
    conn = open_writer(path)
    say(starting=True)
    migrate(conn, path, MIGRATIONS)
    say(migrated=True)
    conn.close()


async def write_together(path: Path, seed: int) -> None:
    """A share of what two processes write to one file at once."""
    async with await Database.open(path) as database:
        saver = SqliteCheckpointer(database, durable=False)
        parent: Any = {"configurable": {"thread_id": f"own {seed}", "checkpoint_ns": ""}}
        for step in range(1, 61):
            checkpoint = empty_checkpoint()
            checkpoint["channel_values"] = {"list": [f"{seed} {n}" + "x" * 300 for n in range(step)]}
            checkpoint["channel_versions"] = {"list": step}
            parent = await saver.aput(parent, checkpoint, {"step": step}, {"list": step})
            common: Any = {"configurable": {"thread_id": "common", "checkpoint_ns": ""}}
            latest = await saver.aget_tuple(common)
            mine = [
                *(latest.checkpoint["channel_values"]["list"] if latest else []),
                f"{seed} {step}" + "y" * 300,
            ]
            checkpoint = empty_checkpoint()
            checkpoint["channel_values"] = {"list": mine}
            checkpoint["channel_versions"] = {"list": step}
            await saver.aput(
                latest.config if latest else common, checkpoint, {"says": mine[-1]}, {"list": step}
            )
    say(done=seed)


JOBS = {"checkpoints": write_checkpoints, "migrations": run_migrations, "together": write_together}


def main() -> None:
    """Fork and say the child's pid first, and that it has ended last."""
    for line in sys.stdin:
        for job in json.loads(line):
            child = os.fork()
            if child == 0:
                name, path, seed = job
                say(pid=os.getpid())
                asyncio.run(JOBS[name](Path(path), seed))
                os._exit(0)
        while True:
            try:
                _, status = os.wait()
            except ChildProcessError:
                break
            say(ended=status)


if __name__ == "__main__":
    main()
