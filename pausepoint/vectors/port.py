"""The vector port: collections of points with payload, kept by the embedded shard or a Qdrant server.

Reading a collection that does not exist finds nothing; writing to one raises `UnknownCollection`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Filter = Mapping[str, "str | int | bool | Sequence[str]"]
"""Payload conditions, all of which must hold; a sequence means any of its values (an empty one: nothing)."""


@dataclass(frozen=True, slots=True)
class Point:
    """One vector (`dimensions` floats) with its payload of plain JSON; `id` is a UUID string."""

    id: str
    vector: Sequence[float]
    payload: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Hit:
    """A found point; `score` is the cosine similarity, -1 to 1."""

    id: str
    score: float
    payload: dict[str, Any] = field(default_factory=dict[str, Any])


class VectorStore(Protocol):
    """What the project asks of a vector store."""

    async def ensure(self, collection: str, dimensions: int, indexed: Sequence[str] = ()) -> None:
        """Create the collection (cosine) and its keyword indexes; `DimensionMismatch` if it differs."""
        ...

    async def upsert(self, collection: str, points: Sequence[Point]) -> None:
        """Insert or replace points, all or none; on disk when it returns."""
        ...

    async def search(
        self,
        collection: str,
        vector: Sequence[float],
        *,
        limit: int = 5,
        where: Filter | None = None,
        with_payload: bool = True,
    ) -> list[Hit]:
        """Nearest points, best first; without payload it is cheap to ask for thousands."""
        ...

    async def scroll(self, collection: str, *, where: Filter | None = None) -> list[Hit]:
        """Every matching point's payload (score 0), ordered by id."""
        ...

    async def delete(self, collection: str, ids: Sequence[str]) -> None:
        """Remove points; unknown ids are ignored."""
        ...

    async def count(self, collection: str, where: Filter | None = None) -> int:
        """Number of matching points; 0 for an unknown collection."""
        ...

    async def version(self, collection: str) -> str:
        """A text that changes whenever the collection does; what is derived from it compares this."""
        ...

    async def drop(self, collection: str) -> None:
        """Remove the collection and its files; unknown ones are ignored."""
        ...

    async def close(self) -> None:
        """Flush and release files or connections."""
        ...
