"""The ledger of effects: what a node does to the outside world happens once, however often the node runs.

    async with effect(runtime, "send-receipt") as once:
        if once:
            once.result = await send(mail, idempotency_key=once.key)

A crash between the effect and the note of it leaves it in doubt. It is then tried again under the same `once.key`, which
the outside world can tell apart; where it cannot, say `in_doubt="stop"`, or use `once.post` and `once.mail`: what they
queue commits together with the note.
"""

import hashlib
import sqlite3
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from pausepoint.errors import PausepointError
from pausepoint.pauses import outbox
from pausepoint.server.clock import now
from pausepoint.storage.database import Database

_current: list[Database] = []
_opened: list[Database] = []


class EffectInDoubt(PausepointError):
    """Nobody can say whether the effect happened: the process ended in the middle of it."""


@dataclass
class Once:
    """One effect; true when it is to be done now."""

    key: str
    name: str
    todo: bool
    in_doubt: bool = False
    """Whether an earlier attempt ended in the middle."""
    attempt: int = 1
    result: Any = None
    """JSON; set it when the effect is done, read it when it was done before."""
    _queued: list[tuple[str, str, str, Any, Mapping[str, str]]] = field(
        default_factory=list["tuple[str, str, str, Any, Mapping[str, str]]"]
    )

    def __bool__(self) -> bool:
        return self.todo

    def post(self, url: str, body: Any, headers: Mapping[str, str] | None = None) -> None:
        """Have JSON sent to an address; the receiver gets `Idempotency-Key`."""
        self._queue("http", url, body, headers or {})

    def mail(self, to: str, subject: str, text: str) -> None:
        """Have a mail sent."""
        self._queue("email", to, {"subject": subject, "text": text}, {})

    def _queue(self, kind: str, target: str, body: Any, headers: Mapping[str, str]) -> None:
        self._queued.append((f"{self.key}-{len(self._queued)}", kind, target, body, headers))

    def commit(self, conn: sqlite3.Connection) -> None:
        """Note that it is done, and queue what is to be sent, in one transaction."""
        for key, kind, target, body, headers in self._queued:
            outbox.put(conn, key, kind, target, body, headers)
        conn.execute(
            "UPDATE effects SET status = 'done', result = ?, error = NULL, updated_at = ? WHERE key = ?",
            (orjson.dumps(self.result).decode(), now(), self.key),
        )


@asynccontextmanager
async def effect(
    runtime: Any, name: str, *, key: str | None = None, in_doubt: Literal["retry", "stop"] = "retry"
) -> AsyncGenerator[Once]:
    """Do something once per task of a thread, or once per key.

    Args:
        runtime: The node's LangGraph runtime.
        name: What it is; unique within the node.
        key: A key of your own (an order's number, for example), for effects that must stay single across forks of the
            thread and with durability `async` or `exit`, where a crash may run a task anew under another id.
        in_doubt: What to do when an earlier attempt ended in the middle: try again under the same key, or stop.

    Raises:
        EffectInDoubt: An earlier attempt ended in the middle, and `in_doubt` is stop.
    """
    thread_id, task_id = _place(runtime)
    found = hashlib.sha256(
        "\n".join([thread_id, "", key] if key else [thread_id, task_id, name]).encode()
    ).hexdigest()
    database = await _ledger()
    once = await database.write(lambda conn: _begin(conn, found, thread_id, task_id, name))
    if once.in_doubt and in_doubt == "stop":
        raise EffectInDoubt(
            f"The effect {name!r} of thread {thread_id!r} began before and nobody knows whether it happened. Look, then "
            f"say so: await pausepoint.pauses.effects.settle({found!r}, happened=True)."
        )
    try:
        yield once
    except BaseException as error:
        text = f"{type(error).__name__}: {error}"
        if once.todo and isinstance(error, Exception):
            await database.write(lambda conn: _fail(conn, found, text))
        raise
    if once.todo:
        await database.write(once.commit)


async def settle(key: str, *, happened: bool, result: Any = None) -> None:
    """Say what became of an effect in doubt; the next run goes by it.

    Args:
        key: The effect's key, from the error.
        happened: Whether the outside world has it.
        result: What nodes read as its result.
    """
    database = await _ledger()
    status = "done" if happened else "failed"
    text = orjson.dumps(result).decode()
    await database.write(
        lambda conn: (
            conn.execute(
                "UPDATE effects SET status = ?, result = ?, updated_at = ? WHERE key = ? AND status = 'pending'",
                (status, text, now(), key),
            ).rowcount
        )
    )


def set_ledger(database: Database | None) -> None:
    """Say which database keeps the ledger in this process."""
    _current.clear()
    if database is not None:
        _current.append(database)


async def _ledger() -> Database:
    if _current:
        return _current[-1]
    if not _opened:
        from pausepoint.settings import get_settings

        _opened.append(await Database.open(get_settings().data / "pausepoint.sqlite"))
    return _opened[-1]


def _place(runtime: Any) -> tuple[str, str]:
    info = getattr(runtime, "execution_info", None)
    if info is None or info.thread_id is None:
        raise PausepointError("An effect needs a thread: run the graph with a checkpointer and a thread_id.")
    return str(info.thread_id), str(info.task_id)


def _begin(conn: sqlite3.Connection, key: str, thread_id: str, task_id: str, name: str) -> Once:
    row = conn.execute("SELECT * FROM effects WHERE key = ?", (key,)).fetchone()
    if row is None:
        conn.execute(
            "INSERT INTO effects VALUES (?, ?, ?, ?, 'pending', 1, NULL, NULL, ?, ?)",
            (key, thread_id, task_id, name, now(), now()),
        )
        return Once(key, name, todo=True)
    if row["status"] == "done":
        return Once(
            key, name, todo=False, attempt=row["attempts"], result=orjson.loads(row["result"] or "null")
        )
    conn.execute(
        "UPDATE effects SET status = 'pending', attempts = attempts + 1, updated_at = ? WHERE key = ?",
        (now(), key),
    )
    return Once(key, name, todo=True, in_doubt=row["status"] == "pending", attempt=row["attempts"] + 1)


def _fail(conn: sqlite3.Connection, key: str, error: str) -> None:
    conn.execute(
        "UPDATE effects SET status = 'failed', error = ?, updated_at = ? WHERE key = ?",
        (error[:1000], now(), key),
    )
