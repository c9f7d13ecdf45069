"""Reading a campaign folder's files: nothing outside the folder, nothing oversized, text as UTF-8."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pausepoint.errors import PausepointError

MAX_NOTE_BYTES = 1_000_000
MAX_YAML_BYTES = 16_000_000


class CampaignFolderError(PausepointError):
    """The folder as a whole cannot be read as a campaign."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a file or an item in it; an `error` was left out, a `warning` was read anyway."""

    file: str
    line: int | None
    reason: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.reason}"


class FileFault(Exception):
    """A file that cannot be read as text; `line` counts from 1."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def shown(root: Path, path: Path) -> str:
    """The path inside the folder, fit for printing."""
    name = path.relative_to(root).as_posix() if path != root else path.name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def files_under(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    """Files below `folder` with one of the endings, in a fixed order; not hidden or behind linked folders."""
    for current, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and name.lower().endswith(endings):
                yield Path(current) / name


def linked_folders(folder: Path) -> Iterator[Path]:
    """Folders below `folder` that are symbolic links, which `files_under` does not enter."""
    for current, folders, _ in os.walk(folder, followlinks=False):
        for name in sorted(folders):
            path = Path(current) / name
            if path.is_symlink():
                yield path


def read_text(root: Path, path: Path, limit: int) -> str:
    """The file's text with newline line ends and without a byte order mark.

    Raises:
        FileFault: it leads out of the folder, is no regular file, too large, unreadable or no UTF-8.
    """
    data = _read_bytes(root, path, limit)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FileFault(f"byte 0x{data[error.start]:02x} is no valid UTF-8; save it as UTF-8", line) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _read_bytes(root: Path, path: Path, limit: int) -> bytes:
    try:
        if not path.resolve().is_relative_to(root.resolve()):
            raise FileFault("leads out of the campaign folder through a symbolic link")
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            raise FileFault("is no regular file")
        if facts.st_size > limit:
            raise FileFault(f"has {facts.st_size:,} bytes; at most {limit:,} are read")
        return path.read_bytes()
    except (OSError, RuntimeError) as error:
        raise FileFault(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
