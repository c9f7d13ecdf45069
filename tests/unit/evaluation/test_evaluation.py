"""Reading labelled questions, and judging answers against them."""

from pathlib import Path
from typing import Any

import pytest

from pausepoint.evaluation.questions import BadQuestions, Question, read_questions
from pausepoint.evaluation.run import Report, judge

QUESTION = Question(
    id="q1",
    question="Kim jest Adam?",
    actions=["search_artifacts_then_graph"],
    evidence=["Sesja [1]: Przybycie"],
    entities=["Adam Kruk"],
)
TITLES = {"Sesja (1): Przybycie", "Sesja 2"}


def answered(**changes: Any) -> dict[str, Any]:
    answer = {
        "responseType": "text_and_graph",
        "errorType": None,
        "textResponse": "Szermierz. [Notatka: Sesja (1): Przybycie]",
        "graphData": {"nodes": [{"name": "Adam Kruk"}], "edges": []},
        "sources": [{"noteId": "n1", "noteTitle": "Sesja (1): Przybycie"}],
        "executedActions": ["planning", "search_artifacts_then_graph", "cypher_query"],
    }
    return {"answer": {**answer, **changes}}


def test_a_right_answer_is_right_in_everything():
    judged = judge(QUESTION, answered(), TITLES, 12.34)
    assert judged.action_right
    assert judged.evidence_right
    assert judged.entities_right
    assert judged.citations_valid
    assert judged.cypher_valid
    assert judged.milliseconds == 12.3


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"executedActions": ["planning", "search_notes"]}, "action_right"),
        ({"sources": [{"noteId": "n2", "noteTitle": "Sesja 2"}]}, "evidence_right"),
        ({"sources": []}, "evidence_right"),
        ({"graphData": None}, "entities_right"),
        ({"textResponse": "Nic. [Notatka: Zmyślona]"}, "citations_valid"),
        ({"textResponse": "Nic. [Notatka: Sesja 2]"}, "citations_valid"),
        ({"errorType": "invalid_cypher"}, "cypher_valid"),
    ],
)
def test_each_fault_is_judged(changes: dict[str, Any], wrong: str):
    assert getattr(judge(QUESTION, answered(**changes), TITLES, 1.0), wrong) is False


def test_a_pause_and_a_decline_are_actions():
    paused = judge(QUESTION, {"__interrupt__": [{}], "answer": {"textResponse": ""}}, TITLES, 1.0)
    assert (paused.action, paused.entities_right, paused.citations_valid) == (
        "clarification_needed",
        None,
        None,
    )
    declined = judge(QUESTION, answered(responseType="out_of_scope", sources=[]), TITLES, 1.0)
    assert (declined.action, declined.entities_right) == ("out_of_scope", None)
    failed = judge(QUESTION, {}, TITLES, 1.0)
    assert (failed.action, failed.action_right) == ("none", False)


def test_a_report_adds_up_and_leaves_out_what_was_not_judged():
    bare = Question(question="x", actions=["search_notes"])
    report = Report("c", [judge(QUESTION, answered(), TITLES, 10.0), judge(bare, answered(), TITLES, 20.0)])
    shares = report.shares()
    assert (shares["actions"].right, shares["actions"].of, shares["actions"].share) == (1, 2, 0.5)
    assert shares["first source"].of == 1
    assert Report("c", []).shares()["actions"].share is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("campaign: x\nquestions: []\n", "questions"),
        ("campaign: x\n", "questions"),
        ("questions:\n- {question: a, actions: [search_notes]}\n", "campaign"),
        ("campaign: x\nquestions:\n- {question: a}\n", "questions.0.actions"),
        ("campaign: x\nquestions:\n- {question: '', actions: [search_notes]}\n", "questions.0.question"),
        ("campaign: x\nquestions:\n- {question: a, actions: [dance]}\n", "questions.0.actions"),
        ("campaign: [", "YAML"),
        ("just text", "file"),
        ("", "file"),
    ],
)
def test_a_faulty_file_is_named_with_the_entry(tmp_path: Path, text: str, says: str):
    path = tmp_path / "questions.yaml"
    path.write_text(text)
    with pytest.raises(BadQuestions) as raised:
        read_questions(path)
    assert str(path) in str(raised.value)
    assert says in str(raised.value)


def test_a_missing_or_binary_file_is_said(tmp_path: Path):
    with pytest.raises(BadQuestions, match="cannot be read"):
        read_questions(tmp_path / "none.yaml")
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(BadQuestions, match="YAML"):
        read_questions(tmp_path / "b.yaml")


def test_questions_without_ids_are_numbered(tmp_path: Path):
    path = tmp_path / "q.yaml"
    path.write_text(
        "campaign: x\nquestions:\n"
        "- {question: a, actions: [search_notes]}\n- {id: z, question: b, actions: [out_of_scope]}\n"
    )
    assert [q.id for q in read_questions(path).questions] == ["q1", "z"]


@pytest.mark.parametrize("sample", sorted(Path("samples").glob("*/questions.yaml")), ids=str)
def test_the_samples_are_labelled_in_the_format(sample: Path):
    assert len(read_questions(sample).questions) >= 60
