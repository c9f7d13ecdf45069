"""A campaign and what it holds, as read from a folder or the API and kept in the stores."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

CATEGORIES = ("characters", "locations", "items", "events")
PointType = Literal["note", "artifact", "relation"]


def in_utc(moment: datetime) -> datetime:
    """The moment in UTC, which is also what one without a timezone means."""
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError as error:
        raise ValueError("the date is out of range in UTC") from error


Moment = Annotated[datetime, AfterValidator(in_utc)]


class _Item(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, frozen=True)


class Category(_Item):
    """A kind of artifact, for example characters."""

    id: str = Field(min_length=1, max_length=64)
    name: str = Field(min_length=1, max_length=200)
    description: str = ""


class Campaign(_Item):
    """The campaign itself; `uuid` names its vector collection, its graph label and its rows."""

    uuid: str
    name: str = Field(min_length=1, max_length=200)
    description: str = ""
    language: str = "en"
    categories: tuple[Category, ...] = ()


class Note(_Item):
    """A note in Markdown, usually one session or one topic."""

    id: str
    title: str = Field(min_length=1, max_length=300)
    content: str = Field(min_length=1)
    created_at: Moment | None = None


class Artifact(_Item):
    """A character, location, item or event; `note_ids` are the notes that speak of it."""

    id: str
    name: str = Field(min_length=1, max_length=300)
    type: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    note_ids: tuple[str, ...] = ()


class Relation(_Item):
    """A directed relation between two artifacts (by id), with the reasoning behind it."""

    id: str
    source: str
    target: str
    label: str = Field(min_length=1, max_length=120)
    description: str = ""
    reasoning: str = ""
    note_ids: tuple[str, ...] = ()
