"""Stores checkpoints and pending writes; everything here runs as part of one transaction of the writer."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from langgraph.checkpoint.base import ChannelVersions

from pausepoint.storage.checkpoints.body import Body
from pausepoint.storage.checkpoints.encode import INLINE_BYTES, Elements, Encoded, Whole
from pausepoint.storage.checkpoints.refs import Inline, Ref, Single, Spread, extended
from pausepoint.storage.checkpoints.rows import MAX_RANGES, Kept, Row, pack_rows, share
from pausepoint.storage.checkpoints.stored import StoredList, StoredLists


class ValuesMissing(Exception):
    """The parent does not have the values that were left out; call again with all of them."""


@dataclass(slots=True)
class NewCheckpoint:
    """A checkpoint to store.

    `values` may lack channels of `unchanged`: those have the value they have in the parent.
    """

    thread_id: str
    ns: str
    checkpoint_id: str
    parent_id: str | None
    run_id: str | None
    metadata: str
    body: Body
    values: Mapping[str, Encoded]
    unchanged: Sequence[str] = ()


@dataclass(slots=True)
class NewWrites:
    """Writes of one task: rows of (idx, channel, type, value)."""

    thread_id: str
    ns: str
    checkpoint_id: str
    task_id: str
    task_path: str
    rows: Sequence[tuple[int, str, str, bytes]]
    replace: bool


def line_of(conn: sqlite3.Connection, thread_id: str, ns: str) -> tuple[int, int]:
    """The line's id and generation; makes the line when it is new."""
    sql = "SELECT id, generation FROM checkpoint_lines WHERE thread_id=? AND ns=?"
    row = conn.execute(sql, (thread_id, ns)).fetchone()
    if row is not None:
        return row[0], row[1]
    cursor = conn.execute("INSERT INTO checkpoint_lines (thread_id, ns) VALUES (?, ?)", (thread_id, ns))
    assert cursor.lastrowid is not None
    return cursor.lastrowid, 0


def store(conn: sqlite3.Connection, new: NewCheckpoint, lists: StoredLists) -> dict[str, StoredList]:
    """Store a checkpoint; values that the parent has are shared with it.

    Args:
        conn: The writing connection.
        new: The checkpoint.
        lists: What earlier calls returned, to spare reading it again.

    Returns:
        The lists it stored, to be used only after the commit.

    Raises:
        ValuesMissing: `new.values` lacks a channel that the parent does not have in that version.
    """
    line, generation = line_of(conn, new.thread_id, new.ns)
    parent = _body(conn, line, new.parent_id)
    rows = _Rows(conn, line, generation)
    refs: dict[str, Ref] = {}
    for channel in new.unchanged:
        refs[channel] = _inherited(parent, channel, new.body.versions)
    for channel, value in new.values.items():
        before = parent.refs.get(channel) if parent else None
        known = lists.get(new.thread_id, new.ns, channel)
        refs[channel] = rows.place(channel, value, before, known)
    conn.execute(
        "INSERT INTO checkpoints (line, checkpoint_id, parent_id, run_id, body, metadata) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (line, checkpoint_id) DO UPDATE SET parent_id=excluded.parent_id, run_id=excluded.run_id, "
        "hidden=0, body=excluded.body, metadata=excluded.metadata",
        (
            line,
            new.checkpoint_id,
            new.parent_id,
            new.run_id,
            Body(new.body.known, refs, new.body.extra).packed(),
            new.metadata,
        ),
    )
    return rows.lists


def store_writes(conn: sqlite3.Connection, new: NewWrites) -> None:
    """Store a task's writes; the first of an index stays, unless `replace`."""
    line, _ = line_of(conn, new.thread_id, new.ns)
    values = [
        item
        for idx, channel, kind, value in new.rows
        for item in (line, new.checkpoint_id, new.task_id, idx, new.task_path, channel, kind, value)
    ]
    verb = "REPLACE" if new.replace else "IGNORE"
    for at in range(0, len(values), 8 * _ROWS_AT_ONCE):
        some = values[at : at + 8 * _ROWS_AT_ONCE]
        marks = ",".join(["(?,?,?,?,?,?,?,?)"] * (len(some) // 8))
        conn.execute(
            f"INSERT OR {verb} INTO checkpoint_writes "  # noqa: S608 - only marks are composed
            f"(line, checkpoint_id, task_id, idx, task_path, channel, type, value) VALUES {marks}",
            some,
        )


_ROWS_AT_ONCE = 32


def _body(conn: sqlite3.Connection, line: int, checkpoint_id: str | None) -> Body | None:
    if checkpoint_id is None:
        return None
    sql = "SELECT body FROM checkpoints WHERE line=? AND checkpoint_id=?"
    row = conn.execute(sql, (line, checkpoint_id)).fetchone()
    return Body.unpacked(row[0]) if row else None


def _inherited(parent: Body | None, channel: str, versions: ChannelVersions) -> Ref:
    if parent is None or channel not in parent.refs or parent.versions.get(channel) != versions.get(channel):
        raise ValuesMissing(channel)
    return parent.refs[channel]


class _Rows:
    """Places values in the rows of a line."""

    def __init__(self, conn: sqlite3.Connection, line: int, generation: int) -> None:
        self._conn = conn
        self._line = line
        self._generation = generation
        self._slots: int | None = None
        self.lists: dict[str, StoredList] = {}

    def place(self, channel: str, value: Encoded, before: Ref | None, known: StoredList | None) -> Ref:
        """Store a value and say where; rows of the value before are used again where they fit."""
        if isinstance(value, Elements):
            stored = self._place_list(value.parts, before, known)
            self.lists[channel] = stored
            return stored.ref
        if len(value.data) <= INLINE_BYTES:
            return Inline(value.type, value.data)
        return self._place_whole(value, before)

    def _place_whole(self, value: Whole, before: Ref | None) -> Ref:
        if isinstance(before, Single):
            if before.type == value.type and self._data(before.slot, before.seq) == value.data:
                return before
            slot, seq = before.slot, self._next_seq(before.slot)
        else:
            slot, seq = self._new_slot(), 1
        self._insert(slot, [Kept(seq, Row(1, value.data))])
        return Single(value.type, slot, seq)

    def _place_list(self, parts: list[bytes], before: Ref | None, known: StoredList | None) -> StoredList:
        if not isinstance(before, Spread):
            return self._spread(self._new_slot(), 1, pack_rows(parts), parts)
        next_seq = self._next_seq(before.slot)
        if known is None or not known.is_at(self._line, self._generation, before):
            known = StoredList(self._line, self._generation, before, self._kept(before), None)
        if known.parts is not None and parts[: len(known.parts)] == known.parts:
            return self._append(known, next_seq, parts)
        stored = self._spread(before.slot, next_seq, share(known.rows, parts), parts)
        if len(stored.ref.ranges) <= MAX_RANGES:
            return stored
        self._conn.execute(
            "DELETE FROM checkpoint_items WHERE line=? AND slot=? AND seq>=?",
            (self._line, before.slot, next_seq),
        )
        return self._spread(before.slot, next_seq, pack_rows(parts), parts)

    def _append(self, known: StoredList, next_seq: int, parts: list[bytes]) -> StoredList:
        """The usual case, without a look at each row."""
        assert known.parts is not None
        rows = pack_rows(parts[len(known.parts) :])
        fresh = [Kept(next_seq + at, row) for at, row in enumerate(rows)]
        self._insert(known.ref.slot, fresh)
        ref = Spread(known.ref.slot, extended(known.ref.ranges, [kept.seq for kept in fresh]))
        return StoredList(self._line, self._generation, ref, [*known.rows, *fresh], parts)

    def _spread(self, slot: int, next_seq: int, rows: Sequence[Kept | Row], parts: list[bytes]) -> StoredList:
        stored: list[Kept] = []
        fresh: list[Kept] = []
        for row in rows:
            if isinstance(row, Row):
                fresh.append(Kept(next_seq + len(fresh), row))
                stored.append(fresh[-1])
            else:
                stored.append(row)
        self._insert(slot, fresh)
        ref = Spread(slot, extended((), [kept.seq for kept in stored]))
        return StoredList(self._line, self._generation, ref, stored, parts)

    def _kept(self, ref: Spread) -> list[Kept]:
        sql = "SELECT seq, n, data FROM checkpoint_items WHERE line=? AND slot=? AND seq BETWEEN ? AND ? ORDER BY seq"
        cursor = self._conn.cursor()
        cursor.row_factory = None
        return [
            Kept(seq, Row(n, data))
            for first, last in ref.ranges
            for seq, n, data in cursor.execute(sql, (self._line, ref.slot, first, last)).fetchall()
        ]

    def _data(self, slot: int, seq: int) -> bytes | None:
        sql = "SELECT data FROM checkpoint_items WHERE line=? AND slot=? AND seq=?"
        row = self._conn.execute(sql, (self._line, slot, seq)).fetchone()
        return row[0] if row else None

    def _insert(self, slot: int, rows: Sequence[Kept]) -> None:
        for at in range(0, len(rows), _ROWS_AT_ONCE):
            some = rows[at : at + _ROWS_AT_ONCE]
            marks = ",".join(["(?,?,?,?,?)"] * len(some))
            values = [v for kept in some for v in (self._line, slot, kept.seq, kept.row.n, kept.row.data)]
            self._conn.execute(
                f"INSERT INTO checkpoint_items (line, slot, seq, n, data) VALUES {marks}",  # noqa: S608
                values,
            )

    def _new_slot(self) -> int:
        slots = self._slots
        if slots is None:
            sql = "SELECT max(slot) FROM checkpoint_items WHERE line=?"
            slots = int(self._conn.execute(sql, (self._line,)).fetchone()[0] or 0)
        self._slots = slots + 1
        return self._slots

    def _next_seq(self, slot: int) -> int:
        sql = "SELECT max(seq) FROM checkpoint_items WHERE line=? AND slot=?"
        return (self._conn.execute(sql, (self._line, slot)).fetchone()[0] or 0) + 1
