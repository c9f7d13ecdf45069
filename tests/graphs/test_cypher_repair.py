"""Queries that a model writes: refused ones go back to it, at most twice; none changes or leaves the campaign."""

from collections.abc import Callable

import pytest
from assistant_house import House, by_step, cypher, planned
from tiny_campaigns import OTHER, TINY

from pausepoint.models.scripted import ScriptedChatModel

pytestmark = pytest.mark.asyncio(loop_scope="session")

NODE = "Latarnia_nad_Wirem_7c1e0000_Artifact"
THEIRS = "The_Other_Table_7c1e0000_Artifact"
GOOD = f"MATCH (a:{NODE} {{id: $artifactId}}) OPTIONAL MATCH (a)-[r]-(b:{NODE}) RETURN a, r, b"
PLAN = planned("search_artifacts_then_graph", "Adam Kruk")
TEXT = "Adam uratował Martę Solską. [Notatka: Sesja 2: Pożar latarni]"
Script = Callable[..., ScriptedChatModel]


async def test_a_refused_query_is_mended_with_its_reason(house: House, script: Script):
    model = script(PLAN, cypher("MATCH (n) DETACH DELETE n"), cypher(GOOD), TEXT)
    answer = await house.answer("Jakie są relacje Adama?")
    assert answer["responseType"] == "text_and_graph"
    told = str(model.requests[2][-1].content)
    assert "MATCH (n) DETACH DELETE n" in told
    assert "it writes to the graph" in told.split("Reason:")[1]


async def test_what_the_database_refuses_is_mended_too(house: House, script: Script):
    broken = f"MATCH (a:{NODE} {{id: $artifactId}}) RETURN a.name / a.id AS x, a"
    model = script(PLAN, cypher(broken), cypher(GOOD), TEXT)
    answer = await house.answer("Jakie są relacje Adama?")
    assert answer["responseType"] == "text_and_graph"
    assert 3 <= len(model.requests) <= 4


async def test_the_third_refusal_is_an_error_with_query_and_reason(house: House, script: Script):
    model = script(PLAN, *(cypher(f"MATCH (n) SET n.x = {n}") for n in range(3)), "never asked")
    answer = await house.answer("Jakie są relacje Adama?")
    assert (answer["responseType"], answer["errorType"]) == ("error", "invalid_cypher")
    assert "MATCH (n) SET n.x = 2" in answer["debugInfo"]["generatedCypher"]
    assert "SET" in answer["debugInfo"]["validationError"]
    assert answer["debugInfo"]["attempts"] == 3
    assert "przeformułować" in answer["textResponse"]
    assert answer["graphData"] is None
    assert len(model.requests) == 4, "one plan, one query, two repairs"


async def test_a_model_that_only_fails_leaves_the_template(house: House, script: Script):
    script(PLAN, ConnectionError("x"), ConnectionError("x"), ConnectionError("x"), TEXT)
    answer = await house.answer("Jakie są relacje Adama?")
    assert answer["responseType"] == "text_and_graph"
    assert "Adam Kruk" in {n["name"] for n in answer["graphData"]["nodes"]}


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) DETACH DELETE n",
        f"MATCH (n:{NODE}) SET n.name = 'PRZEJĘTY' RETURN n",
        f"CREATE (n:{NODE} {{id: 'x', name: 'x'}}) RETURN n",
        f"MERGE (n:{NODE} {{id: 'x'}}) RETURN n",
        f"MATCH (a:{NODE}) REMOVE a.name RETURN a",
        f"MATCH (a:{NODE}) FOREACH (x IN [1] | SET a.name = 'x') RETURN a",
        f"MATCH (a:{NODE}) CALL {{ WITH a SET a.name = 'x' RETURN 1 AS y }} RETURN a",
        f"MATCH (a:{NODE}) RETURN a; MATCH (b) DETACH DELETE b",
        f"MATCH (a:{NODE}) RETURN a /* */ ; DROP DATABASE x",
        "DROP INDEX x",
        "LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
        "CALL db.labels()",
        "CALL apoc.cypher.runWrite('MATCH (n) DELETE n', {})",
    ],
)
async def test_a_query_that_writes_changes_nothing(house: House, script: Script, query: str):
    before = await house.everything()
    script(PLAN, cypher(query))
    answer = await house.answer("Jakie są relacje Adama?")
    assert answer["errorType"] == "invalid_cypher"
    assert await house.everything() == before


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) RETURN n",
        "MATCH (n) OPTIONAL MATCH (n)-[r]-(m) RETURN n, r, m",
        f"MATCH (n:{THEIRS}) RETURN n",
        f"MATCH (n:{NODE}|{THEIRS}) RETURN n",
        f"MATCH (n {{campaignUuid: '{OTHER}'}}) RETURN n",
        f"MATCH (n:{NODE} {{campaignUuid: $campaignUuid}}) WITH n MATCH (m) RETURN n, m",
        f"MATCH (n:{NODE}) OPTIONAL MATCH (m:{THEIRS}) RETURN n, m",
        f"MATCH (n:{NODE}) RETURN n UNION MATCH (n:{THEIRS}) RETURN n",
        f"MATCH (n:{NODE}) RETURN n, [(x)-[y]->(z) | [x, y, z]] AS all",
        f"MATCH (n:{NODE}) WHERE EXISTS {{ MATCH (m:{THEIRS}) }} RETURN n",
        "MATCH p = ()-[*1..3]-() RETURN p",
        f"MATCH (n:{NODE}) CALL {{ MATCH (m) RETURN m }} RETURN n, m",
        f"MATCH (n:{NODE}) RETURN n, COLLECT {{ MATCH (m) RETURN m.name }} AS names",
        "MATCH (n) WHERE n.campaignUuid <> $campaignUuid RETURN n",
        f"MATCH (n) WHERE n.campaignUuid = $campaignUuid OR n.campaignUuid = '{OTHER}' RETURN n",
        "MATCH ()-[r]->() RETURN r",
        "WITH 'x' AS campaignUuid MATCH (n) RETURN n",
    ],
)
async def test_a_query_that_leaves_the_campaign_shows_nothing_of_the_other(
    house: House, script: Script, query: str
):
    script(by_step(PLAN, cypher(query), TEXT))
    answer = await house.answer("Jakie są relacje Adama?", debug=True)
    graph = answer["graphData"] or {"nodes": [], "edges": []}
    assert {n["campaignUuid"] for n in graph["nodes"]} <= {TINY}
    assert "XYZZY4711" not in str(answer)
    assert "Vault of Nim" not in str(graph)


async def test_a_slow_query_is_stopped_and_the_next_question_is_answered(house: House, script: Script):
    slow = "UNWIND range(1, 100000000) AS x WITH x WHERE x % 2 = 0 RETURN count(x) AS c"
    script(PLAN, cypher(slow))
    assert (await house.answer("Jakie są relacje Adama?"))["errorType"] == "invalid_cypher"
    script(PLAN, cypher(GOOD), TEXT)
    assert (await house.answer("Jakie są relacje Adama?"))["responseType"] == "text_and_graph"


@pytest.mark.parametrize(
    "query",
    [
        f"MATCH (a:{NODE} {{id: $artifactId}}) RETURN a.name AS name",
        f"MATCH (a:{NODE} {{id: $artifactId}})-[r]-() RETURN r",
        f"MATCH p = (a:{NODE} {{id: $artifactId}})-[*1..2]-(b:{NODE}) RETURN p",
        f"MATCH (a:{NODE} {{id: $artifactId}}) RETURN {{inner: [a, {{deep: a}}]}} AS m",
        f"MATCH (a:{NODE} {{id: 'nobody'}}) RETURN a",
        f"MATCH (a:{NODE}) RETURN count(a) AS n",
    ],
)
async def test_whatever_a_good_query_returns_becomes_an_answer(house: House, script: Script, query: str):
    script(by_step(PLAN, cypher(query), TEXT))
    answer = await house.answer("Jakie są relacje Adama?")
    assert answer["responseType"] in ("text", "text_and_graph"), answer["debugInfo"]
    assert answer["textResponse"] == TEXT
    if answer["graphData"]:
        ids = {n["id"] for n in answer["graphData"]["nodes"]}
        assert all(e["source"] in ids and e["target"] in ids for e in answer["graphData"]["edges"])


async def test_relationships_alone_are_completed_with_their_ends(house: House, script: Script):
    script(PLAN, cypher(f"MATCH (a:{NODE} {{id: $artifactId}})-[r]-(b:{NODE}) RETURN r"), TEXT)
    graph = (await house.answer("Jakie są relacje Adama?"))["graphData"]
    assert {e["label"] for e in graph["edges"]} == {"uratował", "posiada", "mieszka w"}
    assert {n["name"] for n in graph["nodes"]} == {"Adam Kruk", "Marta Solska", "Mosiężny klucz", "Port Wir"}
