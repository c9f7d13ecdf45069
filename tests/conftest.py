"""Shared fixtures: one real server with the sample campaigns for the tests that only read."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("OMP_NUM_THREADS", "1")


@dataclass(frozen=True)
class Running:
    """A server started for the tests, with the environment its commands need."""

    url: str
    data: Path
    env: dict[str, str]

    def get(self, path: str) -> object:
        with urllib.request.urlopen(self.url + path, timeout=60) as reply:
            return json.loads(reply.read())

    def command(self, *words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run `pausepoint` as a person would."""
        return subprocess.run(
            [sys.executable, "-m", "pausepoint", *words],
            capture_output=True,
            text=True,
            input=text,
            timeout=120,
            env=self.env,
            cwd=ROOT,
        )


@pytest.fixture(scope="session")
def samples_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """`pausepoint up` in a folder of its own."""
    data = tmp_path_factory.mktemp("samples") / "data"
    env = {**os.environ, "PAUSEPOINT_DATA": str(data), "HOME": str(data.parent)}
    env.pop("PAUSEPOINT_MODEL", None)
    server = subprocess.Popen(
        [sys.executable, "-m", "pausepoint", "up", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=env,
        cwd=ROOT,
    )
    assert server.stdout
    url = ""
    for line in server.stdout:
        if "ready on" in line:
            url = line.split("ready on ")[1].split()[0]
            break
    assert url, "the server ended before it was ready"
    try:
        yield Running(url, data, {**env, "PAUSEPOINT_URL": url})
    finally:
        server.terminate()
        server.wait(30)
