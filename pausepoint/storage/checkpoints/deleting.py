"""Deletes, prunes and copies threads; everything here runs as part of one transaction of the writer.

A deleted checkpoint from which a remaining one rebuilds a delta channel is hidden instead, with what that needs and
nothing else; it goes when nobody needs it any more.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pausepoint.storage.checkpoints.body import Body
from pausepoint.storage.checkpoints.refs import rows_of

_TABLES = ("checkpoints", "checkpoint_items", "checkpoint_writes")
_VACUUM_PAGES = 512
_OF_RUNS = """
SELECT c.line, c.checkpoint_id FROM json_each(?1) j
CROSS JOIN checkpoints c ON c.run_id=j.value
CROSS JOIN checkpoint_lines l ON l.id=c.line
WHERE ?2 IS NULL OR l.thread_id=?2
"""


@dataclass(slots=True)
class _Entry:
    id: int
    checkpoint_id: str
    parent_id: str | None
    hidden: bool
    body: Body
    delta_channels: tuple[str, ...]
    removed: bool = False


def delete_thread(conn: sqlite3.Connection, thread_id: str) -> None:
    """Delete everything of a thread."""
    for line in _lines(conn, thread_id):
        _delete_line(conn, line)
    _shrink(conn)


def delete_runs(conn: sqlite3.Connection, run_ids: Sequence[str], thread_id: str | None = None) -> None:
    """Delete the checkpoints and writes of runs; only those in one thread when it is given."""
    rows = conn.execute(_OF_RUNS, (json.dumps([str(run_id) for run_id in run_ids]), thread_id)).fetchall()
    by_line: defaultdict[int, set[str]] = defaultdict(set)
    for line, checkpoint_id in rows:
        by_line[line].add(checkpoint_id)
    for line, checkpoint_ids in by_line.items():
        _remove(conn, line, checkpoint_ids)
    _shrink(conn)


def keep_latest(conn: sqlite3.Connection, thread_id: str) -> None:
    """Delete all but the latest checkpoint of each namespace, which keeps its pending writes."""
    for line in _lines(conn, thread_id):
        rows = conn.execute(
            "SELECT checkpoint_id FROM checkpoints WHERE line=? AND hidden=0 ORDER BY checkpoint_id DESC",
            (line,),
        ).fetchall()
        _remove(conn, line, {row[0] for row in rows[1:]})
    _shrink(conn)


def copy_thread(conn: sqlite3.Connection, source: str, target: str) -> None:
    """Make `target` a copy of `source`: what it had is deleted. Without a source nothing happens."""
    lines = _lines_by_ns(conn, source)
    if source == target or not lines:
        return
    delete_thread(conn, target)
    for ns, line in lines:
        cursor = conn.execute("INSERT INTO checkpoint_lines (thread_id, ns) VALUES (?, ?)", (target, ns))
        for table in _TABLES:
            _copy_rows(conn, table, line, cursor.lastrowid)


def _copy_rows(conn: sqlite3.Connection, table: str, line: int, new_line: int | None) -> None:
    names = [row[1] for row in conn.execute(f"PRAGMA table_info({table})") if row[1] not in ("id", "line")]
    columns = ", ".join(names)
    conn.execute(
        f"INSERT INTO {table} (line, {columns}) SELECT ?, {columns} FROM {table} WHERE line=? ORDER BY id",  # noqa: S608
        (new_line, line),
    )


def _lines(conn: sqlite3.Connection, thread_id: str) -> list[int]:
    return [line for _, line in _lines_by_ns(conn, thread_id)]


def _lines_by_ns(conn: sqlite3.Connection, thread_id: str) -> list[tuple[str, int]]:
    rows = conn.execute("SELECT ns, id FROM checkpoint_lines WHERE thread_id=?", (thread_id,)).fetchall()
    return [(row[0], row[1]) for row in rows]


def _delete_line(conn: sqlite3.Connection, line: int) -> None:
    for table in _TABLES:
        conn.execute(f"DELETE FROM {table} WHERE line=?", (line,))  # noqa: S608 - a constant
    conn.execute("DELETE FROM checkpoint_lines WHERE id=?", (line,))


def _remove(conn: sqlite3.Connection, line: int, checkpoint_ids: Collection[str]) -> None:
    """Remove checkpoints of a line, and every row that only they needed."""
    if not checkpoint_ids:
        return
    entries = _load(conn, line)
    for entry in entries.values():
        entry.removed = entry.hidden or entry.checkpoint_id in checkpoint_ids
    needed = _needed(entries)
    for entry in entries.values():
        if entry.removed and not needed[entry.checkpoint_id]:
            _drop(conn, line, entry)
        elif entry.removed:
            _hide(conn, line, entry, needed[entry.checkpoint_id])
    kept = [e for e in entries.values() if not e.removed or needed[e.checkpoint_id]]
    if not kept:
        _delete_line(conn, line)
        return
    _sweep(conn, line, kept)
    conn.execute("UPDATE checkpoint_lines SET generation=generation+1 WHERE id=?", (line,))


def _load(conn: sqlite3.Connection, line: int) -> dict[str, _Entry]:
    rows = conn.execute(
        "SELECT id, checkpoint_id, parent_id, hidden, body, metadata FROM checkpoints WHERE line=?", (line,)
    )
    return {
        row[1]: _Entry(row[0], row[1], row[2], bool(row[3]), Body.unpacked(row[4]), _delta_channels(row[5]))
        for row in rows
    }


def _delta_channels(metadata: str) -> tuple[str, ...]:
    """The channels that LangGraph counts updates of: delta channels without a stored value of their own."""
    return tuple(json.loads(metadata).get("counters_since_delta_snapshot") or ())


def _needed(entries: dict[str, _Entry]) -> defaultdict[str, set[str]]:
    """For each removed checkpoint the channels that a remaining one rebuilds from it."""
    needed: defaultdict[str, set[str]] = defaultdict(set)
    for entry in entries.values():
        if entry.removed:
            continue
        for channel in entry.delta_channels:
            _follow(entries, entry, channel, needed)
    return needed


def _follow(
    entries: dict[str, _Entry], entry: _Entry, channel: str, needed: defaultdict[str, set[str]]
) -> None:
    parent = entries.get(entry.parent_id or "")
    while parent is not None and channel not in needed[parent.checkpoint_id]:
        needed[parent.checkpoint_id].add(channel)
        if channel in parent.body.refs:
            return
        parent = entries.get(parent.parent_id or "")


def _drop(conn: sqlite3.Connection, line: int, entry: _Entry) -> None:
    conn.execute("DELETE FROM checkpoints WHERE id=?", (entry.id,))
    conn.execute(
        "DELETE FROM checkpoint_writes WHERE line=? AND checkpoint_id=?", (line, entry.checkpoint_id)
    )


def _hide(conn: sqlite3.Connection, line: int, entry: _Entry, channels: Collection[str]) -> None:
    """Keep only what the channels are rebuilt from."""
    entry.body.refs = {c: ref for c, ref in entry.body.refs.items() if c in channels}
    # Without its run's id: that run's deletion has nothing more to delete here.
    conn.execute(
        "UPDATE checkpoints SET hidden=1, run_id=NULL, metadata='{}', body=? WHERE id=?",
        (entry.body.packed(), entry.id),
    )
    conn.execute(
        "DELETE FROM checkpoint_writes WHERE line=? AND checkpoint_id=? "
        "AND channel NOT IN (SELECT value FROM json_each(?))",
        (line, entry.checkpoint_id, json.dumps(list(channels))),
    )


def _sweep(conn: sqlite3.Connection, line: int, kept: Sequence[_Entry]) -> None:
    """Delete the rows to which no checkpoint refers."""
    used: defaultdict[int, set[tuple[int, int]]] = defaultdict(set)
    for entry in kept:
        for ref in entry.body.refs.values():
            for slot, first, last in rows_of(ref):
                used[slot].add((first, last))
    slots = conn.execute("SELECT DISTINCT slot FROM checkpoint_items WHERE line=?", (line,)).fetchall()
    for (slot,) in slots:
        free_from = 0
        for first, last in sorted(used[slot]):
            if first > free_from:
                _free(conn, line, slot, free_from, first - 1)
            free_from = max(free_from, last + 1)
        _free(conn, line, slot, free_from, None)


def _free(conn: sqlite3.Connection, line: int, slot: int, first: int, last: int | None) -> None:
    conn.execute(
        "DELETE FROM checkpoint_items WHERE line=? AND slot=? AND seq>=? AND (? IS NULL OR seq<=?)",
        (line, slot, first, last, last),
    )


def _shrink(conn: sqlite3.Connection) -> None:
    """Give freed pages back to the file system, a few at a time."""
    free: int = conn.execute("PRAGMA freelist_count").fetchone()[0]
    for _ in range(min(free, _VACUUM_PAGES)):
        # Python steps a statement without columns once, and each step frees one page.
        conn.execute("PRAGMA incremental_vacuum")
