"""The JavaScript SDK speaks to the server, where Node is present."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "node"


def installed() -> Path:
    """A folder with the SDK, installed once for a lock file and kept."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("Node is not present")
    lock = (HERE / "package-lock.json").read_bytes()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "pausepoint" / f"node-{hashlib.sha256(lock).hexdigest()[:16]}"
    if not (folder / "node_modules" / ".package-lock.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder / name)
        made = subprocess.run(
            ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=110,
        )
        if made.returncode != 0:
            pytest.skip(f"npm ci failed: {made.stderr.strip()[-300:]}")
    return folder


@pytest.mark.timeout(240)
def test_the_javascript_sdk(server_url):
    folder = installed()
    script = folder / "contract.mjs"
    shutil.copy(HERE / "contract.mjs", script)
    ran = subprocess.run(
        ["node", str(script), server_url], cwd=folder, capture_output=True, text=True, timeout=100
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("ok ") >= 8, ran.stdout
