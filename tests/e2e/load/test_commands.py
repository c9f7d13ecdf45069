"""The command line as a person or a script meets it: output, exit codes, one clear line for every failure."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from folders import ARTIFACTS, put, write_campaign

ROOT = Path(__file__).parents[3]
UUID = "0a1b2c3d-0000-4000-8000-000000000001"


def environment(data: Path) -> dict[str, str]:
    return {**os.environ, "PAUSEPOINT_DATA": str(data), "OMP_NUM_THREADS": "1", "COLUMNS": "120"}


def run(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pausepoint", *words],
        capture_output=True, text=True, timeout=100, env=environment(data), cwd=ROOT,
    )  # fmt: skip


def test_help_names_every_command_and_imports_none_of_them():
    code = (
        "import sys; from pausepoint.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit as end: print(end.code, sorted({'numpy', 'neo4j', 'fastapi', 'rich', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    for name in ("up", "serve", "load", "campaigns", "ask", "eval", "status"):
        assert f"  {name} " in done.stdout
    assert done.stdout.endswith("0 []\n")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["laod"], 2, "Did you mean 'load'?"),
        (["load", "campaign"], 2, "Missing argument"),
        (["load", "campaign", "/nowhere"], 1, "error: there is no campaign folder '/nowhere'"),
        (["status", "--colour"], 2, "No such option"),
        (["up", "--port", "70000"], 2, "less than or equal to 65535"),
    ],
)
def test_exit_codes_and_what_is_said(tmp_path: Path, words: list[str], code: int, said: str):
    done = run(tmp_path / "data", *words)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_the_version(tmp_path: Path):
    from pausepoint import __version__

    done = run(tmp_path / "data", "--version")
    assert (done.returncode, done.stdout) == (0, f"pausepoint {__version__}\n")


def test_a_traceback_only_with_debug(tmp_path: Path):
    done = run(tmp_path / "data", "--debug", "load", "campaign", "/nowhere")
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_a_dry_run_names_problems_and_writes_nothing(tmp_path: Path):
    folder = write_campaign(tmp_path / "campaign", artifacts=ARTIFACTS + "- type: characters\n")
    done = run(tmp_path / "data", "load", "campaign", str(folder), "--dry-run")
    assert (done.returncode, done.stderr) == (1, "error: artifacts.yaml:14: 'name' is missing or empty\n")
    assert done.stdout == "Próba soli: 2 notes, 3 artifacts, 2 relations can be loaded; 1 errors\n"
    found = json.loads(run(tmp_path / "data", "load", "campaign", str(folder), "--dry-run", "--json").stdout)
    assert found["problems"] == [
        {"file": "artifacts.yaml", "line": 14, "reason": "'name' is missing or empty", "severity": "error"}
    ]
    assert not (tmp_path / "data").exists()


def test_load_campaigns_and_status_without_a_server(tmp_path: Path):
    data, folder = tmp_path / "data", write_campaign(tmp_path / "campaign")
    assert run(data, "campaigns").stdout.startswith("No campaigns yet.")
    done = run(data, "load", "campaign", str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    assert "7 changes, 0 errors" in done.stdout
    report = json.loads(run(data, "load", "campaign", str(folder), "--json").stdout)
    assert (report["changes"], report["notes"]["unchanged"]) == (0, 2)
    (found,) = json.loads(run(data, "campaigns", "--json").stdout)
    assert found == {
        "uuid": UUID,
        "name": "Próba soli",
        "language": "pl",
        "counts": {"notes": 2, "artifacts": 3, "relations": 2},
    }
    assert "nobody holds it" in run(data, "status").stdout
    assert json.loads(run(data, "status", "--json").stdout)["holder"] is None


@contextmanager
def serving(data: Path) -> Iterator[str]:
    """A server on a free port; its url."""
    words = [sys.executable, "-m", "pausepoint", "serve", "--port", "0"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env=environment(data), cwd=ROOT
    ) as server:
        assert server.stdout
        try:
            yield server.stdout.readline().split(" ready on ")[1].split()[0]
        finally:
            server.terminate()
            server.wait(60)


def test_a_running_server_is_loaded_through(tmp_path: Path):
    data, folder = tmp_path / "data", write_campaign(tmp_path / "campaign")
    with serving(data) as url:
        holder = json.loads(run(data, "status", "--json").stdout)["holder"]
        assert (holder["role"], holder["url"]) == ("server", url)
        done = run(data, "load", "campaign", str(folder))
        assert (done.returncode, done.stderr) == (0, "")
        assert "7 changes" in done.stdout
        (folder / "notes" / "02-druga.md").unlink()
        put(folder, "notes/05.md", "Druga sesja od nowa.\n\n# Druga sesja")
        done = run(data, "load", "campaign", str(folder), "--prune", "--json")
        report = json.loads(done.stdout)
        assert (report["notes"]["added"], report["notes"]["removed"]) == (1, 1)
        (found,) = json.loads(run(data, "campaigns", "--json").stdout)
        assert found["counts"] == {"notes": 2, "artifacts": 3, "relations": 2}
        again = run(data, "up")
        assert again.returncode == 0
        assert f"already serving at {url}" in again.stdout
    assert "0 changes" in run(data, "load", "campaign", str(folder)).stdout


def test_up_says_what_to_do_when_the_port_is_taken(tmp_path: Path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = run(tmp_path / "data", "up", "--port", str(port))
    assert done.returncode == 1
    assert f"Port {port} on 127.0.0.1 cannot be used" in done.stderr
    assert "choose another port: pausepoint up --port" in done.stderr
    assert not (tmp_path / "data").exists()
