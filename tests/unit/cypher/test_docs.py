"""What docs/cypher-guard.md shows is true."""

import re
from pathlib import Path

import pytest

from pausepoint.cypher import CypherRefused, guard

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "cypher-guard.md").read_text(encoding="utf-8")
SHOWN = re.compile(
    r"```cypher\n(.*?)\n```\n\n(?:Refused \(`([a-z-]+)`\)|Contained: it runs as\n\n```cypher\n(.*?)\n```)",
    re.S,
)


def test_the_python_of_the_guide_runs():
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "docs/cypher-guard.md", "exec"), {})


def test_ten_hostile_queries_are_shown():
    assert len(SHOWN.findall(TEXT)) == 10


@pytest.mark.parametrize(("query", "rule", "runs"), SHOWN.findall(TEXT))
def test_a_hostile_query_ends_as_shown(query, rule, runs):
    if runs:
        assert guard(query).cypher == runs
        return
    with pytest.raises(CypherRefused) as refused:
        guard(query)
    assert refused.value.rule == rule
