"""Vectors made before and kept in a file beside their texts, so that the same text need not be embedded again.

A file holds the model's name and, for every text, a hash and the vector in half precision. Another model, or a text
that changed, is simply not found.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import structlog

from pausepoint.models.embeddings.clean import clean

if TYPE_CHECKING:
    import numpy as np

    from pausepoint.models.embeddings.port import Vectors

Make = Callable[[Sequence[str]], "Awaitable[Vectors]"]
FILE = "vectors.npz"
_HASH_BYTES = 16
log = structlog.get_logger(__name__)


class Prepared:
    """Vectors by text; add files with `read`."""

    def __init__(self, *, remember: bool = False) -> None:
        """Nothing is known yet; `remember` what is asked for, to `write` it."""
        self._known: dict[bytes, np.ndarray] = {}
        self._asked: dict[bytes, np.ndarray] | None = {} if remember else None

    def read(self, path: Path, model: str) -> int:
        """Learn the vectors of a file made with this model; tells how many. An unreadable file is passed over."""
        import numpy as np

        if not path.exists():
            return 0
        try:
            with np.load(path, allow_pickle=False) as file:
                if str(file["model"]) != model:
                    return 0
                keys, vectors = file["keys"], file["vectors"]
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            log.warning("prepared_vectors_unreadable", path=str(path), error=str(error))
            return 0
        self._known |= {bytes(key): vector for key, vector in zip(keys, vectors, strict=True)}
        return len(keys)

    async def embed(self, texts: Sequence[str], make: Make) -> "Vectors":
        """Unit vectors of texts as rows; `make` embeds those that are not known."""
        import numpy as np

        missing = [text for text in texts if _key(text) not in self._known]
        made = iter(await make(missing)) if missing else iter(())
        rows = [self._row(text) if _key(text) in self._known else next(made) for text in texts]
        if self._asked is not None:
            self._asked |= dict(zip(map(_key, texts), rows, strict=True))
        return np.stack(rows) if rows else np.zeros((0, 0), np.float32)

    def write(self, path: Path, model: str) -> int:
        """Write what was asked for; an older file is replaced at once. Tells how many vectors."""
        import numpy as np

        asked = dict(sorted((self._asked or {}).items()))
        keys = np.frombuffer(b"".join(asked), np.uint8).reshape(-1, _HASH_BYTES)
        vectors = np.stack(list(asked.values())).astype(np.float16)
        draft = path.with_name(f".{path.name}")
        with draft.open("wb") as file:
            np.savez_compressed(file, model=np.array(model), keys=keys, vectors=vectors)
        draft.replace(path)
        return len(asked)

    def _row(self, text: str) -> "np.ndarray":
        """A known vector, of length 1 again after its half precision."""
        import numpy as np

        row = self._known[_key(text)].astype(np.float32)
        return row / (np.linalg.norm(row) or 1.0)


def _key(text: str) -> bytes:
    return hashlib.sha256(clean(text, len(text)).encode("utf-8", "replace")).digest()[:_HASH_BYTES]
