"""How much a question is like the questions no campaign answers: recipes, weather, code, rules of play."""

import asyncio
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from pausepoint.models.embeddings.port import Embedder, Vectors

_vectors: "WeakKeyDictionary[Embedder, asyncio.Future[Vectors]]" = WeakKeyDictionary()


@cache
def examples() -> list[str]:
    """The example questions (prompts/data/outside.txt, a line each)."""
    text = (files("prompts") / "data" / "outside.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line]


async def likeness(question: str, embedder: "Embedder") -> float:
    """Cosine (-1 to 1) of the question to the nearest example; the examples are embedded once."""
    known = await _embedded(embedder)
    asked = (await embedder.embed_queries([question]))[0]
    return float((known @ asked).max())


async def _embedded(embedder: "Embedder") -> "Vectors":
    if embedder not in _vectors:
        _vectors[embedder] = asyncio.ensure_future(embedder.embed_queries(examples()))
    try:
        return await asyncio.shield(_vectors[embedder])
    except Exception:
        _vectors.pop(embedder, None)
        raise
