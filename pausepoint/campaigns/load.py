"""Brings a campaign folder into the stores: what is new or changed is written, the rest is left alone.

Interrupted anywhere, the same load goes on where it was; done twice, the second changes nothing.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pausepoint.campaigns.files import Problem
from pausepoint.campaigns.folder import ParsedFolder
from pausepoint.campaigns.ingest import Change, Ingest
from pausepoint.campaigns.model import Campaign, PointType
from pausepoint.campaigns.records import Item

if TYPE_CHECKING:
    from pausepoint.services import Services

KINDS: tuple[PointType, ...] = ("note", "artifact", "relation")
BATCH = 32
Progress = Callable[[PointType, int, int], None]
"""Told the kind, how many of its items are done and how many there are."""


class Target(Protocol):
    """Where a folder is loaded to: the stores of this process, or a server that holds them."""

    async def open(self, campaign: Campaign) -> None:
        """Create or update the campaign."""
        ...

    async def upsert(self, kind: PointType, items: Sequence[Item]) -> Change:
        """Write items of one kind."""
        ...

    async def names(self, kind: PointType) -> dict[str, str]:
        """What is stored: names by id."""
        ...

    async def delete(self, kind: PointType, ids: Sequence[str]) -> None:
        """Remove items."""
        ...

    async def finish(self, digest: str) -> None:
        """Note that everything was written."""
        ...


@dataclass(slots=True)
class KindReport:
    """What became of one kind of item; `gone` are names of stored items the folder no longer has."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    gone: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class LoadReport:
    """The outcome of a load; `prune_skipped` says why nothing was removed although that was asked."""

    campaign: Campaign
    kinds: dict[PointType, KindReport]
    problems: list[Problem]
    seconds: float = 0.0
    prune_skipped: str | None = None

    @property
    def changes(self) -> int:
        """How many items were added, changed or removed."""
        return sum(kind.added + kind.changed + kind.removed for kind in self.kinds.values())

    def as_json(self) -> dict[str, Any]:
        """The report as plain JSON."""
        return {
            "campaign": {"uuid": self.campaign.uuid, "name": self.campaign.name},
            **{f"{kind}s": asdict(report) for kind, report in self.kinds.items()},
            "changes": self.changes,
            "problems": [asdict(problem) for problem in self.problems],
            "pruneSkipped": self.prune_skipped,
            "seconds": round(self.seconds, 3),
        }


async def load_campaign(
    source: ParsedFolder, services: "Services", progress: Progress | None = None, *, prune: bool = False
) -> LoadReport:
    """Load a folder into the stores of this process.

    Args:
        source: what `read_folder` read.
        services: the open stores.
        progress: told about every batch.
        prune: remove stored items that the folder no longer has (not while the folder has errors: an item
            that cannot be read is not gone).
    """
    if source.path:
        await asyncio.to_thread(services.ingest.know, source.path)
    return await load_into(source, LocalTarget(services.ingest, source.campaign.uuid), progress, prune=prune)


async def load_into(
    source: ParsedFolder, target: Target, progress: Progress | None = None, *, prune: bool = False
) -> LoadReport:
    """Load a folder into a target; see `load_campaign`."""
    start = time.monotonic()
    report = LoadReport(source.campaign, {kind: KindReport() for kind in KINDS}, source.problems)
    groups: dict[PointType, Sequence[Item]] = {
        "note": source.notes,
        "artifact": source.artifacts,
        "relation": source.relations,
    }
    await target.open(source.campaign)
    for kind, items in groups.items():
        await _load_kind(target, kind, items, report.kinds[kind], progress)
    if prune and source.errors:
        report.prune_skipped = f"the folder has {len(source.errors)} errors; nothing was removed"
    for kind in reversed(KINDS):  # relations first: artifacts take theirs along
        await _find_gone(target, kind, groups[kind], report, prune=prune and not source.errors)
    await target.finish(source.digest)
    report.seconds = time.monotonic() - start
    return report


async def _load_kind(
    target: Target, kind: PointType, items: Sequence[Item], report: KindReport, progress: Progress | None
) -> None:
    if progress:
        progress(kind, 0, len(items))
    for start in range(0, len(items), BATCH):
        batch = items[start : start + BATCH]
        change = await target.upsert(kind, batch)
        report.added += change.added
        report.changed += change.changed
        report.unchanged += change.unchanged
        if progress:
            progress(kind, start + len(batch), len(items))
        _stop_if_asked()


def _stop_if_asked() -> None:
    """Stop where a library below lost the cancellation that Ctrl-C is: no batch begins after it."""
    task = asyncio.current_task()
    if task and task.cancelling():
        raise asyncio.CancelledError


async def _find_gone(
    target: Target, kind: PointType, items: Sequence[Item], report: LoadReport, *, prune: bool
) -> None:
    present = {item.id for item in items}
    gone = {key: name for key, name in (await target.names(kind)).items() if key not in present}
    if not prune:
        report.kinds[kind].gone = list(gone.values())
        return
    keys = list(gone)
    for start in range(0, len(keys), BATCH):
        await target.delete(kind, keys[start : start + BATCH])
    report.kinds[kind].removed = len(keys)


class LocalTarget:
    """The stores of this process."""

    def __init__(self, ingest: Ingest, uuid: str) -> None:
        """Load the campaign `uuid` through `ingest`."""
        self._ingest = ingest
        self._uuid = uuid

    async def open(self, campaign: Campaign) -> None:
        """Create or update the campaign."""
        await self._ingest.open(campaign)

    async def upsert(self, kind: PointType, items: Sequence[Item]) -> Change:
        """Write items of one kind."""
        del kind
        return await self._ingest.upsert(self._uuid, items)

    async def names(self, kind: PointType) -> dict[str, str]:
        """What is stored: names by id."""
        stored = await self._ingest.store.stored(self._uuid, kind)
        return {key: item.name for key, item in stored.items()}

    async def delete(self, kind: PointType, ids: Sequence[str]) -> None:
        """Remove items."""
        await self._ingest.delete(self._uuid, kind, ids)

    async def finish(self, digest: str) -> None:
        """Note that everything was written."""
        await self._ingest.store.set_source(self._uuid, digest)
