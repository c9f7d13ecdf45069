"""Bounds on what a query can build in memory without touching the graph: ranges, doubling strings and lists.

`reduce(s = 'x', i IN range(1, 40) | s + s)` is short and asks for a terabyte. A value that is repeated inside its
own successor grows exponentially, so repetitions are counted and capped; ranges must have provable bounds.
"""

from collections.abc import Mapping
from typing import Any

from pausepoint.cypher.ast import (
    Function,
    Item,
    Let,
    ListLiteral,
    Projection,
    Query,
    Reduce,
    Unwind,
    walk,
)
from pausepoint.cypher.errors import CypherRefused
from pausepoint.cypher.ranges import Ranges
from pausepoint.cypher.repetition import repetitions, repetitions_of
from pausepoint.cypher.rules import GuardRules


def check_growth(query: Query, rules: GuardRules, params: Mapping[str, Any]) -> None:
    """Refuse ranges that may be too long and values that may grow too fast."""
    rows, growth = 1, 1
    ranges = Ranges(query, rules, params)
    for node in walk(query):
        if isinstance(node, Function) and node.name == "range":
            rows *= max(1, ranges.length(node))
        elif isinstance(node, Unwind) and isinstance(node.value, ListLiteral):
            rows *= max(1, len(node.value.items))
        elif isinstance(node, Reduce):
            _check_reduce(node)
        elif isinstance(node, Projection | Let):
            growth *= max((_repeated(item) for item in node.items), default=1)
        if rows > rules.max_range_product or growth > rules.max_growth:
            what = "ranges multiply" if rows > rules.max_range_product else "repeated values grow"
            hint = "Use shorter lists." if rows > rules.max_range_product else "Do not repeat them."
            raise CypherRefused(f"The {what} to too much.", rule="growth", position=node.pos, hint=hint)


def _repeated(item: Item) -> int:
    return max(1, *repetitions(item.value).values(), 1)


def _check_reduce(node: Reduce) -> None:
    if repetitions_of(node.step, node.accumulator) > 1:
        reason = f"reduce() repeats {node.accumulator!r} inside itself, which doubles it at every step."
        raise CypherRefused(reason, rule="growth", position=node.pos, hint="Use the accumulator once.")
