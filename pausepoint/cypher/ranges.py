"""How long a list `range()` can make, found by following its ends to numbers, `size()` and `length()`."""

from collections.abc import Mapping
from typing import Any, cast

from pausepoint.cypher.ast import (
    Binary,
    Expr,
    Function,
    Item,
    Literal,
    Node,
    Parameter,
    Query,
    Sign,
    Variable,
    walk,
)
from pausepoint.cypher.errors import CypherRefused
from pausepoint.cypher.rules import GuardRules

Bounds = tuple[int, int]

_MEASURES = frozenset({"size", "length"})


class Ranges:
    """Knows which expressions of a query have provable integer bounds."""

    def __init__(self, query: Query, rules: GuardRules, params: Mapping[str, Any]) -> None:
        self.rules = rules
        self.params = params
        self._named: dict[str, list[Expr]] = {}
        self._unknown: set[str] = set()
        for node in walk(query):
            self._note(node)

    def _note(self, node: Node) -> None:
        """Remember what a name stands for; a name bound by anything but a projection is unknown."""
        if isinstance(node, Item):
            if node.alias is not None and node.value != Variable(node.alias):
                self._named.setdefault(node.alias, []).append(node.value)
            return
        for field in ("variable", "alias", "accumulator"):
            name = cast("str | None", getattr(node, field, None))
            if name is not None:
                self._unknown.add(name)

    def length(self, call: Function) -> int:
        """Return the greatest length of a range; 1 when it is as long as something that is there already.

        Raises:
            CypherRefused: The length is unknown or over the limit.
        """
        ends = [self._bounds(argument) for argument in call.args[:2]]
        if len(ends) < 2 or ends[0] is None or ends[1] is None:
            hint = "Use numbers, size() or length()."
            raise CypherRefused(
                "The ends of range() are not known.", rule="range", position=call.pos, hint=hint
            )
        (low, high), (other_low, other_high) = ends[0], ends[1]
        length = max(other_high - low, high - other_low, 0) // self._step(call) + 1
        if length > self.rules.max_range:
            reason = f"range() may make {length} numbers; at most {self.rules.max_range} are allowed."
            raise CypherRefused(reason, rule="range", position=call.pos, hint="Use a shorter range.")
        measured = any(isinstance(node, Function) and node.name in _MEASURES for node in walk(call))
        return 1 if measured else length

    def _step(self, call: Function) -> int:
        bounds = self._bounds(call.args[2]) if len(call.args) > 2 else None
        return max(1, min(abs(bounds[0]), abs(bounds[1]))) if bounds and bounds[0] * bounds[1] > 0 else 1

    def _bounds(self, node: Expr, depth: int = 0) -> Bounds | None:
        """Return the least and greatest integer an expression can be, or None when that is not known."""
        if depth > self.rules.max_depth:
            return None
        if isinstance(node, Literal | Parameter):
            value = node.value if isinstance(node, Literal) else self.params.get(node.name)
            return (value, value) if type(value) is int else None
        if isinstance(node, Function):
            return (0, self.rules.max_range - 2) if node.name in _MEASURES else None
        if isinstance(node, Sign):
            inner = self._bounds(node.operand, depth + 1)
            return (-inner[1], -inner[0]) if inner and node.signs.count("-") % 2 else inner
        if isinstance(node, Variable):
            return self._of_name(node.name, depth)
        return self._of_chain(node, depth) if isinstance(node, Binary) else None

    def _of_name(self, name: str, depth: int) -> Bounds | None:
        if name in self._unknown or len(self._named.get(name, [])) != 1:
            return None
        return self._bounds(self._named[name][0], depth + 1)

    def _of_chain(self, node: Binary, depth: int) -> Bounds | None:
        found = [self._bounds(operand, depth + 1) for operand in node.operands]
        total = found[0]
        for op, other in zip(node.ops, found[1:], strict=True):
            if total is None or other is None:
                return None
            total = _combined(op, total, other)
        return total


def _combined(op: str, left: Bounds, right: Bounds) -> Bounds | None:
    if op == "+":
        return left[0] + right[0], left[1] + right[1]
    if op == "-":
        return left[0] - right[1], left[1] - right[0]
    if op in ("/", "%") and right[0] > 0:
        return min(left[0], 0), max(left[1], 0)
    return None
