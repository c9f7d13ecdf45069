"""A small campaign written to disk, for tests to load and to break."""

from pathlib import Path

CAMPAIGN = """\
uuid: 0a1b2c3d-0000-4000-8000-000000000001
name: Próba soli
language: pl
categories: [characters, locations]
"""
ARTIFACTS = """\
- id: adam
  name: Adam Flisak
  aliases: [Flisak]
  type: characters
  description: Zwiadowca ze Straży Solnej.
  notes: [pierwsza, Druga sesja]
- name: Hanna
  type: characters
  description: Siostra Adama.
  notes: [pierwsza]
- name: Tawerna pod Węgorzem
  type: locations
  description: Stoi nad rzeką.
"""
RELATIONS = """\
- source: adam
  target: Hanna
  label: jest bratem
  description: Adam jest bratem Hanny.
  reasoning: Mówi o niej siostra.
  notes: [pierwsza]
- from: Hanna
  to: Tawerna pod Węgorzem
  label: PRACUJE_W
"""
NOTES = {
    "01-pierwsza.md": "---\nid: pierwsza\ntitle: Pierwsza sesja\ncreated: 2024-01-05\n---\nAdam spotyka Hannę.\n",
    "02-druga.md": "# Druga sesja\n\nHanna otwiera tawernę. Adam przychodzi późno.\n",
}


def write_campaign(root: Path, **changes: str | None) -> Path:
    """Write the campaign to `root`; changes by file name (`_` for `/` and `.` as in `artifacts_yaml`), None: left out."""
    files: dict[str, str | None] = {
        "campaign.yaml": CAMPAIGN,
        "artifacts.yaml": ARTIFACTS,
        "relations.yaml": RELATIONS,
        **{f"notes/{name}": text for name, text in NOTES.items()},
    }
    short = {"campaign": "campaign.yaml", "artifacts": "artifacts.yaml", "relations": "relations.yaml"}
    files.update({short[key]: text for key, text in changes.items()})
    for name, text in files.items():
        if text is not None:
            put(root, name, text)
    return root


def put(root: Path, name: str, text: str | bytes) -> Path:
    """Write one file of a campaign folder."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def big_campaign(root: Path, notes: int, artifacts: int) -> Path:
    """A campaign with many notes, artifacts and as many relations."""
    put(root, "campaign.yaml", "uuid: 0a1b2c3d-0000-4000-8000-0000000000ff\nname: Big one\n")
    for number in range(notes):
        body = f"Note {number} speaks of person {number % artifacts}."
        put(root, f"notes/n{number:03}.md", f"---\ntitle: Note {number}\ncreated: 2024-01-01\n---\n{body}\n")
    people = [
        f"- {{id: p{i}, name: Person {i}, type: characters, description: 'No {i}', notes: [Note {i % notes}]}}"
        for i in range(artifacts)
    ]
    knows = [
        f"- {{source: p{i}, target: p{(i + 1) % artifacts}, label: knows, description: 'since {i}'}}"
        for i in range(artifacts)
    ]
    put(root, "artifacts.yaml", "\n".join(people) + "\n")
    put(root, "relations.yaml", "\n".join(knows) + "\n")
    return root
