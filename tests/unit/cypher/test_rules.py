"""Schema, parameters, limits, literals."""

import pytest

from pausepoint.cypher import CypherRefused, GuardRules, guard

SCHEMA = GuardRules(
    tenant_key=None, labels=frozenset({"Town"}), types=frozenset({"ROAD"}), parameters=frozenset({"name"})
)


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ("MATCH (n:City) RETURN n", "label"),
        ("MATCH (n) WHERE n:City RETURN n", "label"),
        ("MATCH (n:!City) RETURN n", "label"),
        ("MATCH (n:$($name)) RETURN n", "label"),
        ("MATCH ()-[:RIVER]->() RETURN 1", "type"),
        ("MATCH (n {name: $other}) RETURN n", "parameter"),
    ],
)
def test_only_the_schema_may_be_named(query, rule):
    with pytest.raises(CypherRefused) as refused:
        guard(query, SCHEMA)
    assert refused.value.rule == rule
    assert refused.value.hint


def test_what_the_schema_has_is_accepted():
    guard("MATCH (n:Town {name: $name})-[:ROAD]->(m:%) WHERE m:Town RETURN n", SCHEMA)


@pytest.mark.parametrize(
    ("tail", "params", "runs"),
    [
        ("", {}, "LIMIT 200"),
        (" LIMIT 5", {}, "LIMIT 5"),
        (" LIMIT 5000", {}, "LIMIT 200"),
        (" LIMIT $n", {"n": 7}, "LIMIT 7"),
        (" LIMIT $n", {"n": 7000}, "LIMIT 200"),
        (" LIMIT $n", {}, "LIMIT CASE WHEN $n < 200 THEN $n ELSE 200 END"),
    ],
)
def test_rows_are_capped(tail, params, runs):
    assert guard(f"MATCH (n) RETURN n{tail}", params=params).cypher.endswith(f"RETURN n {runs}")


@pytest.mark.parametrize("limit", ["rand()", "COUNT { MATCH (n) }", "n.x", "'5'", "2.5"])
def test_limits_that_are_no_number_are_refused(limit):
    with pytest.raises(CypherRefused):
        guard(f"MATCH (n) RETURN n LIMIT {limit}")


def test_every_branch_of_a_union_is_capped():
    found = guard("MATCH (a) RETURN a LIMIT 500 UNION MATCH (b) RETURN b AS a").cypher
    assert found.count("LIMIT 200") == 2


def test_literals_become_parameters_and_columns_keep_their_names():
    found = guard(
        "MATCH (n) WHERE n.x IN ['a', 'b'] RETURN n.x + 'a', 2 AS two, [1, n.y], true", params={"lit1": 0}
    )
    assert found.cypher.endswith(
        "WHERE n.x IN $lit0 RETURN n.x + $lit2 AS `n.x + 'a'`, $lit3 AS two, [$lit4, n.y] AS `[1, n.y]`, true LIMIT 200"
    )
    assert found.params == {"lit0": ["a", "b"], "lit1": 0, "lit2": "a", "lit3": 2, "lit4": 1}


def test_equal_literals_share_a_parameter_so_that_grouping_works():
    found = guard("MATCH (n) RETURN n.x + 1 AS y, count(*) AS c ORDER BY n.x + 1")
    assert found.cypher.count("n.x + $lit0") == 2


def test_one_and_one_point_zero_and_true_stay_apart():
    assert list(guard("RETURN [1, x, 1.0] AS y").params.values()) == [1, 1.0]


def test_text_in_a_column_name_cannot_leave_its_quotes():
    found = guard("RETURN 'a`\\\\b\n' AS x, 'q`\\\\u0060 DELETE n'")
    assert "\\" not in found.cypher
    assert found.cypher.count("`") == 2


@pytest.mark.parametrize(
    "query",
    [
        "RETURN reduce(s = [], x IN [1] | [s, s]) AS y",
        "RETURN reduce(s = 'x', x IN [1] | replace(s, 'x', 'xx')) AS y",
        "RETURN reduce(m = {a: 'x'}, x IN [1] | {a: m.a + m.a}) AS y",
        "WITH 'x' AS s " + "WITH s + s AS s " * 20 + "RETURN s",
        "UNWIND range(1, 5000) AS a UNWIND range(1, 5000) AS b RETURN count(*)",
        "WITH [1] AS l WITH [x IN l | l] AS l WITH [x IN l | l] AS l WITH [x IN l | l] AS l RETURN l",
        "MATCH (a), (b), (c), (d), (e) RETURN count(*)",
    ],
)
def test_what_grows_without_bound_is_refused(query):
    with pytest.raises(CypherRefused) as refused:
        guard(query)
    assert refused.value.rule in ("growth", "size")


@pytest.mark.parametrize(
    "query",
    [
        "RETURN reduce(s = 0, x IN [1] | s + x) AS y",
        "RETURN reduce(m = 0, x IN [1] | CASE WHEN x > m THEN x ELSE m END) AS y",
        "RETURN reduce(a = {sum: 0, n: 0}, x IN [1] | {sum: a.sum + x, n: a.n + 1}) AS y",
        "WITH [1, 2] AS l RETURN [i IN range(0, size(l) - 1) | l[i]] AS y",
        "WITH [1, 2] AS l, size([1, 2]) AS n RETURN range(0, n - 1) AS y",
        "RETURN range(10, 1, -1) AS y",
    ],
)
def test_what_stays_bounded_is_accepted(query):
    guard(query)


def test_open_paths_are_lowered_where_the_rules_say_so():
    rules = GuardRules(tenant_key=None, open_paths="lower")
    assert "[:R*..5]" in guard("MATCH (a)-[:R*]->(b) RETURN a", rules).cypher
    with pytest.raises(CypherRefused):
        guard("MATCH (a)-[*]->(b) RETURN a", rules)
