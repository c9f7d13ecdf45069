"""Small parts of the assistant: citations, reading a choice, the kept conversation, the drawing."""

import pytest

from nodes.citations import citable_titles, verified
from pausepoint.pauses.envelope import clarification
from prompts.clarification import question_back, read_choice
from state.assistant import HISTORY, Evidence, Option, Turn, keep_last_turns

OPTIONS: list[Option] = [
    {"label": "Marta Solska (characters)", "artifact_id": "a1", "question": "Kim jest Marta?"},
    {"label": "Marta Wilk (characters)", "artifact_id": "a2", "question": "Kim jest Marta?"},
]


def evidence(*notes: str) -> Evidence:
    return {
        "id": "e",
        "type": "note",
        "score": 1.0,
        "title": "t",
        "text": "x",
        "note_ids": list(notes),
        "payload": {},
    }


@pytest.mark.parametrize(
    ("text", "shown", "cited", "removed"),
    [
        ("A. [Note: One]", "A. [Note: One]", ["One"], []),
        ("A. [Notatka: One] B. [Note: Two]", "A. [Notatka: One] B. [Note: Two]", ["One", "Two"], []),
        (
            "A. [Note: Two] B. [Note: One] C. [Note: Two]",
            "A. [Note: Two] B. [Note: One] C. [Note: Two]",
            ["Two", "One"],
            [],
        ),
        ("A [Note: Nine].", "A.", [], ["Nine"]),
        ("A [Note: One][Note: Nine] B", "A [Note: One] B", ["One"], ["Nine"]),
        ("A [Note:  One ]", "A [Note:  One ]", ["One"], []),
        ("[One] is no citation", "[One] is no citation", [], []),
        ("", "", [], []),
    ],
)
def test_only_citations_of_found_notes_stay(text: str, shown: str, cited: list[str], removed: list[str]):
    found = verified(text, {"One": "n1", "Two": "n2"})
    assert found[0] == shown
    assert [s["noteTitle"] for s in found[1]] == cited
    assert found[2] == removed


def test_what_may_be_cited_are_the_notes_behind_evidence_and_graph():
    graph = {
        "nodes": [
            {"id": "x", "name": "x", "type": "", "description": "", "campaignUuid": "", "noteIds": ["n2"]}
        ],
        "edges": [],
    }
    titles = {"n1": "One", "n2": "Two", "n3": "Three"}
    assert citable_titles([evidence("n1", "gone")], graph, titles) == {"One": "n1", "Two": "n2"}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "artifact"),
    [
        (1, "a1"),
        ("2", "a2"),
        (" 2 ", "a2"),
        ("marta wilk", "a2"),
        ("Marta Solska (characters)", "a1"),
        ("a2", "a2"),
        ({"choice": 1}, "a1"),
        ({"choice": "Marta Wilk"}, "a2"),
        ({"choice": "", "text": "2"}, "a2"),
        ([{"args": "1"}], "a1"),
        ("Kto podpalił latarnię?", None),
    ],
)
def test_a_choice_is_read_from_whatever_a_client_sends(answer: object, artifact: str | None):
    choice = read_choice(answer, OPTIONS, "pl")
    assert not isinstance(choice, str)
    assert choice["artifact_id"] == artifact


@pytest.mark.parametrize(
    "answer", [0, 3, -1, "", " ", None, {}, [], [1, 2], True, 1.5, "x" * 501, {"choice": None}]
)
def test_what_is_no_choice_is_said_in_the_persons_language(answer: object):
    problem = read_choice(answer, OPTIONS, "pl")
    assert isinstance(problem, str)
    assert "Wybierz" in problem or "znaków" in problem


def test_a_name_that_fits_nothing_is_asked_back_with_suggestions():
    message, options = question_back("Opowiedz coś", "pl", [])
    assert message
    assert len(options) >= 2
    assert all(o["question"] for o in options)


def test_the_pause_carries_its_schema_and_what_inboxes_read():
    envelope, schema = clarification(
        message="Which?", options=["a", "b"], errors=[], attempt=1, language="en", context={}
    )
    assert schema["$schema"].startswith("https://json-schema.org/draft/2020-12")
    assert envelope["schema"] == schema
    assert envelope["action_requests"][0]["description"] == "Which?"
    assert envelope["review_configs"][0]["action_name"] == envelope["action_requests"][0]["name"]


def test_the_conversation_keeps_its_last_turns():
    turns: list[Turn] = [{"question": str(n), "answer": "", "focus": []} for n in range(HISTORY + 5)]
    kept = keep_last_turns(turns[:HISTORY], turns[HISTORY:])
    assert [t["question"] for t in kept] == [str(n) for n in range(5, HISTORY + 5)]
    assert keep_last_turns(None, turns[:1]) == turns[:1]
