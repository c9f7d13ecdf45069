"""A data folder has one holder; the others are told who; death releases it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pausepoint.storage.folder import LOCK_NAME, DataFolder, DataFolderHeld, holder

_HOLD = """
import sys
from pathlib import Path
from pausepoint.storage.folder import DataFolder
folder = DataFolder.hold(Path(sys.argv[1]), "server")
folder.announce("http://127.0.0.1:2024")
print("held", flush=True)
sys.stdin.read()
"""


def hold_elsewhere(path: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def test_the_second_is_told_who_holds_it_until_that_one_dies(tmp_path: Path) -> None:
    process = hold_elsewhere(tmp_path)
    try:
        found = holder(tmp_path)
        assert found is not None and (found.pid, found.role) == (process.pid, "server")
        with pytest.raises(DataFolderHeld) as error:
            DataFolder.hold(tmp_path, "load")
        for part in (str(tmp_path), str(process.pid), "server", "http://127.0.0.1:2024", found.since):
            assert part in str(error.value)
    finally:
        process.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        process.communicate(timeout=30)
    assert holder(tmp_path) is None
    with DataFolder.hold(tmp_path, "load") as mine:
        assert mine.holder.pid == os.getpid()


def test_the_same_process_cannot_hold_it_twice(tmp_path: Path) -> None:
    with (
        DataFolder.hold(tmp_path / "new", "server", "http://x"),
        pytest.raises(DataFolderHeld, match="http://x"),
    ):
        DataFolder.hold(tmp_path / "new", "server")
    with DataFolder.hold(tmp_path / "new", "server") as again:
        again.release()
        again.release()
    assert holder(tmp_path / "new") is None


def test_asking_does_not_create_anything(tmp_path: Path) -> None:
    assert holder(tmp_path / "nowhere") is None
    assert not (tmp_path / "nowhere").exists()


def test_rubbish_in_the_lock_file_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).write_bytes(b"\xff{not json")
    assert holder(tmp_path) is None
    with DataFolder.hold(tmp_path, "server"):
        assert holder(tmp_path) is not None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_forked_child_does_not_keep_it(tmp_path: Path) -> None:
    script = (
        "import os, sys, time\nfrom pathlib import Path\nfrom pausepoint.storage.folder import DataFolder\n"
        "folder = DataFolder.hold(Path(sys.argv[1]), 'server')\n"
        "if os.fork() == 0:\n    print('forked', flush=True)\n    sys.stdin.read()\n    os._exit(0)\nos._exit(0)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "forked\n"
    process.wait(timeout=30)
    try:
        assert holder(tmp_path) is None
    finally:
        process.communicate(timeout=30)
