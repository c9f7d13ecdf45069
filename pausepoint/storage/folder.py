"""Who uses a data folder: a lock file that the operating system releases when the holder dies."""

import json
import os
import sys
import time
import weakref
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pausepoint.storage.errors import DatabaseReadOnly, StorageError

LOCK_NAME = "pausepoint.lock"

_PATIENCE_SECONDS = 0.25
"""Asking who holds a folder locks it for an instant; a new holder waits that out."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that holds a data folder; `since` is ISO 8601 in UTC."""

    pid: int
    role: str
    url: str | None
    since: str


class DataFolderHeld(StorageError):
    """Another process, or another part of this one, uses the data folder."""

    def __init__(self, path: Path, holder: Holder | None) -> None:
        self.path = path
        self.holder = holder
        super().__init__(f"The data folder {str(path)!r} is in use by {_describe(holder)}.")


class DataFolder:
    """A held data folder. Release it by `release`, by leaving the `with` block, or by ending the process."""

    def __init__(self, path: Path, descriptor: int, holder: Holder) -> None:
        """Use `hold` instead."""
        self.path = path
        self.holder = holder
        self._descriptor: int | None = descriptor
        _held.add(self)

    @classmethod
    def hold(cls, path: Path, role: str, url: str | None = None) -> "DataFolder":
        """Take the folder for this process alone, creating it when it is missing.

        Args:
            path: The data folder.
            role: What the process is to a reader of the error: "server", "load".
            url: Where the holder can be reached instead.

        Raises:
            DataFolderHeld: Somebody has it; the error says who, since when and where to reach it.
            DatabaseReadOnly: The folder cannot be created or written.
        """
        path = Path(path).expanduser().resolve()
        descriptor = _open(path)
        if not _lock_patiently(descriptor):
            held = DataFolderHeld(path, _read(descriptor))
            os.close(descriptor)
            raise held
        folder = cls(path, descriptor, Holder(os.getpid(), role, url, datetime.now(UTC).isoformat()))
        folder._write()
        return folder

    def announce(self, url: str) -> None:
        """Say where the holder can be reached, once it knows."""
        self.holder = replace(self.holder, url=url)
        self._write()

    def release(self) -> None:
        """Let others take the folder; a second call does nothing."""
        if self._descriptor is not None:
            _truncate(self._descriptor)
            self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _write(self) -> None:
        if self._descriptor is None:
            raise StorageError(f"The data folder {str(self.path)!r} was released.")
        _truncate(self._descriptor)
        os.write(self._descriptor, json.dumps(asdict(self.holder)).encode())

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def holder(path: Path) -> Holder | None:
    """Who holds the data folder; None when nobody does."""
    try:
        descriptor = os.open(Path(path).expanduser().resolve() / LOCK_NAME, os.O_RDWR)
    except OSError:
        return None
    try:
        return None if _try_lock(descriptor) else _read(descriptor) or Holder(0, "unknown", None, "")
    finally:
        os.close(descriptor)


def _describe(holder: Holder | None) -> str:
    if holder is None:
        return "another process; end it or choose another folder"
    where = f", reachable at {holder.url}" if holder.url else ""
    return (
        f"process {holder.pid} ({holder.role}{where}) since {holder.since}; "
        "use it there, end that process, or choose another folder"
    )


def _open(path: Path) -> int:
    try:
        path.mkdir(parents=True, exist_ok=True)
        return os.open(path / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise DatabaseReadOnly(
            f"The data folder {str(path)!r} cannot be written: {error.strerror}. Check its permissions."
        ) from error


def _lock_patiently(descriptor: int) -> bool:
    until = time.monotonic() + _PATIENCE_SECONDS
    while not _try_lock(descriptor):
        if time.monotonic() >= until:
            return False
        time.sleep(0.01)
    return True


def _read(descriptor: int) -> Holder | None:
    with suppress(OSError, ValueError, TypeError):
        os.lseek(descriptor, 0, os.SEEK_SET)
        values: dict[str, Any] = json.loads(os.read(descriptor, 4096))
        return Holder(**values)
    return None


def _truncate(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        # Windows keeps others from reading locked bytes: lock one far behind the text.
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


_held: "weakref.WeakSet[DataFolder]" = weakref.WeakSet()


def _forget_in_child() -> None:
    """A forked child shares the lock; it must not keep it when the holder has died."""
    for folder in list(_held):
        folder._close()  # pyright: ignore[reportPrivateUsage]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
