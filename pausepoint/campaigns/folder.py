"""A campaign folder read into items: what can be read is, everything else is a `Problem` with its line.

The format is described in docs/formats.md. Reading needs no store and touches nothing.
"""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from pausepoint.campaigns.artifactfile import read_artifacts
from pausepoint.campaigns.campaignfile import read_campaign
from pausepoint.campaigns.fields import ItemFault, Problems
from pausepoint.campaigns.files import (
    MAX_NOTE_BYTES,
    MAX_YAML_BYTES,
    CampaignFolderError,
    FileFault,
    Problem,
    files_under,
    linked_folders,
    read_text,
    shown,
)
from pausepoint.campaigns.ids import item_id
from pausepoint.campaigns.model import Artifact, Campaign, Note, Relation
from pausepoint.campaigns.notefile import NoteFile, read_note
from pausepoint.campaigns.references import References
from pausepoint.campaigns.relationfile import read_relations

NOTE_ENDINGS = (".md", ".markdown")
YAML_ENDINGS = (".yaml", ".yml")


@dataclass(slots=True)
class ParsedFolder:
    """A campaign as its folder tells it; `digest` changes with any byte that was read."""

    campaign: Campaign
    notes: list[Note]
    artifacts: list[Artifact]
    relations: list[Relation]
    problems: list[Problem] = field(default_factory=list[Problem])
    digest: str = ""
    path: Path | None = None

    @property
    def errors(self) -> list[Problem]:
        """The problems that cost an item."""
        return [problem for problem in self.problems if problem.severity == "error"]


def read_folder(folder: Path) -> ParsedFolder:
    """Read a campaign folder (blocking: call it in a thread).

    Raises:
        CampaignFolderError: there is no such folder, or its campaign.yaml cannot be read.
    """
    return _Reader(folder).read()


def folder_digest(folder: Path) -> str:
    """The `digest` that reading the folder now would give, without parsing it."""
    return _Reader(folder).digest()


class _Reader:
    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise CampaignFolderError(f"there is no campaign folder {str(folder)!r}: check the path")
        self.root = folder
        self.problems = Problems()

    def read(self) -> ParsedFolder:
        campaign = read_campaign(self.root, self.problems)
        notes, note_names = self.notes(campaign.uuid)
        artifacts, artifact_names = read_artifacts(
            self.yaml_texts("artifacts"), campaign, note_names, self.problems
        )
        relations = read_relations(
            self.yaml_texts("relations"), campaign.uuid, note_names, artifact_names, self.problems
        )
        return ParsedFolder(
            campaign, notes, artifacts, relations, self.problems.found, self.digest(), self.root
        )

    def notes(self, uuid: str) -> tuple[list[Note], References]:
        known = References(uuid, "note")
        places: dict[str, str] = {}
        notes: list[Note] = []
        for found in self.note_files():
            made = item_id(uuid, "note", found.key)
            if made in places:
                reason = f"the note id {found.key!r} is already used in {places[made]}; give it its own"
                self.problems.add(found.file, found.line, reason)
                continue
            places[made] = found.file
            path = Path(found.file)
            known.add(made, found.title, (path.stem, path.name, path.with_suffix("").as_posix(), found.file))
            notes.append(Note(id=made, title=found.title, content=found.content, created_at=found.created))
        if not notes:
            self.problems.warn("notes", None, "there are no notes; answers have nothing to cite")
        return notes, known

    def note_files(self) -> list[NoteFile]:
        found: list[NoteFile] = []
        folder = self.root / "notes"
        for path in linked_folders(folder):
            self.problems.warn(shown(self.root, path), None, "a symbolic link to a folder is not followed")
        for path in files_under(folder, NOTE_ENDINGS):
            name = shown(self.root, path)
            try:
                found.append(read_note(read_text(self.root, path, MAX_NOTE_BYTES), name, self.problems))
            except (FileFault, ItemFault) as fault:
                self.problems.add(name, fault.line, fault.reason)
        return found

    def yaml_texts(self, kind: str) -> list[tuple[str, str]]:
        """File name and text of `<kind>.yaml` and `<kind>/**/*.yaml`."""
        texts: list[tuple[str, str]] = []
        for path in self.yaml_files(kind):
            try:
                texts.append((shown(self.root, path), read_text(self.root, path, MAX_YAML_BYTES)))
            except FileFault as fault:
                self.problems.add(shown(self.root, path), fault.line, fault.reason)
        return texts

    def yaml_files(self, kind: str) -> list[Path]:
        single = [self.root / (kind + ending) for ending in YAML_ENDINGS]
        return [path for path in single if path.exists()] + list(files_under(self.root / kind, YAML_ENDINGS))

    def digest(self) -> str:
        files = [self.root / ("campaign" + ending) for ending in YAML_ENDINGS]
        files += [*files_under(self.root / "notes", NOTE_ENDINGS)]
        files += [*self.yaml_files("artifacts"), *self.yaml_files("relations")]
        total = hashlib.sha256(b"folder-1")
        for path in files:
            try:
                text = read_text(self.root, path, MAX_YAML_BYTES)
            except FileFault as fault:
                text = fault.reason
            total.update(f"{shown(self.root, path)}\0{len(text)}\0{text}".encode())
        return total.hexdigest()
