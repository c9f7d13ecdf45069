"""Pauses on disk: the row of everything that waits or has waited. Functions over a connection, for use in a transaction."""

import sqlite3
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from pausepoint.pauses.decisions import append, digest
from pausepoint.pauses.question import Question
from pausepoint.server.clock import now
from pausepoint.server.serialize import to_json

GRAPH = "the graph"


@dataclass(frozen=True)
class Actor:
    """Who did something: an authenticated user, a policy of ours, or somebody on a server without authentication."""

    identity: str
    kind: str

    @classmethod
    def of(cls, user: Mapping[str, Any] | None) -> "Actor":
        """The actor behind stored user data."""
        if user is None:
            return cls("anonymous", "unauthenticated")
        return cls(str(user["identity"]), str(user.get("kind") or "user"))

    def show(self) -> dict[str, str]:
        """As JSON."""
        return {"identity": self.identity, "kind": self.kind}


SERVER = Actor("policy:server", "policy")
DEADLINE = Actor("policy:deadline", "policy")


def open_of_thread(conn: sqlite3.Connection, thread_id: str) -> list[sqlite3.Row]:
    """What waits on a thread, oldest first."""
    return conn.execute(
        "SELECT * FROM pauses WHERE thread_id = ? AND status = 'open' ORDER BY number", (thread_id,)
    ).fetchall()


def latest(conn: sqlite3.Connection, thread_id: str, interrupt_id: str) -> sqlite3.Row | None:
    """The newest pause with an interrupt's id on a thread, whatever became of it."""
    return conn.execute(
        "SELECT * FROM pauses WHERE thread_id = ? AND interrupt_id = ? ORDER BY number DESC LIMIT 1",
        (thread_id, interrupt_id),
    ).fetchone()


def last_answered(conn: sqlite3.Connection, thread_id: str) -> sqlite3.Row | None:
    """The pause of a thread that was answered last."""
    return conn.execute(
        "SELECT * FROM pauses WHERE thread_id = ? AND status = 'answered' ORDER BY closed_at DESC LIMIT 1",
        (thread_id,),
    ).fetchone()


def elsewhere(conn: sqlite3.Connection, thread_id: str, interrupt_id: str) -> bool:
    """Whether an interrupt of that id belongs to another thread."""
    found = conn.execute(
        "SELECT 1 FROM pauses WHERE interrupt_id = ? AND thread_id != ? LIMIT 1", (interrupt_id, thread_id)
    ).fetchone()
    return found is not None


def by_id(conn: sqlite3.Connection, pause_id: str) -> sqlite3.Row | None:
    """A pause by its own id."""
    return conn.execute("SELECT * FROM pauses WHERE pause_id = ?", (pause_id,)).fetchone()


def insert(
    conn: sqlite3.Connection,
    question: Question,
    *,
    thread_id: str,
    interrupt_id: str,
    task_id: str,
    node: str | None,
    run_id: str | None,
    graph_id: str,
    assistant_id: str | None,
    graph_version: str | None,
    resume_with: Mapping[str, Any],
) -> str:
    """Open a pause and return its id."""
    moment, pause_id = now(), str(uuid.uuid4())
    values = {
        "pause_id": pause_id,
        "thread_id": thread_id,
        "interrupt_id": interrupt_id,
        "task_id": task_id,
        "node": node,
        "run_id": run_id,
        "graph_id": graph_id,
        "assistant_id": assistant_id,
        "graph_version": graph_version,
        "status": "open",
        "resume_with": to_json(resume_with).decode(),
        "opened_at": moment,
        "updated_at": moment,
        **_question_columns(question),
    }
    conn.execute(
        f"INSERT INTO pauses ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",  # noqa: S608
        list(values.values()),
    )
    note_event(conn, "opened", pause_id, thread_id)
    return pause_id


def ask_anew(conn: sqlite3.Connection, row: sqlite3.Row, question: Question) -> None:
    """Keep a pause's question equal to what the checkpoint holds: a node that ran again may word it otherwise."""
    columns = _question_columns(question)
    if columns["value"] == row["value"] and columns["schema"] == row["schema"]:
        return
    for name in ("assignee", "due_at", "remind_at", "on_expiry"):
        columns.pop(name)
    columns["updated_at"] = now()
    conn.execute(
        f"UPDATE pauses SET {', '.join(f'{name} = ?' for name in columns)} WHERE number = ?",  # noqa: S608
        [*columns.values(), row["number"]],
    )


def _question_columns(question: Question) -> dict[str, Any]:
    return {
        "kind": question.kind,
        "title": question.title,
        "value": to_json(question.value).decode(),
        "schema": None if question.schema is None else to_json(question.schema).decode(),
        "language": question.language,
        "search": question.search,
        "assignee": question.assignee,
        "due_at": question.due_at,
        "remind_at": question.remind_at,
        "on_expiry": None if question.on_expiry is None else to_json(question.on_expiry).decode(),
        "webhook": question.webhook,
    }


def close(
    conn: sqlite3.Connection,
    row: sqlite3.Row,
    status: str,
    actor: Actor,
    *,
    reason: str | None = None,
    answer: Any = None,
    run_id: str | None = None,
    attachments: Sequence[Mapping[str, Any]] = (),
    event: str | None = None,
) -> int:
    """End a pause and put that on record; returns the number of the entry."""
    seq = record(
        conn,
        row,
        event or status,
        actor,
        reason=reason,
        answer=answer,
        run_id=run_id,
        attachments=attachments,
    )
    moment = now()
    conn.execute(
        "UPDATE pauses SET status = ?, closed_at = ?, updated_at = ?, reason = ?, answer = ?, answered_by = ?,"
        " answer_run_id = ?, decision = ? WHERE number = ?",
        (
            status,
            moment,
            moment,
            reason,
            None if status not in ("answered", "expired") or run_id is None else to_json(answer).decode(),
            actor.identity,
            run_id,
            seq,
            row["number"],
        ),
    )
    note_event(conn, event or status, row["pause_id"], row["thread_id"])
    return seq


def reopen(conn: sqlite3.Connection, row: sqlite3.Row, reason: str) -> None:
    """Let a pause wait again: the answer did not get through. It becomes the draft."""
    record(conn, row, "reopened", SERVER, reason=reason, run_id=row["answer_run_id"])
    conn.execute(
        "UPDATE pauses SET on_expiry = CASE WHEN status = 'expired' THEN '{\"action\": \"none\"}' ELSE on_expiry END,"
        " status = 'open', closed_at = NULL, updated_at = ?, reason = ?, draft = coalesce(answer, draft),"
        " draft_by = answered_by, answer = NULL, answered_by = NULL, answer_run_id = NULL WHERE number = ?",
        (now(), reason, row["number"]),
    )
    note_event(conn, "reopened", row["pause_id"], row["thread_id"])


def record(
    conn: sqlite3.Connection,
    row: sqlite3.Row,
    event: str,
    actor: Actor,
    *,
    reason: str | None = None,
    answer: Any = None,
    run_id: str | None = None,
    attachments: Sequence[Mapping[str, Any]] = (),
) -> int:
    """Put what happened to a pause on the chained record; returns the number of the entry."""
    question = orjson.loads(row["value"])
    schema = None if row["schema"] is None else orjson.loads(row["schema"])
    entry = {
        "at": now(),
        "event": event,
        "actor": actor.show(),
        "pause_id": row["pause_id"],
        "thread_id": row["thread_id"],
        "interrupt_id": row["interrupt_id"],
        "graph_id": row["graph_id"],
        "run_id": run_id,
        "reason": reason,
        "question": question,
        "question_sha256": digest(question),
        "schema": schema,
        "schema_sha256": digest(schema),
        "answer": answer,
        "answer_sha256": digest(answer),
        "attachments": [dict(found) for found in attachments],
    }
    return append(conn, entry)[0]


def note_event(conn: sqlite3.Connection, event: str, pause_id: str, thread_id: str) -> None:
    """Tell the inbox's live feed."""
    conn.execute(
        "INSERT INTO pause_events (at, event, pause_id, thread_id) VALUES (?, ?, ?, ?)",
        (now(), event, pause_id, thread_id),
    )


def receipt(conn: sqlite3.Connection, row: sqlite3.Row) -> dict[str, Any]:
    """What became of a pause, for whoever comes after."""
    entry = None
    if row["decision"] is not None:
        entry = conn.execute("SELECT hash FROM decisions WHERE seq = ?", (row["decision"],)).fetchone()
    return {
        "pause_id": row["pause_id"],
        "thread_id": row["thread_id"],
        "interrupt_id": row["interrupt_id"],
        "status": row["status"],
        "answered_by": row["answered_by"],
        "closed_at": row["closed_at"],
        "answer": None if row["answer"] is None else orjson.loads(row["answer"]),
        "run_id": row["answer_run_id"],
        "reason": row["reason"],
        "decision": None if entry is None else {"seq": row["decision"], "hash": entry[0]},
    }
