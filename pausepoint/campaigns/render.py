"""Turns items into records, looking up what they refer to in the campaign's rows."""

from collections.abc import Sequence

from pausepoint.campaigns.model import Artifact, Note, Relation
from pausepoint.campaigns.records import Item, Record, artifact_record, note_record, relation_record
from pausepoint.campaigns.rows import CampaignRow
from pausepoint.campaigns.store import CampaignStore
from pausepoint.errors import PausepointError


class MissingArtifact(PausepointError):
    """A relation names an artifact the campaign does not have."""

    def __init__(self, position: int, field: str, artifact: str) -> None:
        super().__init__(f"relation {position}: {field} names no artifact of the campaign: {artifact!r}")
        self.position = position
        self.field = field


class Renderer:
    """Records of a campaign's items, as its rows stand now."""

    def __init__(self, store: CampaignStore) -> None:
        """Use an open store."""
        self._store = store

    async def records(self, row: CampaignRow, items: Sequence[Item]) -> list[Record]:
        """What the items become in each store; raises `MissingArtifact`."""
        notes = [item for item in items if isinstance(item, Note)]
        artifacts = [item for item in items if isinstance(item, Artifact)]
        relations = [item for item in items if isinstance(item, Relation)]
        return [
            *(note_record(row.uuid, note) for note in notes),
            *await self._artifact_records(row, artifacts),
            *await self._relation_records(row, relations),
        ]

    async def _artifact_records(self, row: CampaignRow, items: Sequence[Artifact]) -> list[Record]:
        dates = await self._dates(row, items)
        return [artifact_record(row.uuid, item, date) for item, date in zip(items, dates, strict=True)]

    async def _relation_records(self, row: CampaignRow, items: Sequence[Relation]) -> list[Record]:
        if not items:
            return []
        ends = {end for item in items for end in (item.source, item.target)}
        names = {k: s.name for k, s in (await self._store.stored(row.uuid, "artifact", list(ends))).items()}
        for position, item in enumerate(items):
            for field, end in (("source", item.source), ("target", item.target)):
                if end not in names:
                    raise MissingArtifact(position, field, end)
        dates = await self._dates(row, items)
        return [relation_record(row.uuid, item, names, date) for item, date in zip(items, dates, strict=True)]

    async def _dates(self, row: CampaignRow, items: Sequence[Artifact | Relation]) -> list[str]:
        """When each item's first note was written; the campaign's own beginning when none says."""
        known = await self._store.note_dates(row.uuid, (n for item in items for n in item.note_ids))
        return [
            min((known[n] for n in item.note_ids if n in known), default=row.created_at) for item in items
        ]
