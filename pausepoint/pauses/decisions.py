"""The record of what happened to pauses: append-only, each entry bound to the one before by its hash.

hash = SHA-256(previous hash, newline, canonical JSON of the entry). Whoever changes, inserts or removes an entry in
the middle breaks the chain; whoever cuts off its end is found by a count or hash noted elsewhere (`verify --expect`).
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

GENESIS = "0" * 64


@dataclass(frozen=True)
class Verdict:
    """What a check of the chain found."""

    entries: int
    head: str
    broken_at: int | None = None
    reason: str | None = None

    @property
    def intact(self) -> bool:
        """Whether nothing was tampered with."""
        return self.broken_at is None and self.reason is None


def canonical(value: Any) -> str:
    """JSON in one form only: keys sorted, no spaces, no escapes that are not needed."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return text.encode("utf-8", "replace").decode()


def digest(value: Any) -> str:
    """SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def chained(previous: str, content: str) -> str:
    """The hash of an entry that follows another."""
    return hashlib.sha256(f"{previous}\n{content}".encode()).hexdigest()


def append(conn: sqlite3.Connection, entry: dict[str, Any]) -> tuple[int, str]:
    """Add an entry and return its number and hash."""
    row = conn.execute("SELECT hash FROM decisions ORDER BY seq DESC LIMIT 1").fetchone()
    previous = GENESIS if row is None else str(row[0])
    content = canonical(entry)
    found = chained(previous, content)
    cursor = conn.execute(
        "INSERT INTO decisions (content, previous, hash) VALUES (?, ?, ?)", (content, previous, found)
    )
    return cursor.lastrowid or 0, found


def verify(conn: sqlite3.Connection, expect: str | None = None) -> Verdict:
    """Walk the whole chain.

    Args:
        conn: The database.
        expect: A hash that was noted earlier and must still be in the chain.

    Returns:
        How many entries are sound, and the first broken one.
    """
    count, head, seen = 0, GENESIS, expect is None
    for seq, content, previous, stored in conn.execute(
        "SELECT seq, content, previous, hash FROM decisions ORDER BY seq"
    ):
        problem = _problem(count + 1, head, seq, content, previous, stored)
        if problem:
            return Verdict(count, head, seq, problem)
        count, head = count + 1, stored
        seen = seen or stored == expect
    if not seen:
        return Verdict(
            count, head, None, f"The noted entry {expect} is missing: the end of the chain was cut off."
        )
    return Verdict(count, head)


def _problem(number: int, head: str, seq: int, content: str, previous: str, stored: str) -> str | None:
    if seq != number:
        return f"Entry {number} is missing."
    if previous != head:
        return f"Entry {seq} does not follow the one before it: an entry was removed, inserted or replaced."
    if chained(previous, content) != stored:
        return f"The content of entry {seq} was changed after it was recorded."
    return None


def export(conn: sqlite3.Connection, after: int = 0) -> Iterator[dict[str, Any]]:
    """All entries with their hashes, in order."""
    rows = conn.execute(
        "SELECT seq, content, previous, hash FROM decisions WHERE seq > ? ORDER BY seq", (after,)
    )
    for seq, content, previous, stored in rows:
        yield {"seq": seq, **json.loads(content), "previous": previous, "hash": stored}
