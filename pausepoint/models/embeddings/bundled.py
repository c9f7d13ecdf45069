"""The bundled multilingual embeddings: two small models side by side, offline, in threads of their own.

Questions have threads apart from passages, so that loading a campaign does not hold up an answer.
"""

import asyncio
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import structlog

from pausepoint.models.embeddings.clean import MAX_PASSAGE, MAX_QUERY, chunks, clean
from pausepoint.models.embeddings.engines import Encode, Engine, bundled_engines, centred, mean_of
from pausepoint.models.embeddings.port import EmbeddingError

if TYPE_CHECKING:
    from pausepoint.models.embeddings.port import Vectors

_BATCH = 4
_CACHED = 1024
_RECIPE = 2
"""Raised whenever the same text would get another vector; part of the model's name."""
log = structlog.get_logger(__name__)


class BundledEmbedder:
    """`Embedder` over the models inside the installed packages; safe from many threads and event loops."""

    def __init__(self, engines: Sequence[Engine] | None = None) -> None:
        """Choose the usable ones of `engines` (default: all bundled); nothing is loaded yet.

        Raises:
            EmbeddingError: none is usable here.
        """
        wanted = bundled_engines() if engines is None else engines
        self._engines = _usable(wanted)
        self.name = f"bundled-{'+'.join(engine.name for engine in self._engines)}-{_RECIPE}"
        self.dimensions = sum(engine.dimensions for engine in self._engines)
        self._encoders: list[Encode] = []
        self._loading = threading.Lock()
        self._asked: OrderedDict[str, Future[Vectors]] = OrderedDict()
        self._asking = threading.Lock()
        workers = min(4, os.cpu_count() or 1)
        self._questions = ThreadPoolExecutor(workers, thread_name_prefix="embed-question")
        self._passages = ThreadPoolExecutor(workers, thread_name_prefix="embed-passage")

    async def embed_queries(self, texts: Sequence[str]) -> "Vectors":
        """Questions as an (n, dimensions) array of unit rows; each is cut at 2,000 characters."""
        import numpy as np

        # Shielded: the same question may be waited for by others when this caller gives up.
        futures = [asyncio.shield(asyncio.wrap_future(self._ask(clean(text, MAX_QUERY)))) for text in texts]
        rows = await asyncio.gather(*futures)
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), np.float32)

    async def embed_passages(self, texts: Sequence[str]) -> "Vectors":
        """Texts as an (n, dimensions) array of unit rows.

        A text over 2,000 characters is embedded in pieces whose mean stands for it; what follows the first 16,000
        characters is left out.
        """
        import numpy as np

        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        futures = [asyncio.wrap_future(self._passages.submit(self._passage_rows, batch)) for batch in batches]
        rows = await asyncio.gather(*futures)
        return np.concatenate(rows) if rows else np.zeros((0, self.dimensions), np.float32)

    async def warm(self) -> None:
        """Load the models and run them once."""
        await self.embed_queries(["?"])

    def _ask(self, text: str) -> "Future[Vectors]":
        with self._asking:
            future = self._asked.get(text)
            if future is None or (future.done() and future.exception() is not None):
                future = self._asked[text] = self._questions.submit(self._question_row, text)
            self._asked.move_to_end(text)
            while len(self._asked) > _CACHED:
                self._asked.popitem(last=False)
            return future

    def _question_row(self, text: str) -> "Vectors":
        return self._encode([text], question=True)[0]

    def _passage_rows(self, texts: Sequence[str]) -> "Vectors":
        import numpy as np

        pieces = [chunks(clean(text, MAX_PASSAGE)) for text in texts]
        encoded = self._encode([piece for each in pieces for piece in each], question=False)
        ends = np.cumsum([len(each) for each in pieces])
        means = np.stack([rows.mean(axis=0) for rows in np.split(encoded, ends[:-1])])
        return centred(means, np.zeros(self.dimensions, np.float32))

    def _encode(self, texts: Sequence[str], *, question: bool) -> "Vectors":
        import numpy as np

        total = sum(engine.weight for engine in self._engines)
        parts = [
            centred(encode(texts, question), mean_of(engine.name))
            * np.float32((engine.weight / total) ** 0.5)
            for engine, encode in zip(self._engines, self._loaded(), strict=True)
        ]
        return np.concatenate(parts, axis=1)

    def _loaded(self) -> list[Encode]:
        with self._loading:
            if not self._encoders:
                try:
                    self._encoders = [engine.load() for engine in self._engines]
                except Exception as error:
                    raise EmbeddingError(f"the bundled embeddings cannot be loaded: {error}") from error
            return self._encoders


def _usable(wanted: Sequence[Engine]) -> list[Engine]:
    found = [engine for engine in wanted if engine.usable]
    missing = [engine.package for engine in wanted if engine not in found]
    if not found:
        raise EmbeddingError(
            f"no bundled embedding model can run here (tried {', '.join(missing)}): "
            "install one, or set PAUSEPOINT_EMBEDDINGS to another provider"
        )
    if missing:
        log.warning(
            "embeddings_reduced",
            missing=missing,
            using=[engine.package for engine in found],
            effect="answers are found less well, and data loaded elsewhere must be loaded again",
        )
    return found
