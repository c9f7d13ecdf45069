"""Search by meaning: which texts of an item are embedded, and how near a question is to them."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.embeddings import Embeddings
from langgraph.store.base import IndexConfig, PutOp, ensure_embeddings, get_text_at_path, tokenize_path

from pausepoint.storage.errors import StorageError


class Meaning:
    """Embeds items and questions as an index configuration says."""

    def __init__(self, index: IndexConfig) -> None:
        self.embeddings: Embeddings = ensure_embeddings(index.get("embed"))
        self._dims = index.get("dims")
        self._fields = index.get("fields") or ["$"]

    def texts(self, op: PutOp) -> dict[str, str]:
        """The item's texts by their path; none when the item is deleted or not to be indexed."""
        if op.value is None or op.index is False:
            return {}
        texts: dict[str, str] = {}
        for path in op.index or self._fields:
            found = get_text_at_path(op.value, path if path == "$" else tokenize_path(path))
            for at, text in enumerate(found):
                texts[f"{path}.{at}" if len(found) > 1 else path] = text
        return texts

    def pack(self, vector: Sequence[float]) -> bytes:
        """A vector of length one as 32-bit floats.

        Raises:
            StorageError: It has another number of dimensions than the index.
        """
        import numpy as np

        if self._dims and len(vector) != self._dims:
            raise StorageError(
                f"The embedding function returned {len(vector)} dimensions, the store's index has {self._dims}: "
                "set index.dims to what the function returns."
            )
        array = np.asarray(vector, dtype=np.float32)
        length = float(np.linalg.norm(array))
        return (array / length if length else array).tobytes()


def nearest(question: bytes, vectors: Sequence[tuple[int, bytes]]) -> Mapping[int, float]:
    """Item → cosine similarity of its nearest text, the nearest item first. Vectors of another size are left out."""
    import numpy as np

    fitting = [(item, vector) for item, vector in vectors if len(vector) == len(question)]
    if not fitting:
        return {}
    matrix = np.frombuffer(b"".join([vector for _, vector in fitting]), dtype=np.float32)
    asked: Any = np.frombuffer(question, dtype=np.float32)
    scores = matrix.reshape(len(fitting), -1) @ asked
    best: dict[int, float] = {}
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    for at in order:
        best.setdefault(fitting[at][0], float(scores[at]))
    return best
