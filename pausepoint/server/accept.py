"""Accepts a run: checked, recorded and bound to its thread in one transaction, before the client is told.

Others may take part in that transaction (`Acceptor`), for example to check an answer to a pause; what they raise is the
answer, and nothing has changed.
"""

import re
import sqlite3
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from pausepoint.errors import PausepointError
from pausepoint.server.clock import later, now
from pausepoint.server.errors import Conflict, Invalid, NotFound, TooMany
from pausepoint.server.schemas import RunBody
from pausepoint.server.serialize import to_json
from pausepoint.server.tables import runs as runs_table
from pausepoint.server.tables import threads as threads_table
from pausepoint.server.tables.filters import Where
from pausepoint.server.tables.runs import Run

_INTERRUPT_ID = re.compile(r"[0-9a-f]{32}")
_KEPT = (
    "input",
    "context",
    "stream_subgraphs",
    "stream_resumable",
    "interrupt_before",
    "interrupt_after",
    "feedback_keys",
    "webhook",
    "checkpoint_id",
    "durability",
    "on_completion",
    "on_disconnect",
    "strict_resume",
)


@dataclass
class Draft:
    """A run that was asked for."""

    body: RunBody
    thread_id: str | None
    """None: a run without a thread; it gets its own, which goes away with it."""
    graph_ids: Mapping[str, str]
    """Graph id → its system assistant, so that a graph's name can stand for its assistant."""
    user: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])
    thread_filters: Mapping[str, Any] | None = None
    assistant_filters: Mapping[str, Any] | None = None
    thread_metadata: Mapping[str, Any] | None = None
    """What an authorization handler wants to be in a new thread's metadata."""
    stored: bool = True
    """Whether its events are kept for replay."""
    protocol: bool = False
    """Whether it was started by the thread stream protocol and streams everything."""
    immediate: bool = False
    """Whether a worker is free, so that the run starts with its acceptance."""
    queue_limit: int = 100_000
    cron_id: str | None = None
    thread_ttl: Mapping[str, Any] | None = None
    actor: dict[str, Any] | None = None
    """Who decides, when it is not the user the run works for (a deadline's policy, for example)."""
    idempotency_key: str | None = None
    asked_at: str = field(default_factory=now)
    """When the request came in."""


class Repeated(PausepointError):
    """The same request was accepted before; its run is the answer."""

    def __init__(self, run: Run) -> None:
        """Keep the run."""
        super().__init__(f"Run {run.run_id!r} was accepted for the same request before.")
        self.run = run


@dataclass
class Accepted:
    """A run that is on disk."""

    run: Run
    replaced: list[Run]
    """Earlier runs of the thread that have to stop first."""
    action: str | None = None
    """How they stop: interrupt or rollback."""


Lookup = Callable[[sqlite3.Connection, Draft], Run | None]
"""Finds the run that was accepted for the same request before."""

Acceptor = Callable[[sqlite3.Connection, Draft, Run, sqlite3.Row, Sequence[Run]], None]
"""Takes part in the transaction: (connection, what was asked, the run to be stored, its thread's row, unfinished runs)."""


def accept(conn: sqlite3.Connection, draft: Draft, acceptors: Sequence[Acceptor] = ()) -> Accepted:
    """Record a run.

    Raises:
        NotFound: No such thread or assistant.
        Conflict: The thread is busy and the caller wants no other run then.
        TooMany: The queue is full.
    """
    if runs_table.queue_length(conn) >= draft.queue_limit:
        raise TooMany(f"{draft.queue_limit} runs are waiting, which is the limit. Try again later.", 5)
    assistant = _assistant(conn, draft)
    thread = _thread(conn, draft, assistant)
    unfinished = runs_table.unfinished_of_thread(conn, thread["thread_id"])
    run = _run(draft, assistant, thread["thread_id"])
    replaced = _resolve_busy(run, unfinished)
    if not unfinished:
        _bind_answers(run, thread)
        if draft.immediate and not draft.body.after_seconds:
            run.status, run.attempt = "running", 1
    for acceptor in acceptors:
        acceptor(conn, draft, run, thread, unfinished)
    runs_table.insert(conn, run)
    _mark_busy(conn, thread, assistant)
    return Accepted(run, replaced, run.multitask_strategy if replaced else None)


def _assistant(conn: sqlite3.Connection, draft: Draft) -> sqlite3.Row:
    asked = draft.body.assistant_id
    where = Where()
    where.add("assistant_id = ?", draft.graph_ids.get(asked, asked))
    if asked not in draft.graph_ids:
        where.allowed("metadata", draft.assistant_filters)
    row = conn.execute(f"SELECT * FROM assistants WHERE {where.sql()}", where.values).fetchone()  # noqa: S608
    if row is None:
        raise NotFound("Assistant", asked)
    return row


def _thread(conn: sqlite3.Connection, draft: Draft, assistant: sqlite3.Row) -> sqlite3.Row:
    metadata = {**(draft.thread_metadata or {}), "graph_id": assistant["graph_id"]}
    if draft.thread_id is None:
        thread_id = threads_table.insert(conn, None, metadata)
        return threads_table.row_of(conn, thread_id, None)
    missing = not threads_table.exists(conn, draft.thread_id)
    if missing and draft.body.if_not_exists == "create":
        threads_table.insert(conn, draft.thread_id, metadata, draft.thread_ttl)
        return threads_table.row_of(conn, draft.thread_id, None)
    return threads_table.row_of(conn, draft.thread_id, draft.thread_filters)


def _run(draft: Draft, assistant: sqlite3.Row, thread_id: str) -> Run:
    body = draft.body
    moment = now()
    return Run(
        run_id=str(uuid.uuid4()),
        thread_id=thread_id,
        assistant_id=assistant["assistant_id"],
        status="pending",
        metadata={**(body.metadata or {}), **({"cron_id": draft.cron_id} if draft.cron_id else {})},
        kwargs=_kwargs(draft, assistant),
        multitask_strategy=body.multitask_strategy or "enqueue",
        created_at=moment,
        updated_at=moment,
        start_after=later(body.after_seconds) if body.after_seconds else moment,
    )


def _kwargs(draft: Draft, assistant: sqlite3.Row) -> dict[str, Any]:
    body = draft.body
    kwargs = {name: value for name in _KEPT if (value := getattr(body, name)) is not None}
    if body.command is not None:
        kwargs["command"] = body.command.model_dump(exclude_unset=True)
    if body.checkpoint is not None:
        kwargs["checkpoint"] = body.checkpoint.model_dump(exclude_none=True, exclude={"thread_id"})
    if body.checkpoint_during is False and body.durability is None:
        kwargs["durability"] = "exit"
    kwargs["graph_id"] = assistant["graph_id"]
    kwargs["config"] = _merged_config(body, orjson.loads(assistant["config"]))
    context = {**orjson.loads(assistant["context"]), **(body.context or {})}
    if context:
        kwargs["context"] = context
    modes = body.stream_mode
    kwargs["stream_mode"] = [modes] if isinstance(modes, str) else list(dict.fromkeys(modes or []))
    kwargs["stored"] = draft.stored
    if draft.protocol:
        kwargs["protocol"] = True
    if draft.thread_id is None:
        kwargs["temporary"] = body.on_completion != "keep"
    if draft.user is not None:
        kwargs["user"] = draft.user
    if draft.headers:
        kwargs["headers"] = draft.headers
    return kwargs


def _merged_config(body: RunBody, base: dict[str, Any]) -> dict[str, Any]:
    own = body.config.model_dump(exclude_none=True) if body.config else {}
    configurable = {**(base.get("configurable") or {}), **(own.get("configurable") or {})}
    tags = list(dict.fromkeys([*(base.get("tags") or []), *(own.get("tags") or [])]))
    merged = {**base, **own}
    if configurable:
        merged["configurable"] = configurable
    if tags:
        merged["tags"] = tags
    return merged


def _resolve_busy(run: Run, unfinished: Sequence[Run]) -> list[Run]:
    """Which of the thread's runs have to go for this one."""
    if not unfinished or run.multitask_strategy == "enqueue":
        return []
    if run.multitask_strategy == "reject":
        raise Conflict(
            f"Thread {run.thread_id!r} is busy with run {unfinished[0].run_id!r}. Wait for it, or choose the "
            "multitask strategy enqueue, interrupt or rollback."
        )
    return list(unfinished)


def _bind_answers(run: Run, thread: sqlite3.Row) -> None:
    """Turn an answer without an address into one that names the one question it can mean.

    So a crash between answering and asking the next question cannot answer the next one, too.
    """
    command = run.kwargs.get("command") or {}
    if command.get("resume") is None or "checkpoint" in run.kwargs or "checkpoint_id" in run.kwargs:
        return
    resume = command["resume"]
    if is_keyed(resume):
        run.kwargs["answers"] = resume
        return
    pending = pending_ids(thread)
    if len(pending) == 1:
        run.kwargs["answers"] = command["resume"] = {pending[0]: resume}


def is_keyed(resume: Any) -> bool:
    """Whether a resume value maps interrupt ids to answers."""
    return isinstance(resume, dict) and bool(resume) and all(_INTERRUPT_ID.fullmatch(str(k)) for k in resume)


def pending_ids(thread: sqlite3.Row) -> list[str]:
    """The ids of the interrupts a thread waits on."""
    found: dict[str, None] = {}
    for interrupts in orjson.loads(thread["interrupts"]).values():
        for interrupt in interrupts:
            found[interrupt["id"]] = None
    return list(found)


def _mark_busy(conn: sqlite3.Connection, thread: sqlite3.Row, assistant: sqlite3.Row) -> None:
    metadata = orjson.loads(thread["metadata"])
    metadata.update(graph_id=assistant["graph_id"], assistant_id=assistant["assistant_id"])
    conn.execute(
        "UPDATE threads SET status = 'busy', metadata = ?, updated_at = ? WHERE number = ?",
        (to_json(metadata).decode(), now(), thread["number"]),
    )


def check_webhook(url: str | None) -> None:
    """Refuse a webhook that is no http(s) address.

    Raises:
        Invalid: It is none.
    """
    if url is not None and not re.match(r"https?://[^\s/]+", url):
        raise Invalid(f"The webhook {url!r} is no http or https address.")
