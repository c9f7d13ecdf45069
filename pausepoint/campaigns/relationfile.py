"""relations.yaml and relations/*.yaml: who stands how to whom, and why one thinks so."""

from pausepoint.campaigns.artifactfile import note_ids
from pausepoint.campaigns.fields import Fields, ItemFault, Problems
from pausepoint.campaigns.ids import fold, item_id
from pausepoint.campaigns.itemfile import item_tables
from pausepoint.campaigns.model import Relation
from pausepoint.campaigns.references import Ambiguous, References

_SPELLINGS = {
    "id": ("uuid", "relation_id", "relationship_id"),
    "source": ("from", "source_id", "start"),
    "target": ("to", "target_id", "end"),
    "label": ("relation", "relationship", "type"),
    "description": ("summary",),
    "reasoning": ("reason", "why", "evidence"),
    "notes": ("note_ids", "note_id", "note"),
}


def read_relations(
    texts: list[tuple[str, str]], campaign: str, notes: References, artifacts: References, problems: Problems
) -> list[Relation]:
    """The relations of the given files.

    Args:
        texts: file name and text of each file.
        campaign: uuid of the campaign.
        notes: the notes they may refer to.
        artifacts: the artifacts they may join.
        problems: where faults go.
    """
    reader = _Reader(campaign, notes, artifacts)
    for file, text in texts:
        for table in item_tables(text, file, "relations", problems):
            try:
                reader.add(Fields(table, _SPELLINGS, file, problems))
            except ItemFault as fault:
                problems.add(file, fault.line, fault.reason)
    return list(reader.relations.values())


class _Reader:
    def __init__(self, campaign: str, notes: References, artifacts: References) -> None:
        self.uuid = campaign
        self.notes = notes
        self.known = artifacts
        self.relations: dict[str, Relation] = {}
        self.places: dict[str, str] = {}

    def add(self, fields: Fields) -> None:
        source, target = self.end(fields, "source"), self.end(fields, "target")
        label = fields.required("label", 120)
        relation = Relation(
            id="",
            source=source,
            target=target,
            label=label,
            description=fields.text("description"),
            reasoning=fields.text("reasoning"),
            note_ids=note_ids(fields, self.notes),
        )
        key = self.key(fields, relation)
        self.relations[key] = relation.model_copy(update={"id": key})
        self.places[key] = f"{fields.file}:{fields.line}"

    def end(self, fields: Fields, name: str) -> str:
        text = fields.required(name, 300)
        try:
            found = self.known.find(text)
        except Ambiguous as error:
            raise ItemFault(f"{name}: {error}", fields.line_of(name)) from None
        if not found:
            raise ItemFault(f"{name}: there is no artifact {text!r}", fields.line_of(name))
        return found

    def key(self, fields: Fields, relation: Relation) -> str:
        if given := fields.text("id", 300):
            key = item_id(self.uuid, "relation", given)
            if key in self.relations:
                reason = f"the relation id {given!r} is already used at {self.places[key]}; give it its own"
                raise ItemFault(reason, fields.line_of("id"))
            return key
        return self.derived(fields, relation)

    def derived(self, fields: Fields, relation: Relation) -> str:
        """The same two artifacts may bear one label several times, told differently: those are numbered."""
        base = f"{relation.source}|{fold(relation.label)}|{relation.target}"
        number, key = 1, item_id(self.uuid, "relation", base)
        while key in self.relations:
            if self.relations[key].model_copy(update={"id": ""}) == relation:
                raise ItemFault(f"the same relation already stands at {self.places[key]}", fields.line)
            number += 1
            key = item_id(self.uuid, "relation", f"{base}|{number}")
        return key
