"""How often each value an expression reads can occur inside the value it makes."""

from collections import Counter

from pausepoint.cypher.ast import (
    Binary,
    Case,
    Expr,
    Function,
    IndexStep,
    ListComprehension,
    ListLiteral,
    Literal,
    MapEntry,
    MapLiteral,
    MapProjection,
    PatternComprehension,
    Postfix,
    PropertyStep,
    Reduce,
    Trim,
    Variable,
)
from pausepoint.cypher.parser_expressions import ADD

Counts = Counter[tuple[str, str]]

# A value read in the body of a loop is repeated as often as the loop runs; counted as this many times.
_LOOPED = 64
_GROWING = frozenset(
    {"coalesce", "head", "last", "tail", "reverse", "collect", "tostring", "trim", "max", "min"}
)
_AMPLIFYING = frozenset({"replace", "split"})
_WHOLE = "*"


def repetitions_of(node: Expr, variable: str) -> int:
    """How often a variable, or the most repeated part of it, occurs in the value of an expression."""
    counts = {part: n for (name, part), n in repetitions(node).items() if name == variable}
    whole = counts.pop(_WHOLE, 0)
    return whole + max(counts.values(), default=0)


def repetitions(node: Expr | None) -> Counts:
    """Count, for each variable and part of it (a key, `*` for all), its occurrences in the value."""
    if isinstance(node, Variable):
        return Counter({(node.name, _WHOLE): 1})
    if isinstance(node, Postfix):
        return _of_part(node)
    if isinstance(node, Binary):
        return _sum(node.operands) if node.level == ADD and "-" not in node.ops else Counter()
    if isinstance(node, ListLiteral):
        return _sum(node.items)
    if isinstance(node, MapLiteral):
        return _sum([entry.value for entry in node.entries])
    if isinstance(node, MapProjection):
        return _sum([item.value for item in node.items if isinstance(item, MapEntry)])
    if isinstance(node, Case):
        return _most([branch.value for branch in node.branches] + ([node.default] if node.default else []))
    if isinstance(node, Function):
        return _of_function(node)
    return _of_loop(node)


def _of_part(node: Postfix) -> Counts:
    step = node.steps[0]
    if not isinstance(node.base, Variable):
        return repetitions(node.base)
    if isinstance(step, PropertyStep):
        return Counter({(node.base.name, f".{step.key}"): 1})
    if isinstance(step, IndexStep) and isinstance(step.index, Literal):
        return Counter({(node.base.name, f"[{step.index.value}]"): 1})
    return Counter({(node.base.name, _WHOLE): 1})


def _of_function(node: Function) -> Counts:
    if node.name.lower() in _GROWING:
        return _sum(node.args)
    if node.name.lower() in _AMPLIFYING:
        return _times(_sum(node.args), 2)
    return Counter()


def _of_loop(node: Expr | None) -> Counts:
    if isinstance(node, Trim):
        return repetitions(node.text)
    if isinstance(node, ListComprehension):
        inner = repetitions(node.result)
        own = sum(n for (name, _), n in inner.items() if name == node.variable)
        return _times(repetitions(node.source), max(1, own)) + _times(_without(inner, node.variable), _LOOPED)
    if isinstance(node, Reduce):
        inner = _without(_without(repetitions(node.step), node.variable), node.accumulator)
        return repetitions(node.source) + repetitions(node.init) + _times(inner, _LOOPED)
    if isinstance(node, PatternComprehension):
        return (
            _times(repetitions(node.result), _LOOPED)
            if isinstance(node.result, Binary | ListLiteral)
            else Counter()
        )
    return Counter()


def _sum(nodes: list[Expr]) -> Counts:
    total: Counts = Counter()
    for node in nodes:
        total += repetitions(node)
    return total


def _most(nodes: list[Expr]) -> Counts:
    total: Counts = Counter()
    for node in nodes:
        total |= repetitions(node)
    return total


def _times(counts: Counts, factor: int) -> Counts:
    return Counter({key: n * factor for key, n in counts.items()})


def _without(counts: Counts, variable: str) -> Counts:
    return Counter({key: n for key, n in counts.items() if key[0] != variable})
