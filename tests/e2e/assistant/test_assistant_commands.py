"""`pausepoint ask` and `pausepoint eval` as a person or a script runs them."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from running import ROOT, Running, clean_env, pausepoint
from tiny_campaigns import TINY_CAMPAIGN, write_folder

RIGHT_ACTIONS = 0.90
RIGHT_FIRST_SOURCE = 0.70
VALID_CITATIONS = 1.0

ADAM = ("ask", "Jakie są relacje Adama?", "--campaign", "Sól i popiół")


def test_ask_prints_the_answer_its_subgraph_and_how_to_go_on(samples_server: Running):
    done = samples_server.command(*ADAM)
    assert done.returncode == 0, done.stderr
    assert "[Notatka: " in done.stdout
    assert "Subgraph:" in done.stdout
    assert "Sources:" in done.stdout
    assert "continue with --thread" in done.stdout
    assert done.stderr == ""


def test_ask_json_is_one_whole_answer_object(samples_server: Running):
    done = samples_server.command(*ADAM, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["responseType"] == "text_and_graph"
    assert answer["threadId"]
    follow = samples_server.command(
        "ask", "A gdzie mieszka?", "-c", "sól i", "--thread", answer["threadId"], "--json", "--debug"
    )
    assert follow.returncode == 0, follow.stderr
    assert json.loads(follow.stdout)["threadId"] == answer["threadId"]
    assert json.loads(follow.stdout)["debugInfo"]["plan"]


def test_ask_markdown_is_a_document(samples_server: Running):
    done = samples_server.command(*ADAM, "--markdown")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "# Jakie są relacje Adama?"
    assert "| from | relation | to |" in lines
    assert "Subgraph" not in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("ask", ""), 1, "empty"),
        (("ask", "   ", "-c", "Sól i popiół"), 1, "empty"),
        (("ask", "Kim jest Adam?", "-c", "Nie ma takiej"), 1, "The Long Ebb"),
        (("ask", "Kim jest Adam?"), 1, "Loaded:"),
        (("ask", "a" * 501, "-c", "Sól i popiół"), 1, "501"),
        (("ask",), 2, "question"),
        (("ask", "Kim?", "--colour", "red"), 2, "colour"),
        (("eval", "campaign", "no-such-file.yaml"), 1, "no-such-file.yaml"),
    ],
)
def test_what_cannot_be_asked_is_one_clear_line_and_an_exit_code(
    samples_server: Running, words: tuple[str, ...], code: int, says: str
):
    done = samples_server.command(*words)
    assert done.returncode == code
    assert says in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("form", [(), ("--json",), ("--markdown",)])
def test_a_script_gets_exit_code_3_and_a_handle_for_a_vague_question(
    samples_server: Running, form: tuple[str, ...]
):
    done = samples_server.command("ask", "Opowiedz coś", "-c", "Sól i popiół", *form, text="1\n")
    assert done.returncode == 3, done.stderr
    if form == ("--json",):
        handle = json.loads(done.stdout)["clarification"]
        body = {"threadId": handle["threadId"], "interruptId": handle["interruptId"], "answer": 1}
        path = "/api/campaigns/3f0b6c1e-8a52-4d7b-9c46-e1d7a25f9083/assistant/answer"
        assert samples_server.http("POST", path, body).status_code == 200
    else:
        assert "1. " in done.stdout
        assert "interrupt " in done.stdout


def test_in_a_terminal_the_person_chooses_and_a_wrong_choice_is_asked_again(samples_server: Running):
    ours, theirs = pty.openpty()
    try:
        os.write(ours, b"9\n2\n")
        done = subprocess.run(
            [sys.executable, "-m", "pausepoint", "ask", "Opowiedz coś", "-c", "Sól i popiół"],
            stdin=theirs,
            capture_output=True,
            text=True,
            timeout=100,
            env=samples_server.env,
            cwd=ROOT,
        )
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("  1. ") == 2, "it was asked twice"
    assert "Wybierz jedną z możliwości" in done.stderr
    assert "[Notatka: " in done.stdout


@pytest.mark.parametrize("sample", ["sol-i-popiol", "long-ebb"])
@pytest.mark.timeout(600)
def test_the_offline_answers_are_good_enough(samples_server: Running, sample: str):
    done = samples_server.command(
        "eval", "campaign", f"samples/{sample}/questions.yaml", "--json", "--at-once", "4"
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    shares = {name: share["share"] for name, share in report["shares"].items()}
    assert shares["actions"] >= RIGHT_ACTIONS, shares
    assert shares["valid citations"] >= VALID_CITATIONS, shares
    assert shares["first source"] >= RIGHT_FIRST_SOURCE, shares
    assert shares["valid Cypher"] == 1.0, shares


def test_eval_loads_somebody_elses_campaign_and_prints_a_table(tmp_path: Path):
    folder = write_folder(
        tmp_path / "campaign",
        {
            **TINY_CAMPAIGN,
            "questions.yaml": "campaign: Latarnia nad Wirem\nquestions:\n"
            '- {question: "Kto podpalił latarnię?", actions: [search_relations_then_graph],\n'
            '   evidence: ["Sesja 2: Pożar latarni"], entities: [Bruno Szczur]}\n'
            '- {question: "Co się wydarzyło podczas przesłuchania?", actions: [out_of_scope]}\n',
        },
    )
    env = clean_env(tmp_path / "data")
    done = pausepoint(env, "eval", "campaign", str(folder / "questions.yaml"), "--failures")
    assert done.returncode == 0, done.stderr
    assert "100.0%" in done.stdout
    assert "50.0%" in done.stdout
    assert "wrong: action_right" in done.stdout
    asked = pausepoint(env, "ask", "Kim jest Adam Kruk?", "--json")
    assert asked.returncode == 0, "the only campaign need not be named"
    assert "Adam Kruk" in asked.stdout
