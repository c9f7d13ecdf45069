"""Accepts answers, on every road by which one can come, inside the transaction that stores the run they start.

An answer is checked against its question's schema, bound to exactly one open pause, and put on record, before any graph
sees it. What is refused has changed nothing.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from pausepoint.pauses import attachments, rows
from pausepoint.pauses.check import FieldError, field_errors
from pausepoint.pauses.normalise import candidates
from pausepoint.pauses.question import MARK
from pausepoint.pauses.rows import Actor
from pausepoint.pauses.rules import check_new_work
from pausepoint.server.accept import Draft, is_keyed
from pausepoint.server.errors import ApiError, Conflict, Invalid, NotFound
from pausepoint.server.tables.runs import Run

SECOND_CLICK_SECONDS = 1.0
"""How soon after a question opened an answer that does not name it and equals the one before is a second click."""


@dataclass(frozen=True)
class Fitting:
    """An answer as the graph will get it."""

    row: sqlite3.Row
    answer: Any
    attachments: Sequence[Mapping[str, Any]] = ()


class WrongAnswer(Invalid):
    """The answer does not fit its question; nothing has changed."""

    def __init__(self, row: sqlite3.Row, errors: Sequence[FieldError]) -> None:
        """Say what is wrong, field by field."""
        first = f"{errors[0].field}: {errors[0].message}" if errors[0].field else errors[0].message
        more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
        super().__init__(
            f"The answer to {row['title']!r} was not accepted: {first}{more}",
            {
                "errors": [error.show() for error in errors],
                "pause_id": row["pause_id"],
                "interrupt_id": row["interrupt_id"],
            },
        )
        self.errors = errors


def take_part(
    conn: sqlite3.Connection, draft: Draft, run: Run, thread: sqlite3.Row, unfinished: Sequence[Run]
) -> None:
    """The acceptor: checks and records answers, and protects open pauses from everything else.

    Raises:
        Invalid: 422, the answer is wrong or names no question.
        Conflict: 409 with the receipt, it was answered already; or it would discard what waits.
        NotFound: 404, no such question.
        ApiError: 410, the question is closed.
    """
    command = draft.body.command
    if command is None or "resume" not in command.model_fields_set:
        check_new_work(conn, draft, run, thread)
        return
    answers = _addressed(conn, draft, thread, unfinished, command.resume)
    actor = Actor.of(draft.actor or draft.user)
    fitting = [_fit(conn, thread, key, answer, actor) for key, answer in answers.items()]
    _check_place(run, thread, fitting)
    for found in fitting:
        rows.close(
            conn,
            found.row,
            "expired" if actor == rows.DEADLINE else "answered",
            actor,
            answer=found.answer,
            run_id=run.run_id,
            attachments=found.attachments,
        )
        attachments.keep(conn, found.attachments, str(thread["thread_id"]))
    bound = {found.row["interrupt_id"]: found.answer for found in fitting}
    run.kwargs["command"]["resume"] = bound
    run.kwargs["answers"] = bound


def try_answer(conn: sqlite3.Connection, row: sqlite3.Row, answer: Any, actor: Actor) -> Fitting:
    """Check an answer against its pause without recording anything.

    Raises:
        WrongAnswer: It does not fit.
    """
    found = _with_schema(row, answer)
    schema = None if row["schema"] is None else orjson.loads(row["schema"])
    errors, used = attachments.check(conn, found, schema, actor.identity, row["language"])
    if errors:
        raise WrongAnswer(row, errors)
    return Fitting(row, found, used)


def _addressed(
    conn: sqlite3.Connection, draft: Draft, thread: sqlite3.Row, unfinished: Sequence[Run], resume: Any
) -> dict[str, Any]:
    """Interrupt id → answer; an answer without an id means the only open question, if there is just one."""
    if is_keyed(resume):
        return dict(resume)
    waiting = rows.open_of_thread(conn, str(thread["thread_id"]))
    before = rows.last_answered(conn, str(thread["thread_id"]))
    if unfinished and before is not None:
        raise _told(
            conn, before, "The thread is at work on an answer; name the interrupt id to answer another."
        )
    if not waiting:
        if before is not None:
            raise _told(conn, before, "Nothing waits here any more; the last question was answered.")
        raise Conflict(f"Thread {thread['thread_id']!r} waits for no answer.")
    if len(waiting) > 1:
        raise Invalid(
            f"{len(waiting)} questions wait; name the one you answer: resume = {{interrupt id: answer}}.",
            {"pending": [brief(row) for row in waiting]},
        )
    row = waiting[0]
    if before is not None and _second_click(draft, row, before, resume):
        raise _told(
            conn,
            before,
            "This looks like a second click on the question before; name the interrupt id to answer the new one.",
        )
    return {row["interrupt_id"]: resume}


def _second_click(draft: Draft, row: sqlite3.Row, before: sqlite3.Row, answer: Any) -> bool:
    if draft.asked_at < row["opened_at"]:
        return True
    since = _seconds(draft.asked_at) - _seconds(row["opened_at"])
    return since < SECOND_CLICK_SECONDS and orjson.loads(before["answer"] or "null") == answer


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()


def _fit(conn: sqlite3.Connection, thread: sqlite3.Row, key: str, answer: Any, actor: Actor) -> Fitting:
    thread_id = str(thread["thread_id"])
    row = rows.latest(conn, thread_id, key)
    if row is None:
        if rows.elsewhere(conn, thread_id, key):
            raise Conflict(
                f"Interrupt {key!r} is not one of thread {thread_id!r}; answer it on its own thread."
            )
        raise NotFound("Interrupt", key)
    check_open(conn, row)
    return try_answer(conn, row, answer, actor)


def check_open(conn: sqlite3.Connection, row: sqlite3.Row) -> None:
    """Let only an open pause through.

    Raises:
        Conflict: 409 with the receipt when it was answered, with the reason when it is held.
        ApiError: 410 when it expired or was closed otherwise.
    """
    if row["status"] == "answered":
        raise _told(conn, row, f"{row['title']!r} was already answered by {row['answered_by']}.")
    if row["status"] != "open":
        reason = f": {row['reason']}" if row["reason"] else ""
        raise ApiError(
            410,
            f"{row['title']!r} takes no answers any more, it is {row['status']}{reason}.",
            extra={"receipt": rows.receipt(conn, row)},
        )
    if row["hold_reason"]:
        raise Conflict(
            f"{row['title']!r} is held: {row['hold_reason']} Migrate it (POST /inbox/{row['pause_id']}/migrate) or "
            f"cancel it (POST /inbox/{row['pause_id']}/cancel).",
            {"held": row["hold_reason"], "pause_id": row["pause_id"]},
        )


def _with_schema(row: sqlite3.Row, answer: Any) -> Any:
    schema = None if row["schema"] is None else orjson.loads(row["schema"])
    errors = field_errors(answer, schema, row["language"])
    if not errors:
        return answer
    value = orjson.loads(row["value"])
    if schema is not None and isinstance(value, dict) and MARK in value:
        for meant in candidates(answer, schema)[1:]:
            closer = field_errors(meant, schema, row["language"])
            if not closer:
                return meant
            errors = closer if isinstance(meant, dict) else errors
    raise WrongAnswer(row, errors)


def _check_place(run: Run, thread: sqlite3.Row, fitting: Sequence[Fitting]) -> None:
    """An answer continues the thread where it stands, never at an older checkpoint: that would answer twice."""
    if not fitting:
        raise Invalid("The command's 'resume' holds no answer.")
    asked = run.kwargs.get("checkpoint_id") or (run.kwargs.get("checkpoint") or {}).get("checkpoint_id")
    if asked is not None:
        raise Conflict(
            f"An answer belongs to the latest state of thread {thread['thread_id']!r}, not to checkpoint {asked!r}. "
            "To try another answer, copy the thread, or run from that checkpoint without 'resume': it asks again."
        )


def _told(conn: sqlite3.Connection, row: sqlite3.Row, detail: str) -> Conflict:
    return Conflict(detail, {"receipt": rows.receipt(conn, row)})


def brief(row: sqlite3.Row) -> dict[str, Any]:
    """A pause in a few words, for error messages."""
    return {
        "pause_id": row["pause_id"],
        "interrupt_id": row["interrupt_id"],
        "kind": row["kind"],
        "title": row["title"],
    }
