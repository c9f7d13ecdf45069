"""YAML as a tree that knows its lines, read without constructing anything.

Scalars stay the text that was written (`No` is a name, not False). Hostile input ends in a `YamlFault`
with a line: nesting and alias expansion are bounded, tags are ignored, a key must be plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

MAX_DEPTH = 32
_NULLS = {"", "~", "null", "Null", "NULL"}


class YamlFault(Exception):
    """Text that is no YAML we read; `line` counts from 1."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(slots=True)
class Scalar:
    """A plain value as written; `text` is None for null."""

    text: str | None
    line: int
    size: int = 1


@dataclass(slots=True)
class Sequence:
    """A list; `size` counts the values in it with aliases expanded."""

    line: int
    items: list[Node] = field(default_factory=list["Node"])
    size: int = 1


@dataclass(slots=True)
class Mapping:
    """A mapping with plain keys; `repeated` names the keys that stood twice (the last one holds)."""

    line: int
    entries: dict[str, Node] = field(default_factory=dict[str, "Node"])
    repeated: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    size: int = 1


Node = Scalar | Sequence | Mapping


def parse(text: str, first_line: int = 1) -> Node | None:
    """The document in `text`; None when there is none.

    Args:
        text: YAML, one document.
        first_line: line number of the text's first line in its file.

    Raises:
        YamlFault: the text is no YAML, holds several documents, or is built to exhaust its reader.
    """
    import yaml

    try:
        return _Composer(text, first_line).document()
    except yaml.MarkedYAMLError as error:
        # What is never closed is best looked for where it was opened.
        ended = error.context_mark is not None and "end of stream" in (error.problem or "")
        mark = error.context_mark if ended else error.problem_mark or error.context_mark
        line = (mark.line if mark else 0) + first_line
        raise YamlFault(_explain(error), line) from None
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + first_line
        raise YamlFault(f"the character {error.character!r} is not allowed in YAML", line) from None
    except UnicodeEncodeError as error:
        line = text[: error.start].count("\n") + first_line
        raise YamlFault("a lone surrogate is no text", line) from None


def _explain(error: yaml.MarkedYAMLError) -> str:
    parts = [error.problem or "cannot be read"]
    if error.context:
        parts.append(str(error.context))
    return "no valid YAML: " + ", ".join(parts)


class _Composer:
    """Builds the tree from the parser's events; recursion is bounded by MAX_DEPTH."""

    def __init__(self, text: str, first_line: int) -> None:
        import yaml

        self.yaml: Any = yaml
        self.events: Iterator[Any] = iter(self.yaml.parse(text, Loader=_loader()))
        self.first_line = first_line
        self.anchors: dict[str, Node | None] = {}
        self.budget = len(text) + 100  # more values than characters can only come from aliases

    def document(self) -> Node | None:
        root: Node | None = None
        for event in self.events:
            if isinstance(event, self.yaml.DocumentStartEvent):
                if root is not None:
                    raise YamlFault("a second document begins; one is expected", self.line(event))
                root = self.node(next(self.events), 0)
        return root

    def line(self, event: Any) -> int:
        return event.start_mark.line + self.first_line

    def node(self, event: Any, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise YamlFault(f"nested deeper than {MAX_DEPTH} levels", self.line(event))
        if isinstance(event, self.yaml.AliasEvent):
            return self.alias(event)
        if event.anchor:
            self.anchors[event.anchor] = None
        made = self.fresh(event, depth)
        if event.anchor:
            self.anchors[event.anchor] = made
        if made.size > self.budget:
            raise YamlFault("aliases expand to more than the file could hold", self.line(event))
        return made

    def fresh(self, event: Any, depth: int) -> Node:
        if isinstance(event, self.yaml.ScalarEvent):
            plain = event.style is None or event.style == ""
            return Scalar(None if plain and event.value in _NULLS else event.value, self.line(event))
        if isinstance(event, self.yaml.SequenceStartEvent):
            return self.sequence(event, depth)
        return self.mapping(event, depth)

    def alias(self, event: Any) -> Node:
        target = self.anchors.get(event.anchor)
        if target is None:
            known = "refers to itself" if event.anchor in self.anchors else "is not defined above it"
            raise YamlFault(f"the alias *{event.anchor} {known}", self.line(event))
        return target

    def sequence(self, event: Any, depth: int) -> Sequence:
        made = Sequence(self.line(event))
        while not isinstance(inner := next(self.events), self.yaml.SequenceEndEvent):
            item = self.node(inner, depth + 1)
            made.items.append(item)
            made.size += item.size
        return made

    def mapping(self, event: Any, depth: int) -> Mapping:
        made = Mapping(self.line(event))
        while not isinstance(inner := next(self.events), self.yaml.MappingEndEvent):
            key = self.node(inner, depth + 1)
            value = self.node(next(self.events), depth + 1)
            if not isinstance(key, Scalar):
                raise YamlFault("a key must be plain text, not a list or mapping", key.line)
            name = key.text or ""
            if name in made.entries:
                made.repeated.append((name, key.line))
            made.entries[name] = value
            made.size += value.size + 1
        return made


def _loader() -> Any:
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


_ITEM = re.compile(r"^( *)-(?= |$)", re.MULTILINE)


def list_blocks(text: str) -> list[tuple[str, int]]:
    """The outermost `- ` blocks of a list with the line each begins on, to save what one fault would hide."""
    first = _ITEM.search(text)
    if not first:
        return []
    starts = [match.start() for match in _ITEM.finditer(text) if match[1] == first[1]]
    blocks: list[tuple[str, int]] = []
    line = text[: starts[0]].count("\n") + 1
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        blocks.append((text[start:end], line))
        line += text[start:end].count("\n")
    return blocks
