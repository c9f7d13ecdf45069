"""Whatever the text, the guard answers with a query or with its own error."""

import random
import string

import pytest
from cypher_corpus import OPEN, TENANT, faults, queries
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pausepoint.cypher import CypherRefused, guard
from pausepoint.cypher.keywords import words

_WORDS = words(
    """MATCH OPTIONAL WHERE RETURN WITH UNWIND AS CALL EXISTS COUNT COLLECT CASE WHEN THEN ELSE END UNION ALL NEXT
    LET FILTER ORDER BY SKIP LIMIT NOT AND OR XOR IN IS NULL STARTS CONTAINS reduce any all none single shortestPath
    SHORTEST DISTINCT n r p x a.b 1 2.5 'text' $p true null ( ) [ ] { } < > - -- --> <-- = <> <= >= + * / % ^ | || &
    ! : :: , . .. ; $ `q` campaignUuid $campaignUuid (n) (n)-->(m) -[r*1..2]-> {1,2} count(*) range(1,3) date()
    INTEGER trim( FROM"""
)
_DEEP = [*"([{!1'`-", "{a:", "NOT ", "CASE WHEN ", "CASE ", "EXISTS {", "COUNT { MATCH (", "CALL {", "[x IN "]
_DEEP += [
    "reduce(a=",
    "all(x IN ",
    "(a)-[",
    "$(",
    "n.",
    "n[",
    "IS :: LIST<",
    "x:(",
    "1+",
    "a=",
    "((",
    "WHEN ",
    "/*",
]


def check(query: str) -> None:
    for rules in (TENANT, OPEN):
        try:
            guarded = guard(query, rules)
        except CypherRefused as refused:
            assert refused.rule != "internal", query
            assert 0 <= refused.position <= len(query)
        else:
            assert not faults(guarded), query


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=200))
def test_any_text(text):
    check(text)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(sorted(_WORDS)), max_size=40))
def test_any_words(some):
    check("MATCH (n) " + " ".join(some) + " RETURN n")


@pytest.mark.parametrize("piece", _DEEP)
@pytest.mark.parametrize("start", ["", "RETURN ", "MATCH (n) WHERE ", "MATCH (n:"])
def test_endless_nesting(piece, start):
    check((start + piece * 4000)[:7999])


def test_real_queries_with_letters_changed():
    garble(seed=5, count=500)


@pytest.mark.soak
def test_many_real_queries_with_letters_changed():
    garble(seed=6, count=30_000)


def garble(seed: int, count: int) -> None:
    chance = random.Random(seed)
    sources = queries("tck_read") + queries("text2cypher_read") + queries("harmless_tricky")
    signs = string.printable + "ąß√　"
    for _ in range(count):
        letters = list(chance.choice(sources))
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(letters) or 1)
            letters[at : at + chance.randrange(3)] = chance.choices(signs, k=chance.randrange(3))
        check("".join(letters))
