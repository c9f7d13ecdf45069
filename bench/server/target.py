"""The servers that are measured: ours, and `langgraph dev` when a virtual environment with it is given."""

import asyncio
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

PROJECT = Path(__file__).parent / "project"
ROOT = Path(__file__).parents[2]
OTHER = "PAUSEPOINT_BENCH_LANGGRAPH"
"""Names a virtual environment in which `langgraph dev` is installed; its figures then stand beside ours."""


@dataclass
class Target:
    """A server that runs, in a process of its own."""

    name: str
    url: str
    process: psutil.Process
    ready_seconds: float

    def cpu(self) -> float:
        """Seconds of CPU so far."""
        times = self.process.cpu_times()
        return times.user + times.system

    def memory(self) -> float:
        """Resident MB."""
        return self.process.memory_info().rss / 1e6


@contextmanager
def ours(data: Path | None = None) -> Iterator[Target]:
    """Our server on a fresh data folder, or on the given one."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pausepoint.server.cli", "--config", str(PROJECT / "langgraph.json")]
        command += ["--port", "0", "--data", str(data or folder)]
        began = time.perf_counter()
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env
        )
        try:
            line = process.stdout.readline() if process.stdout else ""
            found = re.search(r"http://\S+", line)
            assert found, line
            yield Target("ours", found.group(0), psutil.Process(process.pid), time.perf_counter() - began)
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def langgraph_dev() -> Iterator[Target | None]:
    """`langgraph dev` from the environment that is named, or None."""
    venv = os.environ.get(OTHER)
    if not venv:
        yield None
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [f"{venv}/bin/langgraph", "dev", "--no-browser", "--no-reload", "--port", str(port)]
    env = {**os.environ, "LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true"}
    began = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=PROJECT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        url = f"http://127.0.0.1:{port}"
        asyncio.run(_wait(url))
        yield Target("langgraph dev", url, psutil.Process(process.pid), time.perf_counter() - began)
    finally:
        process.terminate()
        process.wait(30)


async def _wait(url: str) -> None:
    async with httpx.AsyncClient() as http, asyncio.timeout(120):
        while True:
            try:
                if (await http.get(url + "/ok")).status_code == 200:
                    return
            except httpx.HTTPError:
                await asyncio.sleep(0.1)
