"""What is read, how it is printed, and where a refusal points."""

import pytest

from pausepoint.cypher import CypherRefused, GuardRules, guard

PLAIN = GuardRules(tenant_key=None)


def printed(query: str) -> str:
    return guard(query, PLAIN).cypher


@pytest.mark.parametrize(
    ("query", "runs"),
    [
        ("match (n) return n.name // all", "MATCH (n) RETURN n.name LIMIT 200"),
        ("MATCH (a)-[:X|:Y*2]-(b)<--(c) RETURN a", "MATCH (a)-[:X|Y*2]-(b)<--(c) RETURN a LIMIT 200"),
        ("MATCH (n:A:B) RETURN n", "MATCH (n:A:B) RETURN n LIMIT 200"),
        ("MATCH (n IS A&!(B|C)) RETURN n", "MATCH (n:A&!(B|C)) RETURN n LIMIT 200"),
        (
            "MATCH (delete) RETURN delete.set AS create",
            "MATCH (`delete`) RETURN `delete`.`set` AS `create` LIMIT 200",
        ),
        ("RETURN NOT NOT a.b IS NULL AS x", "RETURN NOT NOT a.b IS NULL AS x LIMIT 200"),
        ("RETURN a + b * c ^ -d AS x", "RETURN a + b * c ^ -d AS x LIMIT 200"),
        ("RETURN (a + b) * c AS x", "RETURN (a + b) * c AS x LIMIT 200"),
        ("RETURN a OR b AND NOT c XOR d AS x", "RETURN a OR b AND NOT c XOR d AS x LIMIT 200"),
        ("RETURN [(x IN xs)] AS y", "RETURN [(x IN xs)] AS y LIMIT 200"),
        ("RETURN [x IN xs, y] AS z", "RETURN [(x IN xs), y] AS z LIMIT 200"),
        ("RETURN [(a)-->(b) | b.x] AS y", "RETURN [(a)-->(b) | b.x] AS y LIMIT 200"),
        ("RETURN (a)-(b) AS y", "RETURN a - b AS y LIMIT 200"),
        ("RETURN (a)--(b) AS y", "RETURN (a)--(b) AS y LIMIT 200"),
        ("RETURN a < -b AS y", "RETURN a < -b AS y LIMIT 200"),
        ("RETURN count(*) AS n", "RETURN count(*) AS n LIMIT 200"),
        ("RETURN count {.a} AS n", "RETURN `count` {.a} AS n LIMIT 200"),
        ("RETURN trim(BOTH FROM a) AS x", "RETURN trim(BOTH FROM a) AS x LIMIT 200"),
        ("RETURN all(x IN y WHERE x) AS z", "RETURN all(x IN y WHERE x) AS z LIMIT 200"),
        (
            "RETURN a IS :: LIST<INTEGER NOT NULL> AS z",
            "RETURN a IS :: LIST<INTEGER NOT NULL> AS z LIMIT 200",
        ),
        ("RETURN `toLower`(a) AS z", "RETURN toLower(a) AS z LIMIT 200"),
        ("LET x = a FILTER x RETURN x", "LET x = a FILTER WHERE x RETURN x LIMIT 200"),
        ("RETURN a NEXT RETURN a", "RETURN a NEXT RETURN a LIMIT 200"),
        ("WHEN a THEN RETURN b ELSE RETURN c", "WHEN a THEN RETURN b LIMIT 200 ELSE RETURN c LIMIT 200"),
        (
            "MATCH ANY SHORTEST (a)-->{1,3}(b) RETURN a",
            "MATCH ANY SHORTEST (a)-->{1,3}(b) RETURN a LIMIT 200",
        ),
        (
            "MATCH p = (a) ((x)-->(y)){1,2} (b) RETURN p",
            "MATCH p = (a)((x)-->(y)){1,2}(b) RETURN p LIMIT 200",
        ),
        ("RETURN size((a)--()) AS n", "RETURN COUNT { (a)--() } AS n LIMIT 200"),
        ("MATCH (n) WHERE exists(n.x) RETURN n", "MATCH (n) WHERE n.x IS NOT NULL RETURN n LIMIT 200"),
        ("OPTIONAL CALL (*) { RETURN a } RETURN a", "OPTIONAL CALL (*) { RETURN a } RETURN a LIMIT 200"),
        ("RETURN n ORDER BY n.x DESCENDING OFFSET 1 LIMIT 2;", "RETURN n ORDER BY n.x DESC SKIP 1 LIMIT 2"),
        (
            "{ RETURN a } UNION ALL { RETURN b AS a }",
            "{ RETURN a LIMIT 200 } UNION ALL { RETURN b AS a LIMIT 200 }",
        ),
        ("RETURN [x IN xs WHERE x:A|B | x] AS y", "RETURN [x IN xs WHERE x:(A|B) | x] AS y LIMIT 200"),
    ],
)
def test_a_query_is_printed_in_one_spelling(query, runs):
    assert printed(query) == runs
    assert printed(runs) == runs


@pytest.mark.parametrize(
    ("query", "rule", "at"),
    [
        ("MATCH (n) DELETE n", "write", "DELETE"),
        ("MATCH (n)\nSET n.x = 1", "write", "SET"),
        ("MATCH (n) CALL { CREATE (m) } RETURN n", "write", "CREATE"),
        ("CALL db.labels()", "procedure", "db"),
        ("MATCH (n) RETURN n; MATCH (m) RETURN m", "multi-statement", "MATCH (m)"),
        ("MATCH (n RETURN n", "syntax", "(n"),
        ("MATCH (n)) RETURN n", "syntax", ") RETURN"),
        ("RETURN 'abc", "lex", "'abc"),
        ("RETURN 1 /* abc", "lex", "/*"),
        ("RETURN 1 != 2", "syntax", "!="),
        ("MATCH (n) WHERE n.x =~ 'a' RETURN n", "regex", "=~"),
        ("RETURN apoc.text.join(['a'], '') AS x", "function", "apoc"),
        ("MATCH (n) RETURN n LIMIT -1", "limit", "-1"),
        ("MATCH (n) USING INDEX n:A(b) RETURN n", "hint", "USING"),
        ("EXPLAIN MATCH (n) RETURN n", "prefix", "EXPLAIN"),
        ("MATCH (n)", "no-return", "MATCH"),
        ("MATCH (a)-[*]->(b) RETURN a", "hops", "*]"),
        ("MATCH (a)-[*1..9]->(b) RETURN a", "hops", "*1"),
        ("MATCH (a)-->+(b) RETURN a", "hops", "+"),
        ("MATCH (a) (()-->()-->()){1,3} (b) RETURN a", "hops", "{1,3}"),
        ("MATCH (n $map) RETURN n", "pattern-map", "$map"),
        ("RETURN 99999999999999999999 AS x", "number", ""),
        ("RETURN range(1, 100000) AS x", "range", "range"),
        ("RETURN range(1, n.x) AS x", "range", "range"),
        ("RETURN reduce(s = 'x', i IN [1, 2] | s + s) AS x", "growth", "reduce"),
        ("MATCH (n) RETURN n ORDER n.x", "syntax", "n.x"),
    ],
)
def test_a_refusal_names_rule_and_place(query, rule, at):
    with pytest.raises(CypherRefused) as refused:
        guard(query, PLAIN)
    assert refused.value.rule == rule
    assert query[refused.value.position :].startswith(at)
    lines = query.split("\n")
    assert (
        lines[refused.value.line - 1][refused.value.column - 1 :]
        == query[refused.value.position :].split("\n")[0]
    )


@pytest.mark.parametrize(
    "text", ["MATCH (n) RETURN n.\\u0061", "RETURN '\\u0027'", "RETURN 1 // \\u000A", "RETURN '\\U0001F600'"]
)
def test_unicode_escapes_are_refused_wherever_they_stand(text):
    with pytest.raises(CypherRefused) as refused:
        guard(text)
    assert refused.value.rule == "unicode-escape"


def test_an_escaped_backslash_before_u_is_text():
    assert guard("RETURN 'C:\\\\users' AS x").params == {"lit0": "C:\\users"}


def test_names_and_texts_may_be_in_any_script():
    found = guard("MATCH (n:`Wiedźmin` {`imię`: 'Ścieżka 道'}) RETURN n // żółć", PLAIN)
    assert found.cypher == "MATCH (n:`Wiedźmin` {`imię`: $lit0}) RETURN n LIMIT 200"
    assert found.params == {"lit0": "Ścieżka 道"}


@pytest.mark.parametrize("name", ["a\\b", "a\u202eb", "a``b", "", "a\u00a0b"])
def test_names_that_could_be_read_otherwise_are_refused(name):
    with pytest.raises(CypherRefused):
        guard(f"MATCH (n) RETURN n.`{name}`")
