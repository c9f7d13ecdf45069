"""The rows of a campaign as Python values, and the statements that read and change them."""

import json
import sqlite3
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pausepoint.campaigns.cache import drop_answers
from pausepoint.campaigns.ids import collection_name, graph_label
from pausepoint.campaigns.model import Campaign, Category


@dataclass(frozen=True, slots=True)
class CampaignRow:
    """A campaign as it is kept; `loading` means a change was begun and not finished."""

    campaign: Campaign
    graph_label: str
    collection: str
    embedding: str
    revision: int
    loading: bool
    source_digest: str
    created_at: str
    updated_at: str

    @property
    def uuid(self) -> str:
        """The campaign's uuid."""
        return self.campaign.uuid

    @property
    def name(self) -> str:
        """The campaign's name."""
        return self.campaign.name

    @property
    def language(self) -> str:
        """The language its notes are written in (ISO 639-1)."""
        return self.campaign.language


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a campaign holds."""

    notes: int = 0
    artifacts: int = 0
    relations: int = 0
    points: int = 0


@dataclass(frozen=True, slots=True)
class Stored:
    """What is known of an item without reading it whole."""

    id: str
    name: str
    hash: str


def now() -> str:
    """The moment, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat()


def to_json(value: Any) -> str:
    """Plain JSON as text."""
    return json.dumps(value, ensure_ascii=False)


def mark_changed(conn: sqlite3.Connection, uuid: str, at: str) -> None:
    """Note that a campaign's content changed: answers kept so far are dropped."""
    conn.execute("UPDATE campaigns SET revision = revision + 1, updated_at = ? WHERE uuid = ?", (at, uuid))
    drop_answers(conn, uuid)


def put_campaign(conn: sqlite3.Connection, campaign: Campaign) -> None:
    """Create or update a campaign; its graph label and collection stay what they were first."""
    at = now()
    values = (campaign.uuid, campaign.name, campaign.description, campaign.language)
    names = (_free_label(conn, campaign), collection_name(campaign.uuid))
    before = find_campaign(conn, campaign.uuid)
    if before and before.campaign == campaign:
        return
    conn.execute(
        "INSERT INTO campaigns (uuid, name, description, language, graph_label, collection, created_at,"
        " updated_at, revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (uuid) DO UPDATE SET name = excluded.name,"
        " description = excluded.description, language = excluded.language",
        # A campaign that is removed and made again must not come back to a revision that views remember.
        (*values, *names, at, at, time.time_ns() // 1_000_000),
    )
    conn.execute("DELETE FROM artifact_categories WHERE campaign_uuid = ?", (campaign.uuid,))
    conn.executemany(
        "INSERT INTO artifact_categories VALUES (?, ?, ?, ?, ?)",
        [(campaign.uuid, c.id, c.name, c.description, i) for i, c in enumerate(campaign.categories)],
    )
    mark_changed(conn, campaign.uuid, at)


def find_campaign(conn: sqlite3.Connection, uuid: str) -> CampaignRow | None:
    """The campaign, None if there is none."""
    row = conn.execute("SELECT * FROM campaigns WHERE uuid = ?", (uuid,)).fetchone()
    return campaign_row(conn, row) if row else None


def campaign_row(conn: sqlite3.Connection, row: sqlite3.Row) -> CampaignRow:
    """A row of `campaigns` with its categories."""
    categories = conn.execute(
        "SELECT id, name, description FROM artifact_categories WHERE campaign_uuid = ? ORDER BY position",
        (row["uuid"],),
    )
    campaign = Campaign(
        uuid=row["uuid"],
        name=row["name"],
        description=row["description"],
        language=row["language"],
        categories=tuple(Category(id=c[0], name=c[1], description=c[2]) for c in categories),
    )
    return CampaignRow(
        campaign,
        row["graph_label"],
        row["collection"],
        row["embedding"],
        row["revision"],
        bool(row["loading"]),
        row["source_digest"],
        row["created_at"],
        row["updated_at"],
    )


def count_items(conn: sqlite3.Connection, uuid: str) -> Counts:
    """How much a campaign holds."""
    rows = conn.execute(
        "SELECT kind, count(*), sum(points) FROM campaign_items WHERE campaign_uuid = ? GROUP BY kind",
        (uuid,),
    ).fetchall()
    by_kind = {row[0]: row[1] for row in rows}
    return Counts(
        by_kind.get("note", 0),
        by_kind.get("artifact", 0),
        by_kind.get("relation", 0),
        sum(row[2] for row in rows),
    )


def _free_label(conn: sqlite3.Connection, campaign: Campaign) -> str:
    label = graph_label(campaign.name, campaign.uuid)
    taken = conn.execute(
        "SELECT 1 FROM campaigns WHERE graph_label = ? AND uuid != ?", (label, campaign.uuid)
    ).fetchone()
    return f"{label}_{campaign.uuid.replace('-', '')}" if taken else label
