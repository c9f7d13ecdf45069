"""Bounds on what a query can build in memory without touching the graph: ranges, doubling strings and lists.

`reduce(s = 'x', i IN range(1, 40) | s + s)` is short and asks for a terabyte. A value that is repeated inside its
own successor grows exponentially, so repetitions are counted and capped; ranges must have provable bounds.
"""

from pausepoint.cypher.ast import (
    Binary,
    Expr,
    Function,
    Item,
    Let,
    ListLiteral,
    Literal,
    Projection,
    Query,
    Reduce,
    Sign,
    Unwind,
    walk,
)
from pausepoint.cypher.errors import CypherRefused
from pausepoint.cypher.repetition import repetitions, repetitions_of
from pausepoint.cypher.rules import GuardRules

Bounds = tuple[int, int]


def check_growth(query: Query, rules: GuardRules) -> None:
    """Refuse ranges that may be too long and values that may grow too fast."""
    rows, growth = 1, 1
    for node in walk(query):
        if isinstance(node, Function) and node.name == "range":
            rows *= max(1, _range_length(node, rules))
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


def _range_length(call: Function, rules: GuardRules) -> int:
    bounds = [_bounds(argument, rules) for argument in call.args[:3]]
    if len(bounds) < 2 or None in bounds[:2]:
        hint = "Use numbers, size() or length()."
        raise CypherRefused("The ends of range() are not known.", rule="range", position=call.pos, hint=hint)
    (low, _), (_, high) = bounds[0] or (0, 0), bounds[1] or (0, 0)
    (_, low_high), (high_low, _) = bounds[0] or (0, 0), bounds[1] or (0, 0)
    span = max(high - low, low_high - high_low, 0) + 1
    step = bounds[2] if len(bounds) > 2 else (1, 1)
    length = span // max(1, min(abs(step[0]), abs(step[1])) if step else 1)
    if length > rules.max_range:
        reason = f"range() may make {length} numbers; at most {rules.max_range} are allowed."
        raise CypherRefused(reason, rule="range", position=call.pos, hint="Use a shorter range.")
    return 1 if _has_size(call) else length


def _has_size(call: Function) -> bool:
    return any(isinstance(node, Function) and node.name in ("size", "length") for node in walk(call))


def _bounds(node: Expr, rules: GuardRules) -> Bounds | None:
    """Return the least and greatest integer an expression can be, or None when that is not known."""
    if isinstance(node, Literal):
        return (node.value, node.value) if type(node.value) is int else (0, 0) if node.value is None else None
    if isinstance(node, Function):
        return (0, rules.max_range - 2) if node.name in ("size", "length") else None
    if isinstance(node, Sign):
        inner = _bounds(node.operand, rules)
        return (-inner[1], -inner[0]) if inner and node.signs.count("-") % 2 else inner
    if isinstance(node, Binary):
        return _chain_bounds(node, rules)
    return None


def _chain_bounds(node: Binary, rules: GuardRules) -> Bounds | None:
    first, *rest = [_bounds(operand, rules) for operand in node.operands]
    for op, other in zip(node.ops, rest, strict=True):
        if first is None or other is None:
            return None
        if op == "+":
            first = (first[0] + other[0], first[1] + other[1])
        elif op == "-":
            first = (first[0] - other[1], first[1] - other[0])
        elif op in ("/", "%") and other[0] > 0:
            first = (min(first[0], 0), max(first[1], 0))
        else:
            return None
    return first
