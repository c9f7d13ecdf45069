"""Vectors kept beside their texts: used when they fit, passed over when they do not."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pausepoint.models.embeddings.open import open_embedder
from pausepoint.models.embeddings.prepared import FILE, Prepared
from pausepoint.settings import Settings
from prompts.offline import outside

ROOT = Path(__file__).parents[3]


async def refuse(texts: Sequence[str]) -> np.ndarray:
    raise AssertionError(f"embedded again: {texts[:1]}")


async def ones(texts: Sequence[str]) -> np.ndarray:
    return np.ones((len(texts), 4), np.float32) / 2


async def kept(path: Path) -> Path:
    prepared = Prepared(remember=True)
    await prepared.embed(["one", "two"], ones)
    prepared.write(path, "model-1")
    return path


async def test_known_texts_are_not_embedded_again(tmp_path: Path) -> None:
    prepared = Prepared()
    assert prepared.read(await kept(tmp_path / FILE), "model-1") == 2
    vectors = await prepared.embed(["two", "one"], refuse)
    assert np.allclose(vectors, 0.5, atol=1e-3)


async def test_a_changed_text_is_embedded(tmp_path: Path) -> None:
    prepared = Prepared()
    prepared.read(await kept(tmp_path / FILE), "model-1")
    vectors = await prepared.embed(["one", "two, changed"], ones)
    assert vectors.shape == (2, 4)


async def test_another_models_vectors_are_not_used(tmp_path: Path) -> None:
    assert Prepared().read(await kept(tmp_path / FILE), "model-2") == 0


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 broken"])
def test_a_damaged_file_is_passed_over(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    assert Prepared().read(tmp_path / FILE, "model-1") == 0


async def test_the_examples_of_the_planner_are_prepared() -> None:
    prepared = Prepared()
    prepared.read(ROOT / "prompts/data/outside.npz", open_embedder(Settings()).name)
    await prepared.embed(outside.examples(), refuse)


@pytest.mark.parametrize("sample", sorted(p.parent.name for p in ROOT.glob("samples/*/campaign.yaml")))
def test_the_samples_vectors_fit_the_embedding_model(sample: str) -> None:
    assert Prepared().read(ROOT / "samples" / sample / FILE, open_embedder(Settings()).name) > 200
