"""Hostile queries in disguise: other case, white space, comments, escapes, wrappings. None gets through."""

import random
import re

import pytest
from cypher_corpus import OPEN, TENANT, faults, must_be_refused, queries

from pausepoint.cypher import CypherRefused, guard

_PIECES = re.compile(
    r"//[^\r\n]*[\r\n]?|/\*.*?\*/|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|\w+|\s+|.", re.DOTALL
)
_GAPS = [
    " ",
    "\n",
    "\t",
    "\r",
    "\r\n",
    "/**/",
    "/* RETURN 1 */",
    "// x\n",
    "/*'*/",
    '/*"*/',
    "/*`*/",
    "//'\r",
]
_SPACES = ["\u00a0", "\u2003", "\u3000", "\x0b", "\x0c", "\x1c", "\x1f", "\u2028", "\ufeff", "\u200b", "\x85"]
_BEFORE = [
    "MATCH (x) ",
    "MATCH (x) WITH x ",
    "RETURN 1 AS x UNION ",
    "UNWIND [1] AS x ",
    "MATCH (x) RETURN x; ",
    "EXPLAIN ",
]
_AROUND = [
    "MATCH (x) CALL {{ {} }} RETURN x",
    "MATCH (x) CALL (x) {{ {} }} RETURN x",
    "MATCH (x) WHERE EXISTS {{ {} }} RETURN x",
    "MATCH (x) RETURN COLLECT {{ {} }} AS y",
    "MATCH (x) RETURN [y IN [1] | COUNT {{ {} }}] AS z",
    "WHEN true THEN {} ELSE RETURN 1 AS x",
    "{{ {} }}",
    "RETURN 1 AS x NEXT {}",
]


def flip_case(query: str, chance: random.Random) -> str:
    words = (
        p if p[:1] in "'\"`" else "".join(chance.choice((c.lower(), c.upper())) for c in p)
        for p in pieces(query)
    )
    return "".join(words)


def other_gaps(query: str, chance: random.Random) -> str:
    out = [""]
    for piece in pieces(query):
        apart = piece.isspace() and out[-1] != "/"  # a comment behind a slash would begin with it
        out.append(chance.choice(_GAPS) if apart else piece)
    return "".join(out)


def more_gaps(query: str, chance: random.Random) -> str:
    out = []
    for piece in pieces(query):
        apart = piece[:1] != "/" and chance.random() < 0.3  # a gap behind a slash would begin a comment
        out += [piece, chance.choice(_GAPS)] if apart else [piece]
    return "".join(out)


def before(query: str, chance: random.Random) -> str:
    return chance.choice(_BEFORE) + query


def around(query: str, chance: random.Random) -> str:
    return chance.choice(_AROUND).format(query.rstrip("; "))


def escape_letter(query: str, chance: random.Random) -> str:
    at = chance.randrange(len(query))
    return f"{query[:at]}\\u{'u' * chance.randrange(2)}{ord(query[at]):04x}{query[at + 1 :]}"


def odd_space(query: str, chance: random.Random) -> str:
    at = chance.randrange(len(query) + 1)
    return query[:at] + chance.choice(_SPACES) + query[at:]


def odd_letters(query: str, chance: random.Random) -> str:
    at = chance.randrange(len(query))
    wide = chr(ord(query[at]) + 0xFEE0) if "!" <= query[at] <= "~" else "\u00a0"
    return query[:at] + wide + query[at + 1 :]


def cut(query: str, chance: random.Random) -> str:
    start, end = sorted(chance.randrange(len(query) + 1) for _ in range(2))
    return query[:start] + query[end:]


def quote_word(query: str, chance: random.Random) -> str:
    parts = pieces(query)
    at = chance.randrange(len(parts))
    parts[at] = chance.choice(("`{}`", "'{}'", '"{}', "/*{}*/", "//{}", "{{{}}}")).format(parts[at])
    return "".join(parts)


SAME_MEANING = (flip_case, other_gaps, more_gaps, before, around)
ANY_MEANING = (escape_letter, odd_space, odd_letters, cut, quote_word)


def pieces(query: str) -> list[str]:
    return _PIECES.findall(query)


def in_disguise(seed: int, count: int):
    chance = random.Random(seed)
    hostile = [query for query in must_be_refused() if len(query) < 3000]
    for _ in range(count):
        query = chance.choice(hostile)
        for change in chance.choices(SAME_MEANING, k=chance.randint(1, 3)):
            query = change(query, chance)
        yield query


def damaged(seed: int, count: int):
    chance = random.Random(seed)
    sources = must_be_refused() + queries("harmless_tricky") + queries("attacks")
    sources = [query for query in sources if len(query) < 3000]
    for _ in range(count):
        query = chance.choice(sources)
        for change in chance.choices(SAME_MEANING + ANY_MEANING * 2, k=chance.randint(1, 4)):
            query = change(query, chance) if query else "x"
        yield query


def check_disguised(seed: int, count: int) -> None:
    for query in in_disguise(seed, count):
        for rules in (TENANT, OPEN):
            with pytest.raises(CypherRefused) as refused:
                guard(query, rules)
            assert refused.value.rule != "internal", query


def check_damaged(seed: int, count: int) -> None:
    """A damaged query may have become harmless; what runs then must be free of anything that is not."""
    for query in damaged(seed, count):
        try:
            guarded = guard(query, TENANT)
        except CypherRefused as refused:
            assert refused.rule != "internal", query
            assert 0 <= refused.position <= len(query)
        else:
            assert not faults(guarded), query


def test_disguised_hostile_queries_are_refused():
    check_disguised(seed=1, count=5000)


def test_damaged_queries_never_carry_anything_hostile():
    check_damaged(seed=2, count=5000)


@pytest.mark.soak
def test_many_disguised_hostile_queries_are_refused():
    check_disguised(seed=3, count=20_000)


@pytest.mark.soak
def test_many_damaged_queries_never_carry_anything_hostile():
    check_damaged(seed=4, count=40_000)


@pytest.mark.parametrize("space", _SPACES)
@pytest.mark.parametrize(
    "pattern", ["MATCH (n){}DELETE n", "MATCH (n) DELETE{}n", "{}CREATE (n)", "CREATE (n){}"]
)
def test_spaces_that_only_databases_know_are_refused(space, pattern):
    with pytest.raises(CypherRefused):
        guard(pattern.format(space))
