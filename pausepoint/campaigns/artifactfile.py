"""artifacts.yaml and artifacts/*.yaml: the campaign's characters, locations, items and events."""

from pausepoint.campaigns.fields import Fields, ItemFault, Problems
from pausepoint.campaigns.ids import fold, item_id
from pausepoint.campaigns.itemfile import item_tables
from pausepoint.campaigns.model import Artifact, Campaign
from pausepoint.campaigns.references import Ambiguous, References

_SPELLINGS = {
    "id": ("uuid", "artifact_id"),
    "name": ("title",),
    "aliases": ("alias", "also_known_as", "nicknames"),
    "type": ("category", "artifact_type", "kind"),
    "description": ("summary",),
    "notes": ("note_ids", "note_id", "note"),
}


def read_artifacts(
    texts: list[tuple[str, str]], campaign: Campaign, notes: References, problems: Problems
) -> tuple[list[Artifact], References]:
    """The artifacts of the given files and the names they are known by.

    Args:
        texts: file name and text of each file.
        campaign: whose artifacts these are.
        notes: the notes they may refer to.
        problems: where faults go.
    """
    reader = _Reader(campaign, notes, problems)
    for file, text in texts:
        for table in item_tables(text, file, "artifacts", problems):
            try:
                reader.add(Fields(table, _SPELLINGS, file, problems))
            except ItemFault as fault:
                problems.add(file, fault.line, fault.reason)
    return list(reader.artifacts.values()), reader.known


def note_ids(fields: Fields, notes: References) -> tuple[str, ...]:
    """The ids of the notes an item refers to; unknown ones are named and left out."""
    found: dict[str, None] = {}
    for text, line in fields.texts("notes"):
        try:
            note = notes.find(text)
        except Ambiguous as error:
            fields.problems.warn(fields.file, line, f"the note {error}")
            continue
        if note:
            found[note] = None
        else:
            fields.problems.warn(fields.file, line, f"no note {text[:80]!r}; the reference is dropped")
    return tuple(found)


class _Reader:
    def __init__(self, campaign: Campaign, notes: References, problems: Problems) -> None:
        self.uuid = campaign.uuid
        self.notes = notes
        self.problems = problems
        self.types = {fold(form): c.id for c in campaign.categories for form in (c.name, c.id)}
        self.known = References(campaign.uuid, "artifact")
        self.artifacts: dict[str, Artifact] = {}
        self.places: dict[str, str] = {}

    def add(self, fields: Fields) -> None:
        name = fields.required("name", 300)
        kind = self.kind(fields)
        key = self.key(fields, name, kind)
        aliases = tuple(dict.fromkeys(text[:300] for text, _ in fields.texts("aliases")))
        self.artifacts[key] = Artifact(
            id=key,
            name=name,
            type=kind,
            aliases=aliases,
            description=fields.text("description"),
            note_ids=note_ids(fields, self.notes),
        )
        self.places[key] = f"{fields.file}:{fields.line}"
        self.known.add(key, name, aliases)

    def key(self, fields: Fields, name: str, kind: str) -> str:
        if given := fields.text("id", 300):
            key = item_id(self.uuid, "artifact", given)
            if key in self.artifacts:
                reason = f"the artifact id {given!r} is already used at {self.places[key]}; give it its own"
                raise ItemFault(reason, fields.line_of("id"))
            return key
        key = item_id(self.uuid, "artifact", name)
        if key in self.artifacts and self.artifacts[key].type != kind:
            key = item_id(self.uuid, "artifact", f"{name}|{kind}")
        if key in self.artifacts:
            reason = f"the artifact {name!r} already stands at {self.places[key]}; give both an id"
            raise ItemFault(reason, fields.line_of("name"))
        return key

    def kind(self, fields: Fields) -> str:
        text = fields.text("type", 64)
        if not text:
            fields.problems.warn(fields.file, fields.line, "the artifact has no type; 'other' is taken")
            return "other"
        for form in (text, f"{text}s", text.removesuffix("y") + "ies"):
            if known := self.types.get(fold(form)):
                return known
        reason = f"the type {text!r} is none of the campaign's categories; it is kept"
        fields.problems.warn(fields.file, fields.line_of("type"), reason)
        return text
