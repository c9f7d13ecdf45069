"""Loading a campaign: reading the folder, the first load with its share of embedding, the second, one changed note.

Run it alone with `python -m bench.load [campaign folder]`.
"""

import asyncio
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from pausepoint.campaigns.folder import folder_digest, read_folder
from pausepoint.campaigns.load import load_campaign
from pausepoint.services import Services, open_services
from pausepoint.settings import Settings

SAMPLE = Path(__file__).parent.parent / "samples" / "sol-i-popiol"
console = Console(width=110)


class TimedEmbedder:
    """The real embedder, and how long it was at work."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.name = inner.name
        self.dimensions = inner.dimensions
        self.seconds = 0.0
        self.texts = 0

    async def embed_passages(self, texts: Sequence[str]) -> Any:
        start = time.perf_counter()
        made = await self.inner.embed_passages(texts)
        self.seconds += time.perf_counter() - start
        self.texts += len(texts)
        return made


async def main(folder: Path = SAMPLE) -> None:
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "campaign"
        shutil.copytree(folder, copy)
        table = Table("step", "seconds", "of it embedding", "texts embedded", title=f"Loading {folder.name}")
        start = time.perf_counter()
        read_folder(copy)
        table.add_row("read the folder", f"{time.perf_counter() - start:.3f}", "", "")
        start = time.perf_counter()
        folder_digest(copy)
        table.add_row("tell that it is unchanged", f"{time.perf_counter() - start:.3f}", "", "")
        start = time.perf_counter()
        services = await open_services(Settings(data=Path(name) / "data"))
        table.add_row("open the stores", f"{time.perf_counter() - start:.3f}", "", "")
        try:
            await _measure(table, services, copy)
        finally:
            await services.close()
    console.print(table)


async def _measure(table: Table, services: Services, folder: Path) -> None:
    await asyncio.gather(services.embedder.warm(), services.graph.ready())
    embedder = services.ingest.embedder = TimedEmbedder(services.embedder)  # type: ignore[assignment]
    await _load(table, services, embedder, folder, "first load")
    await _load(table, services, embedder, folder, "second load")
    note = sorted((folder / "notes").rglob("*.md"))[0]
    note.write_text(note.read_text("utf-8") + "\nOne sentence more.\n", "utf-8")
    await _load(table, services, embedder, folder, "one note changed")


async def _load(table: Table, services: Services, embedder: TimedEmbedder, folder: Path, step: str) -> None:
    embedder.seconds, embedder.texts = 0.0, 0
    source = read_folder(folder)
    start = time.perf_counter()
    await load_campaign(source, services)
    taken = time.perf_counter() - start
    table.add_row(step, f"{taken:.3f}", f"{embedder.seconds:.3f}", str(embedder.texts))


if __name__ == "__main__":
    asyncio.run(main(*(Path(argument) for argument in sys.argv[1:2])))
