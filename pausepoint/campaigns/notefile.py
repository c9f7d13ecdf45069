"""One note file: optional YAML front matter between `---` lines, then Markdown."""

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from pausepoint.campaigns.fields import Fields, ItemFault, Problems
from pausepoint.campaigns.yamlfile import Mapping, YamlFault, parse

_SPELLINGS = {
    "id": ("uuid", "note_id"),
    "title": ("name",),
    "created": ("created_at", "date"),
}
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_FENCE = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$\n?", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A note as its file says it; `key` is the id it names, or its path."""

    file: str
    line: int
    key: str
    title: str
    content: str
    created: datetime | None


def read_note(text: str, file: str, problems: Problems) -> NoteFile:
    """Read a note.

    Args:
        text: the file's text with newline line ends.
        file: its path inside the campaign folder, `/` between the parts.
        problems: where warnings go.

    Raises:
        ItemFault: the front matter is broken or the note is empty.
    """
    fields, body, first = _front_matter(text, file, problems)
    if "\0" in body:
        problems.warn(file, first + body[: body.index("\0")].count("\n"), "NUL characters are left out")
        body = body.replace("\0", "")
    content = body.strip()
    if not content:
        raise ItemFault("the note is empty", first)
    heading = _HEADING.search(content)
    title = (fields.text("title", 300) if fields else "") or (heading[1].strip() if heading else "")
    path = PurePosixPath(file)
    return NoteFile(
        file=file,
        line=fields.line_of("id") if fields else 1,
        key=(fields.text("id", 300) if fields else "") or path.with_suffix("").as_posix(),
        title=(title or path.stem)[:300],
        content=content,
        created=fields.moment("created") if fields else None,
    )


def _front_matter(text: str, file: str, problems: Problems) -> tuple[Fields | None, str, int]:
    """The fields of the front matter, the text after it, and that text's first line."""
    match = _FENCE.match(text)
    if not match:
        if re.match(r"---[ \t]*\n\w+:", text):
            raise ItemFault("the front matter is not closed with a line of ---", 1)
        return None, text, 1
    first = text[: match.end()].count("\n") + 1
    try:
        tree = parse(match[1], first_line=2)
    except YamlFault as fault:
        raise ItemFault(f"front matter: {fault.reason}", fault.line) from None
    if tree is None:
        return None, text[match.end() :], first
    if not isinstance(tree, Mapping):
        return None, text, 1  # a note that opens with a horizontal rule
    return Fields(tree, _SPELLINGS, file, problems), text[match.end() :], first
