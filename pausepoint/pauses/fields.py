"""The fields of a form: each knows its JSON Schema and how a page should show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pausepoint.pauses.messages import LANGUAGES

Json = dict[str, Any]
Label = str | Mapping[str, str]
"""A text, or one per language: {"pl": …, "en": …, "de": …}."""


def text_in(label: Label, language: str) -> str:
    """A label in a language; English, or whatever there is, otherwise."""
    if isinstance(label, str):
        return label
    short = language[:2].lower()
    return label.get(short) or label.get("en") or next(iter(label.values()), "")


@dataclass(frozen=True)
class Field:
    """Base of all fields."""

    name: str
    label: Label = ""
    required: bool = True
    help: Label = ""

    def schema(self, language: str) -> Json:
        """The JSON Schema of the field's value."""
        found: Json = {"title": text_in(self.label, language) or self.name.replace("_", " ").capitalize()}
        if self.help:
            found["description"] = text_in(self.help, language)
        return {**found, **self.rules(language)}

    def rules(self, language: str) -> Json:
        """What the value must be."""
        raise NotImplementedError

    def ui(self, language: str) -> Json:
        """Hints for a page."""
        return {"widget": "text"}


@dataclass(frozen=True)
class Text(Field):
    """A line or a paragraph."""

    min_length: int | None = None
    max_length: int | None = 10_000
    pattern: str | None = None
    multiline: bool = False

    def rules(self, language: str) -> Json:
        """A string; one that is required is not empty."""
        least = self.min_length if self.min_length is not None else 1 if self.required else None
        return _given(type="string", minLength=least, maxLength=self.max_length, pattern=self.pattern)

    def ui(self, language: str) -> Json:
        """One line or several."""
        return {"widget": "textarea" if self.multiline else "text"}


@dataclass(frozen=True)
class Number(Field):
    """A number."""

    minimum: float | None = None
    maximum: float | None = None
    whole: bool = False

    def rules(self, language: str) -> Json:
        """A number in a range."""
        kind = "integer" if self.whole else "number"
        return _given(type=kind, minimum=self.minimum, maximum=self.maximum)

    def ui(self, language: str) -> Json:
        """A field for numbers."""
        return {"widget": "number", "step": 1 if self.whole else "any"}


@dataclass(frozen=True)
class Date(Field):
    """A day, or a moment."""

    time: bool = False

    def rules(self, language: str) -> Json:
        """ISO 8601."""
        return {"type": "string", "format": "date-time" if self.time else "date"}

    def ui(self, language: str) -> Json:
        """A calendar."""
        return {"widget": "datetime" if self.time else "date"}


@dataclass(frozen=True)
class Boolean(Field):
    """Yes or no."""

    must_be_true: bool = False

    def rules(self, language: str) -> Json:
        """A boolean; a consent must be given."""
        return {"type": "boolean", **({"const": True} if self.must_be_true else {})}

    def ui(self, language: str) -> Json:
        """A box to tick."""
        return {"widget": "checkbox"}


@dataclass(frozen=True)
class Choice(Field):
    """One of several."""

    options: Sequence[str] | Mapping[str, Label] = ()

    def rules(self, language: str) -> Json:
        """One of the values."""
        return {"type": "string", "enum": list(self.options)}

    def ui(self, language: str) -> Json:
        """Buttons, or a list when there are many."""
        widget = "radio" if len(self.options) <= 6 else "select"
        return {"widget": widget, "options": _options(self.options, language)}


@dataclass(frozen=True)
class MultiChoice(Field):
    """Any of several."""

    options: Sequence[str] | Mapping[str, Label] = ()
    least: int | None = None
    most: int | None = None

    def rules(self, language: str) -> Json:
        """Different values of the list."""
        least = self.least if self.least is not None else 1 if self.required else None
        items = {"type": "string", "enum": list(self.options)}
        return _given(type="array", items=items, uniqueItems=True, minItems=least, maxItems=self.most)

    def ui(self, language: str) -> Json:
        """Boxes to tick."""
        return {"widget": "checkboxes", "options": _options(self.options, language)}


@dataclass(frozen=True)
class Attachment(Field):
    """A file that was uploaded before (`POST /attachments`); the answer holds its id."""

    types: Sequence[str] = ()
    max_bytes: int | None = None

    def rules(self, language: str) -> Json:
        """An attachment's id."""
        limits = _given(types=list(self.types) or None, max_bytes=self.max_bytes)
        return {"type": "string", "format": "attachment", "minLength": 1, "x-attachment": limits}

    def ui(self, language: str) -> Json:
        """A file."""
        return {"widget": "file", "accept": ",".join(self.types)}


@dataclass(frozen=True)
class ListOf(Field):
    """A list of entries with fields of their own."""

    fields: Sequence[Field] = field(default_factory=tuple[Field, ...])
    least: int | None = None
    most: int | None = 1000

    def rules(self, language: str) -> Json:
        """An array of objects."""
        least = self.least if self.least is not None else 1 if self.required else None
        items = object_schema(self.fields, language)
        return _given(type="array", items=items, minItems=least, maxItems=self.most)

    def ui(self, language: str) -> Json:
        """A table."""
        return {"widget": "table", "fields": {f.name: f.ui(language) for f in self.fields}}


def object_schema(fields: Sequence[Field], language: str) -> Json:
    """The schema of an object with these fields and no others."""
    return {
        "type": "object",
        "properties": {f.name: f.schema(language) for f in fields},
        "required": [f.name for f in fields if f.required],
        "additionalProperties": False,
    }


def _options(options: Sequence[str] | Mapping[str, Label], language: str) -> list[Json]:
    if isinstance(options, Mapping):
        return [{"value": value, "label": text_in(label, language)} for value, label in options.items()]
    return [{"value": value, "label": value} for value in options]


def _given(**rules: Any) -> Json:
    return {name: value for name, value in rules.items() if value is not None}


__all__ = [
    "LANGUAGES",
    "Attachment",
    "Boolean",
    "Choice",
    "Date",
    "Field",
    "Label",
    "ListOf",
    "MultiChoice",
    "Number",
    "Text",
    "object_schema",
    "text_in",
]
