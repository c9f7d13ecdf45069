"""Starting our commands and servers as users do, each with a data folder and a home of its own."""

import os
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parent.parent
OFFLINE_ONLY = ("PAUSEPOINT_", "GRAPH_", "QDRANT_", "OPENAI_", "LANGSMITH_", "LANGFUSE_", "LANGCHAIN_")


@dataclass
class Running:
    """A server started for the tests, with the environment its commands need."""

    url: str
    data: Path
    env: dict[str, str]
    process: "subprocess.Popen[str]"

    def get(self, path: str) -> Any:
        return self.http("GET", path).json()

    def http(self, method: str, path: str, body: Any = None) -> httpx.Response:
        with httpx.Client(base_url=self.url, timeout=60, trust_env=False) as client:
            return client.request(method, path, json=body)

    def ask(self, campaign: str, question: str, **more: Any) -> dict[str, Any]:
        """The answer object of a question over REST."""
        reply = self.http("POST", f"/api/campaigns/{campaign}/assistant/query", {"query": question, **more})
        assert reply.status_code == 200, reply.text
        return reply.json()

    def command(self, *words: str, text: str | None = None) -> "subprocess.CompletedProcess[str]":
        """Run `pausepoint` as a person would."""
        return pausepoint(self.env, *words, text=text)

    def kill(self) -> None:
        """SIGKILL, as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(60)
        finally:
            if self.process.stdout:
                self.process.stdout.close()


def pausepoint(
    env: dict[str, str], *words: str, text: str | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a command of ours."""
    return subprocess.run(
        [sys.executable, "-m", "pausepoint", *words],
        capture_output=True,
        text=True,
        input=text,
        timeout=300,
        env=env,
        cwd=ROOT,
    )


def clean_env(data: Path, **more: str) -> dict[str, str]:
    """This environment without anybody's keys and settings, with a data folder and a home of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OFFLINE_ONLY)}
    offline = {"PAUSEPOINT_MODEL": "", "GRAPH_URI": "", "QDRANT_URL": ""}  # also where .env says otherwise
    return {**kept, **offline, "PAUSEPOINT_DATA": str(data), "HOME": str(data.parent), **more}


def start(words: list[str], data: Path, cwd: Path = ROOT, **more: str) -> Running:
    """Start a serving command and wait until it says that it is ready."""
    env = clean_env(data, **more)
    errors = (data.parent / f"{data.name}.stderr").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "pausepoint", *words],
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env=env,
        cwd=cwd,
    )
    errors.close()
    assert process.stdout
    for line in process.stdout:
        if "ready on" in line:
            url = line.split("ready on ")[1].split()[0]
            # Whatever it still says must not fill the pipe.
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return Running(url, data, {**env, "PAUSEPOINT_URL": url}, process)
    process.wait(30)
    raise AssertionError(f"not ready: {(data.parent / f'{data.name}.stderr').read_text()[-2000:]}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
