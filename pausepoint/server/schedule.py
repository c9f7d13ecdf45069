"""What happens by the clock: crons, webhooks and their repetitions, threads whose time is up, old events.

One loop sleeps until the next due thing; whoever adds something wakes it. It looks at the clock at least once a minute.
"""

import asyncio
import sqlite3
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import structlog

from pausepoint.errors import PausepointError
from pausepoint.server.accept import Draft
from pausepoint.server.clock import later, seconds_until, stamp
from pausepoint.server.crontimes import next_time
from pausepoint.server.schemas import RunBody
from pausepoint.server.tables import crons as crons_table
from pausepoint.server.tables import events as events_table
from pausepoint.server.tables import threads as threads_table

if TYPE_CHECKING:
    from pausepoint.server.engine import Engine

log = structlog.get_logger("pausepoint.server")

_LONGEST_SLEEP = 60.0
_WEBHOOK_ATTEMPTS = 8
_WEBHOOK_SECONDS = 10.0


class Scheduler:
    """The clock's tasks of one engine."""

    def __init__(self, engine: "Engine") -> None:
        """Use `open` to begin."""
        self._engine = engine
        self._wake = asyncio.Event()
        self._webhook_wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Start; what became due while the server was down is done once."""
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._clock()), loop.create_task(self._webhooks())]

    async def close(self) -> None:
        """Stop."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task

    def wake(self) -> None:
        """A cron or a time to live has changed."""
        self._wake.set()

    def wake_webhooks(self) -> None:
        """A webhook waits."""
        self._webhook_wake.set()

    async def _clock(self) -> None:
        while True:
            try:
                await self._due()
                pause = await self._engine.database.read(_until_next)
            except Exception as error:
                log.error("the scheduler failed; it tries again", exc_info=error)
                pause = _LONGEST_SLEEP
            self._wake.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(min(max(pause, 0.0), _LONGEST_SLEEP)):
                    await self._wake.wait()

    async def _due(self) -> None:
        database = self._engine.database
        for cron in await database.read(crons_table.due):
            await self._fire(cron)
        for row in await database.read(threads_table.expired):
            await self._expire(row["thread_id"], row["ttl_strategy"])
        moment = stamp(datetime.now(UTC) - timedelta(days=self._engine.limits.event_days))
        await database.write(lambda conn: events_table.prune_before(conn, moment), durable=False)

    async def _fire(self, cron: dict[str, Any]) -> None:
        """Start the run of a due cron and set its next time, in one transaction: neither twice nor never."""
        following = next_time(cron["schedule"], cron["timezone"], cron["end_time"])
        payload = dict(cron["payload"])
        if cron["on_run_completed"]:
            payload["on_completion"] = cron["on_run_completed"]
        draft = Draft(
            body=RunBody.model_validate({**payload, "assistant_id": cron["assistant_id"]}),
            thread_id=cron["thread_id"],
            graph_ids=self._engine.graph_ids,
            user=cron["payload"].get("user"),
            cron_id=cron["cron_id"],
            thread_metadata={**(cron["metadata"] or {}), "cron_id": cron["cron_id"]},
        )
        try:
            await self._engine.submit(draft, also=lambda conn: crons_table.advance(conn, cron, following))
        except PausepointError as error:
            await self._engine.database.write(lambda conn: crons_table.advance(conn, cron, following))
            log.warning("cron could not start its run", cron_id=cron["cron_id"], reason=str(error))

    async def _expire(self, thread_id: str, strategy: str | None) -> None:
        if strategy == "keep_latest":
            await self._engine.backends.keep_latest([thread_id])
            await self._engine.database.write(
                lambda conn: (
                    conn.execute(
                        "UPDATE threads SET expires_at = NULL WHERE thread_id = ?", (thread_id,)
                    ).rowcount
                )
            )
            return
        await self._engine.database.write(lambda conn: threads_table.delete(conn, thread_id))
        await self._engine.backends.forget_thread(thread_id)

    async def _webhooks(self) -> None:
        """Deliver webhooks, with growing pauses between attempts."""
        while True:
            self._webhook_wake.clear()
            try:
                pause = await self._deliver_due()
            except Exception as error:
                log.error("webhooks failed; they are tried again", exc_info=error)
                pause = _LONGEST_SLEEP
            with suppress(TimeoutError):
                async with asyncio.timeout(min(pause, _LONGEST_SLEEP)):
                    await self._webhook_wake.wait()

    async def _deliver_due(self) -> float:
        rows = await self._engine.database.read(_waiting_webhooks)
        due = [row for row in rows if seconds_until(row["due_at"]) <= 0]
        if due:
            await self._deliver_all(due)
        rows = await self._engine.database.read(_waiting_webhooks)
        return max(0.0, seconds_until(rows[0]["due_at"])) if rows else _LONGEST_SLEEP

    async def _deliver_all(self, rows: list[sqlite3.Row]) -> None:
        """The client is made only now: most servers never send one, and it takes 0.15 s of their start."""
        import httpx

        async with httpx.AsyncClient(timeout=_WEBHOOK_SECONDS, follow_redirects=False) as client:
            for row in rows:
                error = await self._deliver(client, row)
                await self._engine.database.write(lambda conn, r=row, e=error: _after_delivery(conn, r, e))

    async def _deliver(self, client: Any, row: sqlite3.Row) -> str | None:
        import httpx

        url = str(row["url"])
        headers = {"Content-Type": "application/json", "Idempotency-Key": f"{row['run_id']}-{row['id']}"}
        try:
            response = await client.post(url, content=row["body"], headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            return f"{type(error).__name__}: {error}"
        return None if response.status_code < 300 else f"HTTP {response.status_code}"


def _until_next(conn: sqlite3.Connection) -> float:
    times: list[str] = []
    for sql in (
        "SELECT min(next_run_date) FROM crons WHERE enabled = 1 AND next_run_date IS NOT NULL",
        f"SELECT min(expires_at) FROM threads WHERE expires_at IS NOT NULL AND {threads_table.MAY_EXPIRE}",  # noqa: S608
    ):
        found = conn.execute(sql).fetchone()[0]
        if found:
            times.append(found)
    return max(0.0, seconds_until(min(times))) if times else _LONGEST_SLEEP


def _waiting_webhooks(conn: sqlite3.Connection) -> list[sqlite3.Row]:
    return conn.execute(
        "SELECT * FROM webhooks WHERE attempt < ? ORDER BY due_at LIMIT 50", (_WEBHOOK_ATTEMPTS,)
    ).fetchall()


def _after_delivery(conn: sqlite3.Connection, row: sqlite3.Row, error: str | None) -> None:
    if error is None:
        conn.execute("DELETE FROM webhooks WHERE id = ?", (row["id"],))
        return
    attempt = row["attempt"] + 1
    conn.execute(
        "UPDATE webhooks SET attempt = ?, due_at = ?, error = ? WHERE id = ?",
        (attempt, later(min(2.0**attempt, 3600.0)), error, row["id"]),
    )
    log.warning("webhook not delivered", run_id=row["run_id"], attempt=attempt, reason=error)
