"""What notes and names hold reaches a terminal as text, never as commands, colours or a crash."""

import io
import itertools
import os
import subprocess
import sys
from typing import Any

import pytest
import structlog

from pausepoint.cli.ask import _finish, _handle
from pausepoint.cli.logs import log_to_stderr

HOSTILE = "\x1b]0;owned\x07 \x1b[31mred \x9b2J [/b] [red] \u202egnp.exe"


def answer(relations: int = 1, name: str = HOSTILE) -> dict[str, Any]:
    """An answer whose every text is hostile."""
    ids = [str(n) for n in range(relations + 1)]
    return {
        "responseType": "text_and_graph",
        "textResponse": HOSTILE,
        "graphData": {
            "nodes": [{"id": i, "name": f"{name}{i}"} for i in ids],
            "edges": [{"source": a, "target": b, "label": name} for a, b in itertools.pairwise(ids)],
        },
        "sources": [{"noteTitle": HOSTILE}],
    }


def steers(text: str) -> bool:
    """Whether a terminal would do something else than show it."""
    return any(c in text for c in "\x1b\x07\x9b\u202e\r")


@pytest.mark.parametrize("markdown", [False, True])
def test_an_answer_does_not_steer_the_terminal(capsys: pytest.CaptureFixture[str], markdown: bool):
    assert _finish({"answer": answer()}, "t", False, markdown, HOSTILE) == 0
    shown = capsys.readouterr().out
    assert not steers(shown)
    assert "[/b]" in shown, "brackets are text"


def test_a_clarification_does_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]):
    waiting = {"id": "i", "value": {"message": HOSTILE, "options": [HOSTILE]}}
    assert _handle(waiting, "t", False) == 3
    assert not steers(capsys.readouterr().out)


def test_the_table_says_how_much_it_leaves_out(capsys: pytest.CaptureFixture[str]):
    _finish({"answer": answer(relations=20, name="N")}, "t", False, False, "q")
    assert "and 8 more relations" in capsys.readouterr().out
    _finish({"answer": answer(relations=12, name="N")}, "t", False, False, "q")
    assert "more relations" not in capsys.readouterr().out


def test_long_labels_are_folded_in_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COLUMNS", "40")
    _finish({"answer": answer(name="A_LABEL_OF_MANY_LETTERS_THAT_ENDS_IN_Z")}, "t", False, False, "q")
    assert "…" not in capsys.readouterr().out


def test_an_encoding_without_our_letters_does_not_end_a_command():
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    words = [sys.executable, "-m", "pausepoint", "load", "campaign", "brak-łódki"]
    done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=60)
    assert done.returncode == 1
    assert "there is no campaign folder 'brak-" in done.stderr
    assert "Unicode" not in done.stderr


def test_a_logged_failure_does_not_show_variables(monkeypatch: pytest.MonkeyPatch):
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    log_to_stderr()
    try:
        _fail("-".join(["sk", "very", "secret"]))
    except ValueError as error:
        structlog.get_logger().error("it failed", exc_info=error)
    finally:
        structlog.reset_defaults()
    assert "ValueError: no" in written.getvalue()
    assert "sk-very-secret" not in written.getvalue()


def _fail(key: str) -> None:
    assert key
    raise ValueError("no")
