"""Opens the vector store that the settings name."""

from typing import TYPE_CHECKING

from pausepoint.vectors.errors import VectorError

if TYPE_CHECKING:
    from pausepoint.settings import Settings
    from pausepoint.vectors.port import VectorStore


async def open_vectors(settings: "Settings") -> "VectorStore":
    """The store at `QDRANT_URL`, or the embedded one in `<data>/vectors`; close it when done.

    Raises:
        VectorsHeld: another process has the embedded store's folder open.
        VectorError: the server cannot be used.
    """
    if settings.qdrant_url:
        raise VectorError(
            f"QDRANT_URL is {settings.qdrant_url!r}, but the adapter for a Qdrant server is not built yet "
            "(it comes with the issue on real components): unset QDRANT_URL to use the embedded store"
        )
    from pausepoint.vectors.embedded import EmbeddedVectors

    return await EmbeddedVectors.open(settings.data / "vectors")
