"""A disk with no room for a collection is told before the engine maps files on it (a full disk would end the process)."""

import shutil
from pathlib import Path

import pytest

from pausepoint.settings import Settings
from pausepoint.vectors.errors import DiskFull
from pausepoint.vectors.open import open_vectors


async def test_no_collection_is_begun_without_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await open_vectors(Settings(data=tmp_path))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=8 << 20))
    with pytest.raises(DiskFull, match="8 MB free"):
        await store.ensure("campaign_x", 4)
    monkeypatch.undo()
    await store.ensure("campaign_x", 4)
    assert await store.count("campaign_x") == 0
    await store.close()
