"""What an item becomes in each store: its vector points, its graph properties, its row, and a hash of it all.

Equal hashes mean that writing the item again would change nothing anywhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pausepoint.campaigns.chunks import chunk
from pausepoint.campaigns.ids import content_hash, point_id, relationship_type
from pausepoint.campaigns.model import Artifact, Note, PointType, Relation

_VERSION = 1  # raise it when what is written changes: everything is then written anew

Item = Note | Artifact | Relation


@dataclass(slots=True)
class Record:
    """An item ready to be written; `payloads` are its points by point id."""

    kind: PointType
    id: str
    name: str
    body: dict[str, Any]
    payloads: dict[str, dict[str, Any]]
    graph: dict[str, Any] = field(default_factory=dict[str, Any])
    source: str = ""
    target: str = ""
    hash: str = ""


def iso(moment: datetime | None) -> str | None:
    """A moment in UTC as ISO 8601 with Z; None stays None."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z") if moment else None


def note_record(campaign: str, note: Note) -> Record:
    """A note: one point a passage, no graph."""
    passages = chunk(note.content)
    fields = {"note_id": note.id, "title": note.title, "created_at": iso(note.created_at)}
    payloads = {
        point_id("note", note.id, number): {
            "type": "note",
            "campaign_uuid": campaign,
            **fields,
            "content": passage,
            "chunk": number,
            "chunks": len(passages),
            "text": f"{note.title}\n{passage}",
        }
        for number, passage in enumerate(passages)
    }
    return _sealed(Record("note", note.id, note.title, note.model_dump(mode="json"), payloads))


def artifact_record(campaign: str, artifact: Artifact, created: str) -> Record:
    """An artifact: one point and one node; `created` is ISO 8601."""
    names = ", ".join((artifact.name, *artifact.aliases))
    common = {
        "name": artifact.name,
        "aliases": list(artifact.aliases),
        "description": artifact.description,
        "note_ids": list(artifact.note_ids),
    }
    payload = {
        "type": "artifact",
        "campaign_uuid": campaign,
        "artifact_id": artifact.id,
        "artifact_type": artifact.type,
        **common,
        "text": f"{names}. {artifact.description}".strip(),
    }
    graph = {
        "id": artifact.id,
        "type": artifact.type,
        "campaignUuid": campaign,
        "createdAt": created,
        **common,
    }
    body = artifact.model_dump(mode="json")
    return _sealed(
        Record(
            "artifact", artifact.id, artifact.name, body, {point_id("artifact", artifact.id): payload}, graph
        )
    )


def relation_record(campaign: str, relation: Relation, names: Mapping[str, str], created: str) -> Record:
    """A relation: one point and one edge; `names` maps artifact ids to names."""
    source, target = names[relation.source], names[relation.target]
    common = {
        "label": relation.label,
        "description": relation.description,
        "reasoning": relation.reasoning,
        "note_ids": list(relation.note_ids),
    }
    words = relation.label.replace("_", " ")
    sentence = f"{source} {words.lower() if words.isupper() else words} {target}."
    payload = {
        "type": "relation",
        "campaign_uuid": campaign,
        "relationship_id": relation.id,
        "source": source,
        "target": target,
        "source_id": relation.source,
        "target_id": relation.target,
        **common,
        "text": f"{sentence} {relation.description}".strip(),
    }
    graph = {
        "id": relation.id,
        "campaignUuid": campaign,
        "createdAt": created,
        "type": relationship_type(relation.label),
        **common,
    }
    record = Record(
        "relation",
        relation.id,
        relation.label,
        relation.model_dump(mode="json"),
        {point_id("relation", relation.id): payload},
        graph,
        relation.source,
        relation.target,
    )
    return _sealed(record)


def _sealed(record: Record) -> Record:
    record.hash = content_hash([_VERSION, record.body, record.payloads, record.graph])
    return record
