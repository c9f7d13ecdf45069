"""Finds checkpoints and puts their values together again; everything here runs on one snapshot of a reader."""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from langgraph.checkpoint.base import CheckpointMetadata, CheckpointTuple, PendingWrite
from langgraph.checkpoint.serde.base import SerializerProtocol

from pausepoint.storage.checkpoints.addressing import Query, address
from pausepoint.storage.checkpoints.body import Body
from pausepoint.storage.checkpoints.refs import Inline, Ref, Single, Spread
from pausepoint.storage.checkpoints.rows import Kept, Row, array_header
from pausepoint.storage.checkpoints.stored import MIN_ROWS, StoredList, StoredLists

DecodeList = Callable[[str, str, str, Sequence[tuple[int, bytes]]], list[Any]]
"""Makes the list of a thread, namespace and channel from its rows: (elements, bytes)."""

_COLUMNS = "l.thread_id, l.ns, l.generation, c.line, c.id, c.checkpoint_id, c.parent_id, c.run_id, c.body, c.metadata"
_FROM = "FROM checkpoint_lines l JOIN checkpoints c ON c.line = l.id"
_ONE = f"SELECT {_COLUMNS} {_FROM} WHERE l.thread_id=? AND l.ns=? AND c.checkpoint_id=? AND c.hidden=0"
_LATEST = (
    f"SELECT {_COLUMNS} {_FROM} WHERE l.thread_id=? AND l.ns=? AND c.hidden=0 "
    "ORDER BY c.checkpoint_id DESC LIMIT 1"
)
_WRITES = (
    "SELECT task_id, channel, type, value FROM checkpoint_writes WHERE line=? AND checkpoint_id=? "
    "ORDER BY task_path, task_id, idx"
)
_ITEMS = (
    "SELECT seq, n, data FROM checkpoint_items WHERE line=? AND slot=? AND seq BETWEEN ? AND ? ORDER BY seq"
)


@dataclass(slots=True)
class Reader:
    """Reads checkpoints on one snapshot; in a listing every row of a list at most once."""

    conn: sqlite3.Connection
    serde: SerializerProtocol
    decode_list: DecodeList | None = None
    lists: StoredLists | None = None
    _listing: bool = False
    _rows: dict[tuple[int, int], dict[int, tuple[int, bytes]]] = field(
        default_factory=dict[tuple[int, int], dict[int, tuple[int, bytes]]]
    )

    def one(self, thread_id: str, ns: str, checkpoint_id: str | None) -> CheckpointTuple | None:
        """The checkpoint, or the latest of the namespace."""
        if checkpoint_id:
            row = self.conn.execute(_ONE, (thread_id, ns, checkpoint_id)).fetchone()
        else:
            row = self.conn.execute(_LATEST, (thread_id, ns)).fetchone()
        return self._tuple(row) if row else None

    def page(
        self, query: Query, limit: int, after: tuple[str, int] | None
    ) -> tuple[list[CheckpointTuple], tuple[str, int] | None]:
        """Up to `limit` checkpoints behind `after`, and where the next page starts."""
        self._listing = True
        where, values = _where(query, after)
        sql = f"SELECT {_COLUMNS} {_FROM} WHERE {where} ORDER BY c.checkpoint_id DESC, c.id DESC LIMIT ?"
        rows = self.conn.execute(sql, (*values, limit)).fetchall()
        last = (rows[-1]["checkpoint_id"], rows[-1]["id"]) if len(rows) == limit else None
        return [self._tuple(row) for row in rows], last

    def value(self, line: int, ref: Ref) -> Any:
        """The value behind a reference."""
        match ref:
            case Inline(kind, data):
                return self.serde.loads_typed((kind, data))
            case Single(kind, slot, seq):
                return self.serde.loads_typed((kind, self._range(line, slot, seq, seq)[0][1]))
            case Spread(slot, ranges):
                return decode_rows(self._spread(line, slot, ranges), self.serde)

    def writes(self, line: int, checkpoint_id: str) -> list[PendingWrite]:
        """The pending writes in the order in which a superstep applies them."""
        rows = self.conn.execute(_WRITES, (line, checkpoint_id)).fetchall()
        return [(row[0], row[1], self.serde.loads_typed((row[2], row[3]))) for row in rows]

    def _tuple(self, row: sqlite3.Row) -> CheckpointTuple:
        thread_id, ns, generation, line, _, checkpoint_id, parent_id, run_id, packed, metadata = row
        body = Body.unpacked(packed)
        values: dict[str, Any] = {}
        for channel, ref in body.refs.items():
            if isinstance(ref, Spread) and self.decode_list is not None:
                rows = self._list_rows((thread_id, ns, channel), line, generation, ref)
                values[channel] = self.decode_list(thread_id, ns, channel, rows)
            else:
                values[channel] = self.value(line, ref)
        return CheckpointTuple(
            address(thread_id, ns, checkpoint_id),
            body.checkpoint(checkpoint_id, values, self.serde),
            load_metadata(metadata, run_id),
            address(thread_id, ns, parent_id) if parent_id else None,
            self.writes(line, checkpoint_id),
        )

    def _list_rows(
        self, key: tuple[str, str, str], line: int, generation: int, ref: Spread
    ) -> list[tuple[int, bytes]]:
        """The rows of a list, from memory where they are there."""
        known = self.lists.get(*key) if self.lists else None
        if known is not None and known.is_at(line, generation, ref):
            return [(kept.row.n, kept.row.data) for kept in known.rows]
        rows = self._spread(line, ref.slot, ref.ranges)
        if self.lists is not None and len(rows) >= MIN_ROWS:
            kept = [Kept(seq, Row(*row)) for seq, row in zip(ref.seqs(), rows, strict=True)]
            parts = [data for _, data in rows] if all(n == 1 for n, _ in rows) else None
            self.lists.put(*key, StoredList(line, generation, ref, kept, parts))
        return rows

    def _spread(self, line: int, slot: int, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, bytes]]:
        return [row for first, last in ranges for row in self._range(line, slot, first, last)]

    def _range(self, line: int, slot: int, first: int, last: int) -> list[tuple[int, bytes]]:
        if not self._listing:
            return [(n, data) for _, n, data in self._fetch(line, slot, first, last)]
        known = self._rows.setdefault((line, slot), {})
        if not all(seq in known for seq in range(first, last + 1)):
            known.update({seq: (n, data) for seq, n, data in self._fetch(line, slot, first, last)})
        return [known[seq] for seq in range(first, last + 1)]

    def _fetch(self, line: int, slot: int, first: int, last: int) -> list[tuple[int, int, bytes]]:
        cursor = self.conn.cursor()
        cursor.row_factory = None
        return cursor.execute(_ITEMS, (line, slot, first, last)).fetchall()


def decode_rows(rows: Sequence[tuple[int, bytes]], serde: SerializerProtocol) -> list[Any]:
    """Make a list of its rows: behind an array header they are its encoding."""
    header = array_header(sum(n for n, _ in rows))
    return serde.loads_typed(("msgpack", header + b"".join([data for _, data in rows])))


def dump_metadata(metadata: Mapping[str, Any]) -> tuple[str, str | None]:
    """Metadata as JSON, and the run's id, which has a column of its own."""
    rest = dict(metadata)
    run_id = rest.pop("run_id", None)
    if run_id is not None and not isinstance(run_id, str):
        rest["run_id"], run_id = run_id, None
    text = json.dumps(rest, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "ignore").decode(), run_id


def load_metadata(text: str, run_id: str | None) -> CheckpointMetadata:
    """The opposite of `dump_metadata`."""
    metadata = json.loads(text)
    if run_id is not None:
        metadata["run_id"] = run_id
    return cast(CheckpointMetadata, metadata)


def _where(query: Query, after: tuple[str, int] | None) -> tuple[str, list[Any]]:
    clauses, values = ["c.hidden=0"], list[Any]()
    plain = {
        "l.thread_id=?": query.thread_id,
        "l.ns=?": query.ns,
        "c.checkpoint_id=?": query.checkpoint_id,
        "c.checkpoint_id<?": query.before,
    }
    for clause, value in plain.items():
        if value is not None:
            clauses.append(clause)
            values.append(value)
    if after is not None:
        clauses.append("(c.checkpoint_id, c.id) < (?, ?)")
        values += after
    for key, wanted in query.filter.items():
        clause, more = _condition(key, wanted)
        clauses.append(clause)
        values += more
    return " AND ".join(clauses), values


def _condition(key: str, wanted: Any) -> tuple[str, list[Any]]:
    """A condition on one key of the metadata; a key that is missing counts as null."""
    if key == "run_id" and isinstance(wanted, str):
        return "c.run_id=?", [wanted]
    some = "EXISTS (SELECT 1 FROM json_each(c.metadata) m WHERE m.key=? AND {})"
    match wanted:
        case None:
            return "NOT " + some.format("m.type<>'null'"), [key]
        case bool():
            return some.format("m.type=?"), [key, "true" if wanted else "false"]
        case str():
            return some.format("m.type='text' AND m.value=?"), [key, wanted]
        case int() | float():
            return some.format("m.type IN ('integer', 'real') AND m.value=?"), [key, wanted]
        case _:
            text = json.dumps(wanted, ensure_ascii=False, separators=(",", ":"))
            return some.format("m.type IN ('object', 'array') AND m.value=json(?)"), [key, text]
