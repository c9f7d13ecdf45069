"""The embedding port: questions and passages to unit vectors of one space."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from pausepoint.errors import PausepointError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class EmbeddingError(PausepointError):
    """Texts cannot be embedded: no model, or a model that failed."""


class Embedder(Protocol):
    """An embedding model; vectors of two models with different `name`s must not be mixed."""

    @property
    def name(self) -> str:
        """Names the model and its version; keep it beside the vectors."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        ...

    async def embed_queries(self, texts: Sequence[str]) -> "Vectors":
        """Questions as an (n, dimensions) float32 array of unit rows; repeated ones come from a cache."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> "Vectors":
        """Texts to be found, as an (n, dimensions) float32 array of unit rows."""
        ...

    async def warm(self) -> None:
        """Load what the first question would otherwise wait for."""
        ...
