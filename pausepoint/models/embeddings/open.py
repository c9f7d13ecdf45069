"""Opens the embedding model that the settings name."""

from functools import cache
from typing import TYPE_CHECKING

from pausepoint.models.embeddings.port import EmbeddingError

if TYPE_CHECKING:
    from pausepoint.models.embeddings.bundled import BundledEmbedder
    from pausepoint.models.embeddings.port import Embedder
    from pausepoint.settings import Settings


def open_embedder(settings: "Settings") -> "Embedder":
    """The model of `PAUSEPOINT_EMBEDDINGS`; one per process, loaded at its first use (or by `warm`).

    Raises:
        EmbeddingError: the name is unknown, or no bundled model can run here.
    """
    if settings.embeddings != "bundled":
        raise EmbeddingError(
            f"PAUSEPOINT_EMBEDDINGS is {settings.embeddings!r}, but only 'bundled' is built in so far: unset it"
        )
    return _bundled()


@cache
def _bundled() -> "BundledEmbedder":
    from pausepoint.models.embeddings.bundled import BundledEmbedder

    return BundledEmbedder()
