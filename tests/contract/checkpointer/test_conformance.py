"""The official conformance suite, every capability, each test on its own."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability

from pausepoint.storage.checkpointer import SqliteCheckpointer
from pausepoint.storage.database import Database


@pytest.mark.parametrize("durable", [True, False])
@pytest.mark.parametrize("capability", [c.value for c in Capability])
async def test_conforms_entirely(tmp_path: Path, capability: str, durable: bool) -> None:
    @checkpointer_test(name="SqliteCheckpointer")
    async def ours() -> AsyncIterator[Any]:
        async with await Database.open(tmp_path / "c.sqlite") as database:
            yield SqliteCheckpointer(database, durable=durable)

    report = await validate(ours, capabilities={capability})

    result = report.results[capability]
    assert result.detected
    assert result.failures == []
    assert result.passed
    assert result.tests_passed > 0
