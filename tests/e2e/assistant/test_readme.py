"""The README keeps its word: its drawing is the code's, its commands run, its links lead somewhere."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from running import ROOT, Running, start
from tiny_campaigns import TINY, TINY_CAMPAIGN, write_folder

README = (ROOT / "README.md").read_text("utf-8")
QUESTIONS = (
    "campaign: Latarnia nad Wirem\nquestions:\n- {question: Co spłonęło w nocy, actions: [search_notes]}\n"
)
GRAPH = """from langgraph.graph import StateGraph
graph = StateGraph(dict).add_node("a", lambda s: s).add_edge("__start__", "a").compile()
"""
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[str]:
    """The code blocks of one language; plain ones are commands."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return [body for kind, body in fenced if kind == language]


def commands() -> list[str]:
    text = "\n".join(blocks("")).replace("\\\n", " ")
    return [line.strip() for line in text.splitlines() if words_of(line)]


def words_of(command: str) -> list[str]:
    words = shlex.split(command, comments=True)
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words = words[1:]
    return words


def test_the_drawing_is_the_codes():
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import draw_graphs
    finally:
        sys.path.pop(0)
    assert "<!-- graph:assistant" in README
    assert draw_graphs.with_drawings(README) == README, "run make graph"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_every_link_leads_to_a_file(document: Path):
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", document.read_text("utf-8"))
    missing = [
        to for to in links if not to.startswith(("http", "mailto:")) and not (document.parent / to).exists()
    ]
    assert missing == []


@pytest.mark.parametrize("command", [c for c in commands() if words_of(c)[0] == "make"])
def test_every_make_target_exists(command: str):
    done = subprocess.run(
        ["make", "-n", *words_of(command)[1:]], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def elsewhere(tmp_path: Path, samples_server: Running):
    """A folder with a campaign of one's own; what is loaded from it is removed again."""
    folder = {**TINY_CAMPAIGN, "questions.yaml": QUESTIONS}
    write_folder(tmp_path / "my-campaign", folder)
    project = {"langgraph.json": '{"graphs": {"one": "./one.py:graph"}}', "one.py": GRAPH}
    write_folder(tmp_path / "path" / "to", project)
    yield tmp_path
    samples_server.http("DELETE", f"/api/campaigns/{TINY}")


def test_every_pausepoint_command_runs(samples_server: Running, elsewhere: Path):
    ours = [words for c in commands() if (words := words_of(c))[0] == "pausepoint"]
    assert len(ours) >= 4
    for words in ours:
        if words[1] == "serve":
            start([*words[1:], "--port", "0"], elsewhere / "data", elsewhere, PYTHONPATH=str(ROOT)).stop()
            continue
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=elsewhere,
            env={**samples_server.env, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == 0, f"{words}: {done.stderr}"
        assert done.stdout.strip(), words


def test_the_inline_commands_are_real():
    inline = re.findall(r"`(pausepoint [^`]+|make [a-z]+)`", README)
    assert inline
    for command in inline:
        words = shlex.split(command)
        known = (
            ["make", "-n", words[1]] if words[0] == "make" else [sys.executable, "-m", *words[:2], "--help"]
        )
        done = subprocess.run(known, cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{command}: {done.stderr}"


def test_the_curl_example_answers(samples_server: Running):
    (example,) = [c for c in commands() if words_of(c)[0] == "curl"]
    campaign = next(c["uuid"] for c in samples_server.get("/api/campaigns") if c["name"] == "Sól i popiół")
    script = example.replace("127.0.0.1:2024", samples_server.url.removeprefix("http://"))
    done = subprocess.run(
        ["bash", "-c", script],
        env={**os.environ, "CAMPAIGN": campaign},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert '"responseType":"text_and_graph"' in done.stdout, done.stdout + done.stderr


def test_the_python_example_prints_an_answer(samples_server: Running):
    for example in blocks("python"):
        done = subprocess.run(
            [sys.executable, "-c", example.replace("http://127.0.0.1:2024", samples_server.url)],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        assert "[Notatka: " in done.stdout


def test_no_command_is_left_out():
    known = {"git", "make", "source", "pausepoint", "curl"}
    assert {words_of(c)[0] for c in commands()} <= known, "say how the new one is tested"


def test_every_setting_of_the_example_file_exists():
    from pausepoint.settings import Settings

    names = {
        (field.validation_alias or f"PAUSEPOINT_{name.upper()}")
        for name, field in Settings.model_fields.items()
    }
    written = set(re.findall(r"^# ([A-Z_]+)=", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE))
    assert written <= names
    assert "PAUSEPOINT_MODEL" in written
