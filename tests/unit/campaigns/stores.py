"""Real stores in a temporary folder with a quick embedding, and what all three of them hold."""

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pausepoint.campaigns import graphwrite
from pausepoint.campaigns.folder import read_folder
from pausepoint.campaigns.load import LoadReport, load_campaign
from pausepoint.services import Services, open_services
from pausepoint.settings import Settings


class HashEmbedder:
    """Vectors from a hash: quick, and equal for equal texts; counts the texts it was given."""

    def __init__(self, name: str = "hash", dimensions: int = 8) -> None:
        self.name = name
        self.dimensions = dimensions
        self.texts = 0

    async def embed_passages(self, texts: Sequence[str]) -> Any:
        self.texts += len(texts)
        rows = [np.frombuffer(hashlib.shake_128(t.encode()).digest(self.dimensions), np.uint8) for t in texts]
        made = np.array(rows, np.float32).reshape(len(texts), self.dimensions) + 1
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    embed_queries = embed_passages

    async def warm(self) -> None:
        return


@asynccontextmanager
async def opened(data: Path, embedder: HashEmbedder | None = None) -> AsyncIterator[Services]:
    services = await open_services(Settings(data=data))
    services.ingest.embedder = embedder or HashEmbedder()
    try:
        yield services
    finally:
        await services.close()


async def load(services: Services, folder: Path, *, prune: bool = False) -> LoadReport:
    return await load_campaign(read_folder(folder), services, prune=prune)


async def everything(services: Services) -> dict[str, Any]:
    """All that the stores hold, without moments that depend on when it was loaded."""
    found: dict[str, Any] = {}
    for row in await services.campaigns.all():
        uuid = row.uuid
        hits = await services.vectors.scroll(row.collection)
        nodes = await services.graph.read(graphwrite.read_artifacts(row.graph_label), max_rows=100_000)
        edges = await services.graph.read(graphwrite.read_relations(row.graph_label), max_rows=100_000)
        found[uuid] = {
            "campaign": row.campaign,
            "loading": row.loading,
            "digest": row.source_digest,
            "notes": await services.campaigns.notes(uuid),
            "artifacts": await services.campaigns.artifacts(uuid),
            "relations": await services.campaigns.relations(uuid),
            "stale": await services.campaigns.any_stale(uuid),
            "points": {hit.id: hit.payload for hit in hits},
            "nodes": sorted((_timeless(row) for row in nodes.rows), key=str),
            "edges": sorted((_timeless(row) for row in edges.rows), key=str),
        }
    return found


def _timeless(row: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in row["properties"].items() if key != "createdAt"}
    assert row["properties"]["createdAt"]
    return {**row, "properties": dict(sorted(kept.items()))}
