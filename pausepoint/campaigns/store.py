"""Campaigns and their items in SQLite: the record of what was loaded, from which the others can be made."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pausepoint.campaigns.cache import drop_answers
from pausepoint.campaigns.ids import as_uuid, fold
from pausepoint.campaigns.model import Artifact, Campaign, Note, PointType, Relation
from pausepoint.campaigns.records import Record
from pausepoint.campaigns.rows import (
    CampaignRow,
    Counts,
    Stored,
    campaign_row,
    count_items,
    find_campaign,
    mark_changed,
    now,
    put_campaign,
    to_json,
)
from pausepoint.errors import PausepointError
from pausepoint.storage.database import Database

__all__ = ["CampaignRow", "CampaignStore", "Counts", "Stored", "UnknownCampaign"]


_SETTLED = "UPDATE campaigns SET loading = 0 WHERE uuid = ?"


class UnknownCampaign(PausepointError):
    """No campaign has this uuid or name, or several have this name."""

    def __init__(self, wanted: str, named: Sequence[CampaignRow] = ()) -> None:
        if named:
            said = f"{len(named)} campaigns are named {wanted!r}, use a uuid: {', '.join(row.uuid for row in named)}"
        else:
            said = f"There is no campaign {wanted!r}: `pausepoint campaigns` lists those there are."
        super().__init__(said)
        self.uuid = wanted


class CampaignStore:
    """The tables `campaigns`, `artifact_categories` and `campaign_items`."""

    def __init__(self, database: Database) -> None:
        """Use an open database."""
        self._database = database

    async def put(self, campaign: Campaign) -> CampaignRow:
        """Create or update a campaign; its graph label and collection stay what they were first."""
        await self._database.write(lambda conn: put_campaign(conn, campaign))
        return await self.find(campaign.uuid)

    async def look_up(self, uuid: str) -> CampaignRow | None:
        """The campaign of this uuid, None if there is none."""
        key = as_uuid(uuid)
        return await self._database.read(lambda conn: find_campaign(conn, key)) if key else None

    async def find(self, wanted: str) -> CampaignRow:
        """The campaign of this uuid, or the only one of this name (case ignored); raises `UnknownCampaign`."""
        if found := await self.look_up(wanted):
            return found
        named = [row for row in await self.all() if fold(row.name) == fold(wanted)]
        if len(named) != 1:
            raise UnknownCampaign(wanted, named)
        return named[0]

    async def all(self) -> list[CampaignRow]:
        """Every campaign, by name."""

        def work(conn: sqlite3.Connection) -> list[CampaignRow]:
            rows = conn.execute("SELECT * FROM campaigns ORDER BY name, uuid").fetchall()
            return [campaign_row(conn, row) for row in rows]

        return await self._database.read(work)

    async def counts(self, uuid: str) -> Counts:
        """How many notes, artifacts, relations and vectors a campaign holds."""
        return await self._database.read(lambda conn: count_items(conn, uuid))

    async def stored(self, uuid: str, kind: PointType, ids: Sequence[str] | None = None) -> dict[str, Stored]:
        """Id, name and hash of a campaign's items, of all or of the given ids."""

        def work(conn: sqlite3.Connection) -> dict[str, Stored]:
            rows = conn.execute(
                "SELECT id, name, hash FROM campaign_items WHERE campaign_uuid = ?1 AND kind = ?2"
                " AND (?3 IS NULL OR id IN (SELECT value FROM json_each(?3))) ORDER BY name, id",
                (uuid, kind, None if ids is None else json.dumps(list(ids))),
            )
            return {row["id"]: Stored(row["id"], row["name"], row["hash"]) for row in rows}

        return await self._database.read(work)

    async def note(self, uuid: str, note_id: str) -> Note | None:
        """One note in full."""
        found = await self._bodies(uuid, "note", [note_id])
        return Note.model_validate(found[0]) if found else None

    async def notes(self, uuid: str, ids: Sequence[str] | None = None) -> list[Note]:
        """Notes in full, all or those of the given ids, by title."""
        return [Note.model_validate(body) for body in await self._bodies(uuid, "note", ids)]

    async def artifacts(self, uuid: str, ids: Sequence[str] | None = None) -> list[Artifact]:
        """Artifacts, all or those of the given ids, by name."""
        return [Artifact.model_validate(body) for body in await self._bodies(uuid, "artifact", ids)]

    async def relations(self, uuid: str, ids: Sequence[str] | None = None) -> list[Relation]:
        """Relations, all or those of the given ids, by label."""
        return [Relation.model_validate(body) for body in await self._bodies(uuid, "relation", ids)]

    async def relations_of(self, uuid: str, artifacts: Sequence[str]) -> list[Relation]:
        """Relations that begin or end at one of the artifacts."""

        def work(conn: sqlite3.Connection) -> list[str]:
            rows = conn.execute(
                "SELECT body FROM campaign_items WHERE campaign_uuid = ?1 AND kind = 'relation' AND"
                " (source IN (SELECT value FROM json_each(?2)) OR target IN"
                " (SELECT value FROM json_each(?2))) ORDER BY id",
                (uuid, json.dumps(list(artifacts))),
            )
            return [row[0] for row in rows]

        return [Relation.model_validate_json(body) for body in await self._database.read(work)]

    async def begin_change(self, uuid: str) -> bool:
        """Say that the stores may disagree until `save` or `forget`; tells whether they already might."""

        def work(conn: sqlite3.Connection) -> bool:
            (before,) = conn.execute("SELECT loading FROM campaigns WHERE uuid = ?", (uuid,)).fetchone()
            conn.execute("UPDATE campaigns SET loading = 1 WHERE uuid = ?", (uuid,))
            return bool(before)

        return await self._database.write(work)

    async def save(self, uuid: str, records: Sequence[Record]) -> None:
        """Write the rows of records whose points and graph are written; answers kept so far are dropped."""
        at = now()
        rows = [
            (uuid, r.kind, r.id, r.name, r.source, r.target, to_json(r.body), r.hash, len(r.payloads), at)
            for r in records
        ]

        def work(conn: sqlite3.Connection) -> None:
            conn.executemany(
                "INSERT OR REPLACE INTO campaign_items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
            )
            mark_changed(conn, uuid, at)
            conn.execute(_SETTLED, (uuid,))

        await self._database.write(work)

    async def forget(self, uuid: str, kind: PointType, ids: Iterable[str]) -> None:
        """Remove rows of items; answers kept so far are dropped."""
        keys = [(uuid, kind, key) for key in ids]

        def work(conn: sqlite3.Connection) -> None:
            conn.executemany(
                "DELETE FROM campaign_items WHERE campaign_uuid = ? AND kind = ? AND id = ?", keys
            )
            mark_changed(conn, uuid, now())
            conn.execute(_SETTLED, (uuid,))

        await self._database.write(work)

    async def mark_stale(self, uuid: str, stale: Mapping[PointType, Iterable[str]]) -> None:
        """Make items count as changed, because another store lost them or holds them differently.

        The other stores now hold nothing the rows do not know: the change begun is over.
        """
        keys = [(uuid, kind, key) for kind, ids in stale.items() for key in ids]

        def work(conn: sqlite3.Connection) -> None:
            conn.executemany(
                "UPDATE campaign_items SET hash = '' WHERE campaign_uuid = ? AND kind = ? AND id = ?", keys
            )
            conn.execute(_SETTLED, (uuid,))

        await self._database.write(work)

    async def any_stale(self, uuid: str) -> bool:
        """Whether an item waits to be written anew."""

        def work(conn: sqlite3.Connection) -> bool:
            query = "SELECT 1 FROM campaign_items WHERE campaign_uuid = ? AND hash = '' LIMIT 1"
            return conn.execute(query, (uuid,)).fetchone() is not None

        return await self._database.read(work)

    async def set_embedding(self, uuid: str, embedding: str) -> None:
        """Name the model and dimensions the campaign's vectors are made with."""

        def work(conn: sqlite3.Connection) -> None:
            conn.execute("UPDATE campaigns SET embedding = ? WHERE uuid = ?", (embedding, uuid))

        await self._database.write(work)

    async def set_source(self, uuid: str, digest: str) -> None:
        """Name the folder the campaign was loaded from completely."""

        def work(conn: sqlite3.Connection) -> None:
            conn.execute("UPDATE campaigns SET source_digest = ? WHERE uuid = ?", (digest, uuid))

        await self._database.write(work)

    async def note_dates(self, uuid: str, ids: Iterable[str]) -> dict[str, str]:
        """When the given notes were written (ISO 8601), those without a date left out."""
        wanted = json.dumps(sorted(set(ids)))

        def work(conn: sqlite3.Connection) -> dict[str, str]:
            rows = conn.execute(
                "SELECT id, body ->> '$.created_at' AS at FROM campaign_items WHERE campaign_uuid = ? AND"
                " kind = 'note' AND id IN (SELECT value FROM json_each(?)) AND at IS NOT NULL",
                (uuid, wanted),
            )
            return {row[0]: row[1] for row in rows}

        return await self._database.read(work)

    async def delete(self, uuid: str) -> None:
        """Remove a campaign with all its rows."""

        def work(conn: sqlite3.Connection) -> None:
            conn.execute("DELETE FROM campaign_items WHERE campaign_uuid = ?", (uuid,))
            conn.execute("DELETE FROM artifact_categories WHERE campaign_uuid = ?", (uuid,))
            conn.execute("DELETE FROM campaigns WHERE uuid = ?", (uuid,))
            drop_answers(conn, uuid)

        await self._database.write(work)

    async def _bodies(self, uuid: str, kind: PointType, ids: Sequence[str] | None) -> list[dict[str, Any]]:
        def work(conn: sqlite3.Connection) -> list[str]:
            rows = conn.execute(
                "SELECT body FROM campaign_items WHERE campaign_uuid = ?1 AND kind = ?2"
                " AND (?3 IS NULL OR id IN (SELECT value FROM json_each(?3))) ORDER BY name, id",
                (uuid, kind, None if ids is None else json.dumps(list(ids))),
            )
            return [row[0] for row in rows]

        return [json.loads(body) for body in await self._database.read(work)]
