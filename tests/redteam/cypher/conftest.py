"""An embedded graph with one tenant, to which the others are added half-way through a test."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from pausepoint.graphdb.embedded import EmbeddedGraph

sys.path.insert(0, str(Path(__file__).parent))  # the helpers beside the tests, whatever the import mode


@pytest_asyncio.fixture
async def graph(tmp_path: Path) -> AsyncIterator[EmbeddedGraph]:
    opened = await EmbeddedGraph.open(tmp_path / "graph")
    await opened.ready()
    yield opened
    await opened.close()
