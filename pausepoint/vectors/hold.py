"""One process per folder of vectors: an operating-system lock that ends with its process."""

import os
import sys
from pathlib import Path
from typing import IO

from pausepoint.vectors.errors import VectorsHeld


def hold(folder: Path) -> IO[str]:
    """Lock the folder for this process until the returned file is closed.

    Raises:
        VectorsHeld: another process has it.
    """
    lock = (folder / ".lock").open("a+", encoding="utf-8")
    try:
        _lock(lock)
    except OSError:
        lock.seek(0)
        holder = lock.read(200).strip()
        lock.close()
        raise VectorsHeld(folder, holder) from None
    lock.seek(0)
    lock.truncate()
    lock.write(f"process {os.getpid()}")
    lock.flush()
    return lock


def _lock(lock: IO[str]) -> None:
    if sys.platform == "win32":
        import msvcrt

        # Far behind the text, so that the next process can still read whose it is.
        lock.seek(1 << 20)
        msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
