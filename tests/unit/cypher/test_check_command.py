"""`pausepoint cypher check` as a person and as a program use it."""

import json

from typer.testing import CliRunner

from pausepoint.cli.cypher import app


def run(*words: str, text: str = ""):
    return CliRunner().invoke(app, ["check", *words], input=text)


def test_a_refusal_points_at_the_place():
    lines = run("MATCH (n)\nDETACH DELETE n").output.splitlines()
    assert lines[0].startswith("Refused (write), line 2, column 1: DETACH is not allowed")
    assert lines[1:3] == ["  DETACH DELETE n", "  ^"]


def test_an_accepted_query_shows_what_would_run():
    output = run("MATCH (n {name: 'axe'}) RETURN n").output
    assert "MATCH (n {campaignUuid: $campaignUuid, name: $lit0}) RETURN n LIMIT 200" in output
    assert "$lit0 = 'axe'" in output


def test_lines_are_answered_in_order():
    lines = [
        {"query": "MATCH (n:A) RETURN n"},
        {"query": "MATCH (n:B) RETURN n"},
        {"query": "MATCH (n) RETURN n LIMIT $n", "params": {"n": 3}},
        {"query": "MATCH (n {x: $p}) RETURN n", "params": ["p"]},
        {"query": "CREATE (n)"},
        {"text": "no query"},
        [1],
        {"query": "RETURN 'za\u017c\u00f3\u0142\u0107' AS x"},
    ]
    text = "\n".join(json.dumps(line) for line in lines) + "\nnot json\n\n"
    rows = [json.loads(line) for line in run("--jsonl", "--labels", "A,C", text=text).output.splitlines()]
    assert [row["accept"] for row in rows] == [True, False, True, True, False, False, False, True, False]
    assert all(set(row) == {"accept", "reason", "position", "cypher", "params"} for row in rows)
    assert rows[0]["cypher"] == "MATCH (n:A {campaignUuid: $campaignUuid}) RETURN n LIMIT 200"
    assert rows[0]["reason"] is None
    assert rows[1]["position"] == 9
    assert rows[2]["cypher"].endswith("LIMIT 3")
    assert rows[7]["params"] == {"lit0": "za\u017c\u00f3\u0142\u0107"}


def test_without_tenancy_nothing_is_added():
    row = json.loads(run("--jsonl", "--no-tenant", text='{"query": "MATCH (n) RETURN n"}').output)
    assert row["cypher"] == "MATCH (n) RETURN n LIMIT 200"
