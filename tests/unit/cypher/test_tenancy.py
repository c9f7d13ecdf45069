"""Where the tenant goes, and what a query may say about it."""

import pytest

from pausepoint.cypher import CypherRefused, GuardRules, guard

RULES = GuardRules(tenant_key="t", tenant_param="t", max_rows=9)
NATIVE = GuardRules(tenant_key="t", tenant_param="t", max_rows=9, native_shortest_paths=True)


def runs(query: str, rules: GuardRules = RULES) -> str:
    return guard(query, rules).cypher.removesuffix(" LIMIT 9")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("MATCH (a) RETURN a", "MATCH (a {t: $t}) RETURN a"),
        ("MATCH (a {t: $t}) RETURN a", "MATCH (a {t: $t}) RETURN a"),
        ("MATCH (a)-->(b) RETURN a", "MATCH (a {t: $t})-[{t: $t}]->(b {t: $t}) RETURN a"),
        ("MATCH (a:A WHERE a.x = b) RETURN a", "MATCH (a:A {t: $t} WHERE a.x = b) RETURN a"),
        (
            "MATCH (a)-[:R*1..2]->(b) RETURN a",
            "MATCH _path0 = (a {t: $t})-[:R*1..2 {t: $t}]->(b {t: $t}) "
            "WHERE all(_each0 IN nodes(_path0) WHERE _each0.t = $t) RETURN a",
        ),
        (
            "MATCH (a)-[:R*1..2]->(b) RETURN *",
            "MATCH _path0 = (a {t: $t})-[:R*1..2 {t: $t}]->(b {t: $t}) "
            "WHERE all(_each0 IN nodes(_path0) WHERE _each0.t = $t) RETURN a, b",
        ),
        (
            "MATCH (a)-[r:R]->{1,2}(b) RETURN r",
            "MATCH (a {t: $t})(({t: $t})-[r:R {t: $t}]->({t: $t})){1,2}(b {t: $t}) RETURN r",
        ),
        (
            "MATCH (a) WHERE (a)--() RETURN a",
            "MATCH (a {t: $t}) WHERE (a {t: $t})-[{t: $t}]-({t: $t}) RETURN a",
        ),
        (
            "MATCH (a) WHERE EXISTS { (a)--() } RETURN a",
            "MATCH (a {t: $t}) WHERE EXISTS { (a {t: $t})-[{t: $t}]-({t: $t}) } RETURN a",
        ),
        (
            "MATCH (a) RETURN [(a)--(b) | b.x] AS y",
            "MATCH (a {t: $t}) RETURN [(a {t: $t})-[{t: $t}]-(b {t: $t}) | b.x] AS y",
        ),
        (
            "MATCH (a) RETURN COUNT { MATCH (b) } AS n",
            "MATCH (a {t: $t}) RETURN COUNT { MATCH (b {t: $t}) } AS n",
        ),
        (
            "CALL { MATCH (a) RETURN a UNION MATCH (b)--() RETURN b AS a } RETURN a",
            "CALL { MATCH (a {t: $t}) RETURN a UNION MATCH (b {t: $t})-[{t: $t}]-({t: $t}) RETURN b AS a } RETURN a",
        ),
        (
            "MATCH (a) WHERE a.x > 1 AND toLower(a.y) = 'z' RETURN a",
            "MATCH (a {t: $t}) WHERE a.x > $lit0 AND CASE WHEN a.t = $t THEN toLower(a.y) = $lit1 ELSE false END RETURN a",
        ),
    ],
)
def test_every_pattern_gets_the_tenant(query, expected):
    assert runs(query) == expected


def test_shortest_paths_are_searched_inside_the_tenant():
    text = runs("MATCH p = shortestPath((a)-[:R*..3]-(b)) RETURN p")
    assert "shortestPath" not in text
    assert "NOT EXISTS {" in text


def test_neo4j_searches_shortest_paths_itself():
    assert runs("MATCH p = shortestPath((a)-[:R*..3]-(b)) RETURN p", NATIVE) == (
        "MATCH p = shortestPath((a {t: $t})-[:R*..3]-(b {t: $t})) WHERE all(_each0 IN nodes(p) WHERE _each0.t = $t) "
        "AND all(_each0 IN relationships(p) WHERE _each0.t = $t) RETURN p"
    )


def test_relationships_without_the_key_are_left_alone():
    rules = GuardRules(tenant_key="t", tenant_param="t", relationships_carry_key=False, max_rows=9)
    assert runs("MATCH (a)-[r:R]->(b) RETURN r", rules) == "MATCH (a {t: $t})-[r:R]->(b {t: $t}) RETURN r"


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (a {t: 'other'}) RETURN a",
        "MATCH (a {t: $other}) RETURN a",
        "MATCH (a {t: $t, t: 'other'}) RETURN a",
        "MATCH (a) WHERE a.t = 'other' RETURN a",
        "MATCH (a) WHERE a.t <> $t RETURN a",
        "MATCH (a) WHERE a['t'] = 'other' RETURN a",
        "MATCH (a) WHERE a.t STARTS WITH 'o' RETURN a",
        "MATCH ()-[r {t: 'other'}]->() RETURN r",
    ],
)
def test_the_tenant_key_is_only_compared_with_the_parameter(query):
    with pytest.raises(CypherRefused) as refused:
        guard(query, RULES)
    assert refused.value.rule == "tenant"


def test_the_tenant_may_be_compared_and_shown():
    assert runs("MATCH (a) WHERE a.t = $t RETURN a.t") == "MATCH (a {t: $t}) WHERE a.t = $t RETURN a.t"


def test_added_names_never_meet_those_of_the_query():
    text = runs("MATCH (_path0)-[_each0:R*1..2]->(lit0) RETURN $lit0, _path0, _each0, 'x' AS y")
    assert "_path1 = (_path0 " in text
    assert "_each1 IN nodes(_path1)" in text
    assert "$lit1 AS y" in text
