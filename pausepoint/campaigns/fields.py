"""Reading one mapping of a campaign file: spellings folded together, every fault named with its line."""

import re
from collections.abc import Mapping as Table
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Literal

from pausepoint.campaigns.files import Problem
from pausepoint.campaigns.yamlfile import Mapping, Node, Scalar, Sequence

Spellings = Table[str, tuple[str, ...]]
"""Field name -> the other spellings it is known by."""


class ItemFault(Exception):
    """An item that cannot be read; the rest of its file still can."""

    def __init__(self, reason: str, line: int | None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(slots=True)
class Problems:
    """The problems of a folder, in the order they were met."""

    found: list[Problem] = field(default_factory=list[Problem])

    def add(
        self, file: str, line: int | None, reason: str, severity: Literal["error", "warning"] = "error"
    ) -> None:
        """Note one problem."""
        self.found.append(Problem(file, line, reason, severity))

    def warn(self, file: str, line: int | None, reason: str) -> None:
        """Note something that was read anyway."""
        self.add(file, line, reason, "warning")


def snake(name: str) -> str:
    """`noteIds`, `note-ids` and `Note IDs` as `note_ids`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\s-]+", "_", spaced).lower()


class Fields:
    """The fields of one mapping under their canonical names."""

    def __init__(self, table: Mapping, spellings: Spellings, file: str, problems: Problems) -> None:
        self.line = table.line
        self.file = file
        self.problems = problems
        self.values: dict[str, Node] = {}
        names = {other: name for name, others in spellings.items() for other in (name, *others)}
        for key, line in table.repeated:
            problems.warn(file, line, f"the key {key!r} stands twice; the last one is taken")
        for key, value in table.entries.items():
            name = names.get(snake(key))
            if name is None:
                problems.warn(file, value.line, f"the unknown key {key!r} is ignored")
            elif name in self.values:
                problems.warn(file, value.line, f"{key!r} says {name!r} a second time and is ignored")
            else:
                self.values[name] = value

    def line_of(self, name: str) -> int:
        """The line of a field, or of the item when the field is missing."""
        return self.values[name].line if name in self.values else self.line

    def text(self, name: str, limit: int = 20_000) -> str:
        """A field's text, empty when it is missing or null; raises ItemFault for lists and mappings."""
        value = self.values.get(name)
        if value is None:
            return ""
        if not isinstance(value, Scalar):
            raise ItemFault(f"{name!r} must be text, not a {type(value).__name__.lower()}", value.line)
        text = (value.text or "").replace("\0", "").strip()
        if len(text) > limit:
            raise ItemFault(f"{name!r} has {len(text):,} characters; at most {limit:,} are read", value.line)
        return text

    def required(self, name: str, limit: int = 20_000) -> str:
        """A field that must hold text."""
        if text := self.text(name, limit):
            return text
        raise ItemFault(f"{name!r} is missing or empty", self.line_of(name))

    def texts(self, name: str) -> list[tuple[str, int]]:
        """A list of texts with their lines; a single text counts as a list of one."""
        value = self.values.get(name)
        items = value.items if isinstance(value, Sequence) else [value] if value is not None else []
        found: list[tuple[str, int]] = []
        for item in items:
            if not isinstance(item, Scalar):
                raise ItemFault(f"{name!r} must be a list of texts", item.line)
            if item.text and item.text.strip():
                found.append((item.text.strip(), item.line))
        return found

    def moment(self, name: str) -> datetime | None:
        """A date or date and time; one that cannot be read is left out with a warning."""
        text = self.text(name)
        if not text:
            return None
        made = parse_moment(text)
        if made is None:
            self.problems.warn(
                self.file,
                self.line_of(name),
                f"{name!r}: {text[:60]!r} is no date (2024-05-17); ignored",
            )
        return made


def parse_moment(text: str) -> datetime | None:
    """An ISO date or date and time with a timezone (UTC when it names none); None for anything else."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        try:
            moment = datetime.combine(date.fromisoformat(text.strip()[:10]), datetime.min.time())
        except ValueError:
            return None
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        return None
