"""The answer cache: five minutes, per campaign and question, dropped whenever the campaign changes.

An answer computed while the campaign changed is never kept: `put` compares the revision it was computed on.
"""

import json
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pausepoint.campaigns.ids import clean
from pausepoint.storage.database import Database

_MAX_PER_CAMPAIGN = 1000


@dataclass(frozen=True, slots=True)
class Cached:
    """The result of a look-up: the answer, or None and the revision to hand to `put`."""

    answer: dict[str, Any] | None
    revision: int


@dataclass(frozen=True, slots=True)
class CacheCounts:
    """How often the cache was asked; `rate` is 0 to 1."""

    hits: int
    misses: int

    @property
    def rate(self) -> float:
        """Hits among all look-ups; 0 when there were none."""
        return self.hits / (self.hits + self.misses) if self.hits else 0.0


class AnswerCache:
    """Answers by campaign and question (spaces folded, case kept)."""

    def __init__(
        self, database: Database, seconds: float = 300.0, clock: Callable[[], float] = time.time
    ) -> None:
        """`seconds` is how long an answer holds; 0 switches the cache off."""
        self._database = database
        self._seconds = seconds
        self._clock = clock

    async def get(self, campaign: str, question: str) -> Cached:
        """Look an answer up and count the hit or miss."""
        now, key = self._clock(), clean(question)
        return await self._database.write(lambda conn: _get(conn, campaign, key, now), durable=False)

    async def put(self, campaign: str, question: str, answer: dict[str, Any], revision: int) -> bool:
        """Keep an answer unless the campaign has changed since `revision`; tells whether it was kept.

        Never hand it an error: those are not cached.
        """
        if self._seconds <= 0:
            return False
        text, key, now = json.dumps(answer, ensure_ascii=False), clean(question), self._clock()

        def work(conn: sqlite3.Connection) -> bool:
            if _revision(conn, campaign) != revision:
                return False
            _make_room(conn, campaign, now)
            conn.execute(
                "INSERT OR REPLACE INTO answer_cache VALUES (?, ?, ?, ?)",
                (campaign, key, text, now + self._seconds),
            )
            return True

        return await self._database.write(work, durable=False)

    async def counts(self, campaign: str | None = None) -> CacheCounts:
        """Hits and misses of one campaign or of all."""

        def work(conn: sqlite3.Connection) -> CacheCounts:
            row = conn.execute(
                "SELECT coalesce(sum(hits), 0), coalesce(sum(misses), 0) FROM answer_cache_counts"
                " WHERE ?1 IS NULL OR campaign_uuid = ?1",
                (campaign,),
            ).fetchone()
            return CacheCounts(*row)

        return await self._database.read(work)

    async def drop(self, campaign: str) -> None:
        """Forget a campaign's answers."""
        await self._database.write(lambda conn: drop_answers(conn, campaign), durable=False)


def drop_answers(conn: sqlite3.Connection, campaign: str) -> None:
    """Forget a campaign's answers as part of a larger transaction."""
    conn.execute("DELETE FROM answer_cache WHERE campaign_uuid = ?", (campaign,))


def _get(conn: sqlite3.Connection, campaign: str, question: str, now: float) -> Cached:
    row = conn.execute(
        "SELECT answer FROM answer_cache WHERE campaign_uuid = ? AND question = ? AND expires > ?",
        (campaign, question, now),
    ).fetchone()
    hit = int(row is not None)
    conn.execute(
        "INSERT INTO answer_cache_counts VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE"
        " SET hits = hits + ?2, misses = misses + ?3",
        (campaign, hit, 1 - hit),
    )
    return Cached(json.loads(row[0]) if row else None, _revision(conn, campaign))


def _revision(conn: sqlite3.Connection, campaign: str) -> int:
    row = conn.execute("SELECT revision FROM campaigns WHERE uuid = ?", (campaign,)).fetchone()
    return row[0] if row else 0


def _make_room(conn: sqlite3.Connection, campaign: str, now: float) -> None:
    conn.execute("DELETE FROM answer_cache WHERE expires <= ?", (now,))
    conn.execute(
        "DELETE FROM answer_cache WHERE campaign_uuid = ?1 AND question IN (SELECT question FROM answer_cache"
        " WHERE campaign_uuid = ?1 ORDER BY expires DESC LIMIT -1 OFFSET ?2)",
        (campaign, _MAX_PER_CAMPAIGN - 1),
    )
