import operator
from typing import Annotated, TypedDict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command

from graphs.ask_until_valid import ask_until_valid
from pausepoint.pauses.check import MAX_ANSWER_BYTES, check_schema, field_errors
from pausepoint.pauses.fields import (
    Attachment,
    Boolean,
    Choice,
    Date,
    ListOf,
    MultiChoice,
    Number,
    Text,
)
from pausepoint.pauses.forms import Deadline, Form, approval, choice, clarification, consent, review
from pausepoint.pauses.normalise import candidates
from pausepoint.pauses.question import read_question

FULL = Form(
    {"pl": "Zgłoszenie", "en": "Report", "de": "Meldung"},
    [
        Text("site", {"pl": "Miejsce", "en": "Site", "de": "Ort"}, min_length=2),
        Number("severity", minimum=1, maximum=5, whole=True),
        Date("day"),
        Choice("kind", options={"leak": {"pl": "Wyciek", "en": "Leak", "de": "Leck"}, "noise": "Noise"}),
        MultiChoice("tags", options=["a", "b"], required=False),
        Boolean("urgent"),
        Attachment("photo", required=False, types=["image/png"]),
        ListOf("parts", required=False, fields=[Text("name"), Number("count", whole=True)]),
    ],
)
RIGHT = {"site": "north", "severity": 3, "day": "2026-11-21", "kind": "leak", "urgent": False}


@pytest.mark.parametrize("language", ["pl", "en", "de"])
def test_labels_and_errors_in_three_languages(language):
    from dataclasses import replace

    form = replace(FULL, language=language)
    envelope = form.envelope()
    assert envelope["title"] == {"pl": "Zgłoszenie", "en": "Report", "de": "Meldung"}[language]
    assert (
        envelope["schema"]["properties"]["site"]["title"]
        == {"pl": "Miejsce", "en": "Site", "de": "Ort"}[language]
    )
    found = {e["field"]: e["message"] for e in form.errors({**RIGHT, "severity": 9})}
    assert found == {"severity": {"pl": "Najwyżej 5.", "en": "At most 5.", "de": "Höchstens 5."}[language]}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"site": "x"}, "site"),
        ({"site": ""}, "site"),
        ({"severity": 2.5}, "severity"),
        ({"severity": True}, "severity"),
        ({"day": "21.11.2026"}, "day"),
        ({"kind": "smell"}, "kind"),
        ({"tags": ["a", "a"]}, "tags"),
        ({"urgent": "yes"}, "urgent"),
        ({"photo": ""}, "photo"),
        ({"parts": [{"name": "x", "count": 1}, {"name": "y"}]}, "parts.1.count"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_every_kind_of_field_is_checked(change, field):
    assert FULL.errors(RIGHT) == []
    assert [e["field"] for e in FULL.errors({**RIGHT, **change})] == [field]


def test_every_missing_field_is_named():
    assert {e["field"] for e in FULL.errors({})} == set(RIGHT)


def test_the_kinds():
    asked = approval("Send?", action="mail", args={"to": "a"}, editable=True)
    assert asked.errors({"decision": "approve"}) == []
    assert [e["field"] for e in asked.errors({"decision": "edit"})] == ["args"]
    assert asked.errors({"decision": "edit", "args": {"to": "b"}}) == []
    assert asked.envelope()["review_configs"][0]["allowed_decisions"] == ["approve", "edit", "reject"]
    assert choice("Which?", ["a", "b"]).errors({"choice": "c"})
    asked = clarification("Which?", ["a"])
    assert asked.errors({"choice": "a"}) == asked.errors({"text": "neither"}) == []
    assert asked.errors({})
    assert consent("Terms", "I agree").errors({"agreed": False})


def test_a_review_needs_a_decision_on_every_item():
    asked = review("Concepts", [{"id": "c1", "name": "x"}, {"id": "c2"}])
    one = {"decision": "approve"}
    assert [e["field"] for e in asked.errors({"items": {"c1": one}})] == ["items.c2"]
    assert asked.errors({"items": {"c1": one, "c2": {"decision": "edit"}}})
    edited = {"decision": "edit", "content": {"name": "y"}}
    assert asked.errors({"items": {"c1": one, "c2": edited}, "feedback": "fine"}) == []


def test_a_deadline_is_read_as_it_was_written():
    from dataclasses import replace

    deadline = Deadline(due=60, remind_before=10, default={"a": 1})
    found = read_question({"id": "x", "value": replace(FULL, deadline=deadline, assignee="eva").envelope()})
    assert found.on_expiry == {"action": "answer", "value": {"a": 1}}
    assert found.remind_at < found.due_at
    assert (found.assignee, found.kind, found.title) == ("eva", "form", "Report")


@pytest.mark.parametrize(
    ("value", "kind", "title"),
    [
        ("What now?", "question", "What now?"),
        ({"question": "Really?"}, "question", "Really?"),
        ({"action_requests": [{"name": "mail", "args": {}}], "review_configs": []}, "approval", "mail"),
        ([{"action_request": {"action": "mail", "args": {}}, "config": {}}], "approval", "mail"),
        (None, "question", "null"),
        (42, "question", "42"),
        ({"deadline": {"due": "soon"}, "kind": 7, "title": "  "}, "question", None),
        ("x" * 500, "question", "x" * 119 + "…"),
    ],
)
def test_whatever_a_graph_asks_can_be_listed(value, kind, title):
    found = read_question({"id": "x", "value": value})
    assert found.kind == kind
    assert title is None or found.title == title
    assert found.due_at is None


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ([{"type": "accept", "args": None}], {"decision": "approve"}),
        ([{"type": "ignore", "args": None}], {"decision": "reject"}),
        ({"decisions": [{"type": "reject", "message": "no"}]}, {"decision": "reject", "comment": "no"}),
        ({"type": "response", "args": "approve"}, {"decision": "approve"}),
        ('{"decision": "approve"}', {"decision": "approve"}),
        ("approve", {"decision": "approve"}),
    ],
)
def test_every_clients_answer_is_read(given, meant):
    form = approval("Send?", action="mail", args={})
    fitting = [c for c in candidates(given, form.schema()) if not form.errors(c)]
    assert fitting[0] == meant


def test_schemas_that_would_reach_outside_or_never_end():
    assert "may not refer" in check_schema({"$ref": "http://127.0.0.1:9/x"})
    assert check_schema({"type": "nonsense"})
    slow = {"type": "string", "pattern": "^(a|a)*(?=x)b$"}
    assert field_errors("a" * 40 + "c", slow)
    assert field_errors("x" * (MAX_ANSWER_BYTES + 1), {"type": "string"})[0].code == "too_large"
    deep: list = []
    for _ in range(200):
        deep = [deep]
    assert field_errors(deep, {"type": "object"})


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(json_values)
def test_no_answer_breaks_the_check(answer):
    for error in FULL.errors(answer):
        assert error["message"]
    for meant in candidates(answer, FULL.schema()):
        FULL.errors(meant)


class Around(TypedDict, total=False):
    steps: Annotated[list, operator.add]
    report: dict
    forbidden: str


async def test_ask_until_valid_costs_the_same_for_every_answer():
    ran = []

    async def check(answer, state):
        ran.append(answer["site"])
        return {"site": "not there"} if answer["site"] == state["forbidden"] else None

    form = Form("Report", [Text("site")])
    graph = (
        StateGraph(Around)
        .add_node("report", ask_until_valid(form, check, state=Around, into="report"))
        .add_edge(START, "report")
        .compile(checkpointer=InMemorySaver())
    )
    config = {"configurable": {"thread_id": "1"}}
    found = await graph.ainvoke({"forbidden": "south", "steps": ["once"]}, config)
    ids = set()
    for attempt in range(2, 12):
        [asked] = found["__interrupt__"]
        ids.add(asked.id)
        found = await graph.ainvoke(Command(resume={asked.id: {"site": "south"}}), config)
        shown = found["__interrupt__"][0].value
        assert (shown["attempt"], shown["errors"][0]["message"]) == (attempt, "not there")
        assert shown["values"] == {"site": "south"}
    [asked] = found["__interrupt__"]
    found = await graph.ainvoke(Command(resume={asked.id: {"site": "north"}}), config)
    assert (found["report"], found["steps"]) == ({"site": "north"}, ["once"])
    assert (len(ran), len(ids)) == (11, 10)
