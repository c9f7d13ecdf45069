"""The part of a checkpoint that is its own: versions, what each node has seen, and references to the values."""

from dataclasses import dataclass, field
from typing import Any, cast

import ormsgpack
from langgraph.checkpoint.base import ChannelVersions, Checkpoint
from langgraph.checkpoint.serde.base import SerializerProtocol

from pausepoint.storage.checkpoints.refs import Ref, pack, unpack

_OWN = ("v", "ts", "channel_versions", "versions_seen", "updated_channels")
_ELSEWHERE = ("id", "channel_values")


@dataclass(slots=True)
class Body:
    """A checkpoint without its id and its values; `extra` holds what this version does not know, serialized."""

    known: list[Any]
    refs: dict[str, Ref] = field(default_factory=dict[str, Ref])
    extra: tuple[str, bytes] | None = None

    @property
    def versions(self) -> ChannelVersions:
        """Channel → version."""
        return self.known[_OWN.index("channel_versions")] or {}

    @classmethod
    def of(cls, checkpoint: Checkpoint, serde: SerializerProtocol) -> "Body":
        """Take everything but the values."""
        values = cast(dict[str, Any], checkpoint)
        extra = {k: v for k, v in values.items() if k not in _OWN and k not in _ELSEWHERE}
        # Always empty by now; older versions of LangGraph expect the key.
        if extra == {"pending_sends": []}:
            return cls([values.get(key) for key in _OWN])
        return cls([values.get(key) for key in _OWN], extra=serde.dumps_typed(extra) if extra else None)

    def checkpoint(self, checkpoint_id: str, values: dict[str, Any], serde: SerializerProtocol) -> Checkpoint:
        """Put the checkpoint together again."""
        extra: dict[str, Any] = serde.loads_typed(self.extra) if self.extra else {}
        known = dict(zip(_OWN, self.known, strict=True))
        return cast(Checkpoint, {**known, **extra, "id": checkpoint_id, "channel_values": values})

    def packed(self) -> bytes:
        """As bytes."""
        refs = {channel: pack(ref) for channel, ref in self.refs.items()}
        return ormsgpack.packb([self.known, refs, self.extra], option=ormsgpack.OPT_NON_STR_KEYS)

    @classmethod
    def unpacked(cls, data: bytes) -> "Body":
        """The opposite of `packed`."""
        known, refs, extra = ormsgpack.unpackb(data, option=ormsgpack.OPT_NON_STR_KEYS)
        return cls(known, {c: unpack(r) for c, r in refs.items()}, tuple(extra) if extra else None)
