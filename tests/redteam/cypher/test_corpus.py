"""The numbers the guard is held to, over the shared queries."""

import pytest
from cypher_corpus import OPEN, TENANT, faults, must_be_refused, queries, rows

from pausepoint.cypher import CypherRefused, GuardRules, guard


def accepted(names: list[str], rules: GuardRules) -> list[str]:
    found = []
    for query in names:
        try:
            guarded = guard(query, rules)
        except CypherRefused as refused:
            assert refused.rule != "internal", query
            assert 0 <= refused.position <= len(query)
            continue
        assert not faults(guarded), guarded.cypher
        found.append(query)
    return found


@pytest.mark.parametrize("rules", [TENANT, OPEN], ids=["tenant", "no tenant"])
def test_nothing_that_writes_or_administers_is_accepted(rules):
    assert accepted(must_be_refused(), rules) == []


def test_attacks_on_tenant_and_resources_are_refused_or_contained():
    for row in rows("attacks"):
        if row.get("contain_ok") or row.get("soft"):
            continue
        with pytest.raises(CypherRefused):
            guard(row["query"], TENANT)


def test_harmless_queries_are_all_accepted():
    names = queries("harmless_tricky")
    assert accepted(names, TENANT) == names


@pytest.mark.parametrize(
    ("name", "rules", "share"),
    [("text2cypher_read", OPEN, 0.99), ("tck_read", TENANT, 0.96), ("tck_read", OPEN, 0.96)],
)
def test_enough_reads_are_accepted(name, rules, share):
    names = queries(name)
    assert len(accepted(names, rules)) >= share * len(names)


def test_what_neo4j_calls_a_write_or_a_command_is_refused():
    refusable = [row["query"] for row in rows("neo4j_ls_tests") if row["expect"] == "reject"]
    assert accepted(refusable, OPEN) == []


def test_accepted_queries_read_back_unchanged():
    """The output is itself a query the guard accepts and only its literals and limits are settled."""
    for query in accepted(queries("tck_read")[::3], TENANT):
        once = guard(query, TENANT)
        if "_path" in once.cypher or "CASE WHEN _" in once.cypher:
            continue
        twice = guard(once.cypher, TENANT, once.params)
        assert "added to every pattern" not in " ".join(twice.changes)
