"""How much a question is like the questions no campaign answers: recipes, weather, code, rules of play.

`python -m prompts.offline.outside` writes the examples' vectors beside them, so that no start has to embed them.
"""

import asyncio
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from pausepoint.models.embeddings.prepared import Prepared

if TYPE_CHECKING:
    from pausepoint.models.embeddings.port import Embedder, Vectors

_DATA = Path(__file__).parents[1] / "data"
_EXAMPLES, _VECTORS = _DATA / "outside.txt", _DATA / "outside.npz"
_embedded: "WeakKeyDictionary[Embedder, asyncio.Future[Vectors]]" = WeakKeyDictionary()


@cache
def examples() -> list[str]:
    """The example questions, a line each."""
    return [line for line in _EXAMPLES.read_text("utf-8").splitlines() if line]


async def likeness(question: str, embedder: "Embedder") -> float:
    """Cosine (-1 to 1) of the question to the nearest example; the examples are embedded once."""
    known = await _vectors(embedder)
    asked = (await embedder.embed_queries([question]))[0]
    return float((known @ asked).max())


async def _vectors(embedder: "Embedder") -> "Vectors":
    if embedder not in _embedded:
        _embedded[embedder] = asyncio.ensure_future(_embed(embedder, Prepared()))
    try:
        return await asyncio.shield(_embedded[embedder])
    except Exception:
        _embedded.pop(embedder, None)
        raise


async def _embed(embedder: "Embedder", prepared: Prepared) -> "Vectors":
    await asyncio.to_thread(prepared.read, _VECTORS, embedder.name)
    return await prepared.embed(examples(), embedder.embed_queries)


async def _write() -> None:
    from pausepoint.models.embeddings.open import open_embedder
    from pausepoint.settings import get_settings

    embedder, prepared = open_embedder(get_settings()), Prepared(remember=True)
    await _embed(embedder, prepared)
    prepared.write(_VECTORS, embedder.name)


if __name__ == "__main__":
    asyncio.run(_write())
