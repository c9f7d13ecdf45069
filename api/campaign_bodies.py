"""What the campaign routes accept and return; names in camelCase, snake_case is understood, too."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from pausepoint.campaigns.model import Artifact, Campaign, Category, Moment, Note, Relation
from pausepoint.campaigns.rows import CampaignRow, Counts

MAX_ITEMS = 500


def _without_nul(value: Any) -> Any:
    return value.replace("\0", "") if isinstance(value, str) else value


def _limits(least: int, most: int) -> StringConstraints:
    """So many characters, without spaces around them."""
    return StringConstraints(strip_whitespace=True, min_length=least, max_length=most)


_Plain = BeforeValidator(_without_nul)
Name = Annotated[str, _limits(1, 300), _Plain]
Key = Name
ShortName = Annotated[str, _limits(1, 200), _Plain]
Type = Annotated[str, _limits(1, 64), _Plain]
Label = Annotated[str, _limits(1, 120), _Plain]
Content = Annotated[str, _limits(1, 1_000_000), _Plain]
Text = Annotated[str, _limits(0, 20_000), _Plain]


class Body(BaseModel):
    """A JSON object without unknown keys."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)


class CategoryBody(Body):
    """A kind of artifact."""

    id: Type
    name: Text = Field("", max_length=200)
    description: Text = ""


class CampaignBody(Body):
    """A campaign without what it holds; without categories it gets the usual four."""

    name: ShortName
    description: Text = ""
    language: Text = Field("en", min_length=2, max_length=40)
    categories: list[CategoryBody] | None = None


class SourceBody(Body):
    """The digest of the folder a campaign was loaded from completely."""

    digest: ShortName


class NoteBody(Body):
    """A note; without an id, its title stands for it."""

    id: Key | None = None
    title: Name
    content: Content
    created_at: Moment | None = None


class ArtifactBody(Body):
    """An artifact; `noteIds` are ids of notes of the campaign."""

    id: Key | None = None
    name: Name
    type: Type
    description: Text = ""
    aliases: list[Name] = Field(default_factory=list, max_length=100)
    note_ids: list[Key] = Field(default_factory=list, max_length=10_000)


class RelationBody(Body):
    """A relation; source and target are ids, names or aliases of artifacts of the campaign."""

    id: Key | None = None
    source: Name
    target: Name
    label: Label
    description: Text = ""
    reasoning: Text = ""
    note_ids: list[Key] = Field(default_factory=list, max_length=10_000)


def campaign_from(uuid: str, body: CampaignBody, usual: tuple[Category, ...]) -> Campaign:
    """The campaign that a body describes."""
    given = body.categories
    categories = (
        usual
        if given is None
        else tuple(
            Category(id=c.id, name=c.name or c.id.capitalize(), description=c.description) for c in given
        )
    )
    return Campaign(
        uuid=uuid,
        name=body.name,
        description=body.description,
        language=body.language,
        categories=categories,
    )


def shown_campaign(row: CampaignRow, counts: Counts) -> dict[str, Any]:
    """A campaign with its counts."""
    return {
        **row.campaign.model_dump(),
        "graphLabel": row.graph_label,
        "counts": {"notes": counts.notes, "artifacts": counts.artifacts, "relations": counts.relations},
        "createdAt": row.created_at,
        "updatedAt": row.updated_at,
    }


def shown_item(item: Note | Artifact | Relation, without: Sequence[str] = ()) -> dict[str, Any]:
    """An item with its keys in camelCase."""
    fields = item.model_dump(mode="json", exclude=set(without))
    return {to_camel(key): value for key, value in fields.items()}
