"""The stores that the contract is checked on."""

from collections.abc import AsyncIterator

import pytest

from pausepoint.vectors.embedded import EmbeddedVectors
from pausepoint.vectors.port import VectorStore


@pytest.fixture(params=["embedded"])
async def store(request, tmp_path) -> AsyncIterator[VectorStore]:
    opened = await EmbeddedVectors.open(tmp_path / "vectors")
    yield opened
    await opened.close()
