"""The outbox: what has to be sent lies in the database first, is signed, and is tried again until it arrives.

A receiver may get something twice (a crash between its answer and our note): every message has a key that stays the
same, in the header `Idempotency-Key`.
"""

import hashlib
import hmac
import sqlite3
import time
from collections.abc import Mapping
from typing import Any

import orjson

from pausepoint.pauses import inbox, rows
from pausepoint.pauses.settings import PauseSettings
from pausepoint.pauses.targets import ForbiddenTarget, resolve
from pausepoint.server.clock import later, now

ATTEMPTS = 12
_LONGEST_PAUSE = 3600.0
_CURSOR = "pause_webhooks"
_TOLD = (
    "opened",
    "reminded",
    "answered",
    "expired",
    "overdue",
    "escalated",
    "cancelled",
    "discarded",
    "reopened",
    "gone",
)


def put(
    conn: sqlite3.Connection,
    key: str,
    kind: str,
    target: str,
    body: Any,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Queue a message, once per key."""
    conn.execute(
        "INSERT OR IGNORE INTO outbox (key, kind, target, body, headers, status, attempt, due_at, created_at)"
        " VALUES (?, ?, ?, ?, ?, 'pending', 0, ?, ?)",
        (
            key,
            kind,
            target,
            orjson.dumps(body).decode(),
            orjson.dumps(dict(headers or {})).decode(),
            now(),
            now(),
        ),
    )


def tell_events(conn: sqlite3.Connection, everywhere: str) -> int:
    """Queue a webhook for every event since the last look; returns how many events there were.

    Args:
        conn: The transaction.
        everywhere: The address that hears of all pauses; may be empty.
    """
    row = conn.execute("SELECT reserved FROM counters WHERE name = ?", (_CURSOR,)).fetchone()
    after = 0 if row is None else int(row[0])
    events = conn.execute(
        "SELECT * FROM pause_events WHERE seq > ? ORDER BY seq LIMIT 200", (after,)
    ).fetchall()
    for event in events:
        if event["event"] in _TOLD:
            _tell(conn, event, everywhere)
    if events:
        conn.execute("INSERT OR REPLACE INTO counters VALUES (?, ?)", (_CURSOR, events[-1]["seq"]))
    return len(events)


def _tell(conn: sqlite3.Connection, event: sqlite3.Row, everywhere: str) -> None:
    row = rows.by_id(conn, event["pause_id"])
    if row is None:
        return
    targets = dict.fromkeys(t for t in (everywhere, row["webhook"]) if t)
    for number, target in enumerate(targets):
        body = {
            "event": event["event"],
            "at": event["at"],
            "pause": inbox.detail(conn, row),
        }
        key = f"pause-{event['seq']}-{number}"
        put(conn, key, "webhook", target, body, {"Pausepoint-Event": event["event"]})


def due(conn: sqlite3.Connection) -> list[sqlite3.Row]:
    """What is to be sent now."""
    return conn.execute(
        "SELECT * FROM outbox WHERE status = 'pending' AND due_at <= ? ORDER BY due_at LIMIT 20", (now(),)
    ).fetchall()


def next_due(conn: sqlite3.Connection) -> str | None:
    """When something is to be sent next."""
    return conn.execute("SELECT min(due_at) FROM outbox WHERE status = 'pending'").fetchone()[0]


def after_attempt(
    conn: sqlite3.Connection, row: sqlite3.Row, error: str | None, *, final: bool = False
) -> None:
    """Note how an attempt went."""
    if error is None:
        conn.execute(
            "UPDATE outbox SET status = 'sent', sent_at = ?, error = NULL WHERE id = ?", (now(), row["id"])
        )
        return
    attempt = row["attempt"] + 1
    status = "failed" if final or attempt >= ATTEMPTS else "pending"
    conn.execute(
        "UPDATE outbox SET status = ?, attempt = ?, due_at = ?, error = ? WHERE id = ?",
        (status, attempt, later(min(2.0**attempt, _LONGEST_PAUSE)), error[:500], row["id"]),
    )


def signature(secret: bytes, body: bytes, moment: int) -> str:
    """The header `Pausepoint-Signature`: t=seconds,v1=HMAC-SHA256 of "seconds.body"."""
    found = hmac.new(secret, f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={moment},v1={found}"


async def send(
    client: Any, row: sqlite3.Row, settings: PauseSettings, secret: bytes
) -> tuple[str | None, bool]:
    """Send one message.

    Returns:
        What went wrong, None when it arrived; and whether there is no use in trying again.
    """
    if row["kind"] == "email":
        return await _mail(row, settings), False
    try:
        target = await resolve(row["target"], settings.allowed_targets)
    except ForbiddenTarget as error:
        return str(error), "cannot be found" not in str(error)
    return await _post(client, row, target, secret), False


async def _post(client: Any, row: sqlite3.Row, target: Any, secret: bytes) -> str | None:
    import httpx

    body = row["body"].encode()
    headers = {
        **orjson.loads(row["headers"]),
        "Host": target.host,
        "Content-Type": "application/json",
        "Idempotency-Key": row["key"],
        "Pausepoint-Signature": signature(secret, body, int(time.time())),
    }
    try:
        request = client.build_request(
            "POST", target.url, content=body, headers=headers, extensions={"sni_hostname": target.name}
        )
        response = await client.send(request)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return None if response.is_success else f"HTTP {response.status_code}"


async def _mail(row: sqlite3.Row, settings: PauseSettings) -> str | None:
    import asyncio
    import smtplib
    from email.message import EmailMessage

    if not settings.smtp_host:
        return "PAUSEPOINT_SMTP_HOST is not set."
    body = orjson.loads(row["body"])
    message = EmailMessage()
    message["From"], message["To"] = settings.smtp_sender, row["target"]
    message["Subject"], message["Message-ID"] = body.get("subject", ""), f"<{row['key']}@pausepoint>"
    message.set_content(body.get("text", ""))

    def deliver() -> None:
        with smtplib.SMTP(settings.smtp_host, settings.smtp_port, timeout=10) as server:
            server.send_message(message)

    try:
        await asyncio.to_thread(deliver)
    except (OSError, smtplib.SMTPException) as error:
        return f"{type(error).__name__}: {error}"
    return None
