"""Rebuilds delta channels: the writes of a checkpoint's ancestors back to the nearest stored value."""

import json
from collections.abc import Sequence
from typing import Any

from langgraph.checkpoint.base import DeltaChannelHistory, PendingWrite

from pausepoint.storage.checkpoints.body import Body
from pausepoint.storage.checkpoints.reading import Reader

# UNION instead of UNION ALL: a checkpoint put again under its own descendant makes a loop.
_ANCESTORS = """
WITH RECURSIVE ancestors (checkpoint_id, parent_id, body) AS (
    SELECT p.checkpoint_id, p.parent_id, p.body FROM checkpoints c
    CROSS JOIN checkpoints p ON p.line=c.line AND p.checkpoint_id=c.parent_id
    WHERE c.line=?1 AND c.checkpoint_id=?2
    UNION
    SELECT p.checkpoint_id, p.parent_id, p.body FROM ancestors a
    CROSS JOIN checkpoints p ON p.line=?1 AND p.checkpoint_id=a.parent_id
)
SELECT checkpoint_id, body FROM ancestors
"""
_LINE = """
SELECT l.id, max(c.checkpoint_id) FROM checkpoint_lines l JOIN checkpoints c ON c.line=l.id
WHERE l.thread_id=?1 AND l.ns=?2 AND c.hidden=0 AND (?3 IS NULL OR c.checkpoint_id=?3)
"""
_WRITES = """
SELECT j.key, w.task_id, w.channel, w.type, w.value FROM json_each(?2) j
CROSS JOIN checkpoint_writes w ON w.line=?1 AND w.checkpoint_id=j.value
WHERE w.channel IN (SELECT value FROM json_each(?3))
ORDER BY j.key DESC, w.task_path, w.task_id, w.idx
"""


def delta_history(
    reader: Reader, thread_id: str, ns: str, checkpoint_id: str | None, channels: Sequence[str]
) -> dict[str, DeltaChannelHistory]:
    """For each channel the writes since its nearest stored value, oldest first, and that value.

    The value at an ancestor is the one before the writes stored with that ancestor, so these belong to it.

    Args:
        reader: Reads on one snapshot.
        thread_id: The thread.
        ns: The namespace.
        checkpoint_id: The checkpoint to rebuild; the latest when None. Its own writes are pending and not part of it.
        channels: The channels to rebuild.
    """
    histories: dict[str, DeltaChannelHistory] = {channel: {"writes": []} for channel in channels}
    line, target = reader.conn.execute(_LINE, (thread_id, ns, checkpoint_id)).fetchone()
    if line is None or not channels:
        return histories
    walked, depths = _walk(reader, line, target, histories)
    for at, write in _writes(reader, line, walked, channels):
        if at <= depths[write[1]]:
            histories[write[1]]["writes"].append(write)
    return histories


def _walk(
    reader: Reader, line: int, target: str, histories: dict[str, DeltaChannelHistory]
) -> tuple[list[str], dict[str, int]]:
    """Go up until each channel has its value; note how far up each one's writes count."""
    walked: list[str] = []
    depths: dict[str, int] = {}
    for checkpoint_id, packed in reader.conn.execute(_ANCESTORS, (line, target)):
        refs = Body.unpacked(packed).refs
        for channel, history in histories.items():
            if channel in refs and channel not in depths:
                depths[channel] = len(walked)
                history["seed"] = reader.value(line, refs[channel])
        walked.append(checkpoint_id)
        if len(depths) == len(histories):
            break
    return walked, {channel: depths.get(channel, len(walked)) for channel in histories}


def _writes(
    reader: Reader, line: int, walked: list[str], channels: Sequence[str]
) -> list[tuple[int, PendingWrite]]:
    values: tuple[Any, ...] = (line, json.dumps(walked), json.dumps(list(channels)))
    rows = reader.conn.execute(_WRITES, values).fetchall()
    return [(row[0], (row[1], row[2], reader.serde.loads_typed((row[3], row[4])))) for row in rows]
