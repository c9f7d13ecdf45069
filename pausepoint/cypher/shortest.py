"""Shortest paths within a tenant.

An engine that searches first and filters afterwards finds a shorter path through other tenants, drops it, and answers
nothing. So `shortestPath` is spelt out: a path of the tenant such that no shorter one exists, and of equally short
ones the first by the ids of its relationships.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy

from pausepoint.cypher.ast import (
    Binary,
    Expr,
    Function,
    GroupPattern,
    Hops,
    Literal,
    NodePattern,
    Not,
    Path,
    PatternBody,
    Reduce,
    RelPattern,
    Subquery,
    Variable,
)
from pausepoint.cypher.names import FreshNames
from pausepoint.cypher.parser_expressions import ADD, AND, COMPARE, OR

Own = Callable[[NodePattern], NodePattern]


def enumerate_shortest(path: Path, names: FreshNames, owned: Own) -> list[Expr]:
    """Turn a shortestPath into an ordinary path, in place, and return the conditions that keep the shortest.

    The path becomes a quantified group, whose inner nodes are patterns with the tenant: engines prune those early.

    Args:
        path: A path of two nodes and one relationship, with a variable.
        names: Where new names come from.
        owned: Puts the tenant into a node pattern.
    """
    start, rel, end = path.elements
    assert isinstance(start, NodePattern) and isinstance(rel, RelPattern) and isinstance(end, NodePattern)
    for node in (start, end):
        node.variable = node.variable or names.new("end")
    hops = rel.length or Hops(1, 1)
    rel.length, low = None, 1 if hops.low is None else hops.low
    single, path.shortest = path.shortest == "shortestPath", ""
    path.elements = [start, _repeated(rel, Hops(low, hops.high), owned), end]
    other = _other_path(start, rel, end, Hops(low, hops.high), owned)
    other.variable = names.reserve("other")
    ends = Binary(COMPARE, [Variable(start.variable or ""), Variable(end.variable or "")], ["<>"])
    rival = Subquery("EXISTS", PatternBody("", [other], _before(other, path, single, names)))
    return [ends, Not(1, rival)] if low else [Not(1, rival)]


def _repeated(rel: RelPattern, hops: Hops, owned: Own) -> GroupPattern:
    return GroupPattern(Path([owned(NodePattern()), rel, owned(NodePattern())]), None, hops, pos=rel.pos)


def _other_path(start: NodePattern, rel: RelPattern, end: NodePattern, hops: Hops, owned: Own) -> Path:
    """Return a path between the same nodes, along the same kind of relationships."""
    ends = [owned(NodePattern(node.variable)) for node in (start, end)]
    other = deepcopy(rel)
    other.variable = None
    return Path([ends[0], _repeated(other, hops, owned), ends[1]])


def _before(other: Path, path: Path, single: bool, names: FreshNames) -> Expr:
    lengths: list[Expr] = [Function("length", [Variable(each.variable or "")]) for each in (other, path)]
    shorter = Binary(COMPARE, lengths, ["<"])
    if not single:
        return shorter
    same = Binary(COMPARE, deepcopy(lengths), ["="])
    first = Binary(COMPARE, [_ids(other, names), _ids(path, names)], ["<"])
    return Binary(OR, [shorter, Binary(AND, [same, first], ["AND"])], ["OR"])


def _ids(path: Path, names: FreshNames) -> Expr:
    text, each = names.reserve("ids"), names.reserve("rel")
    one = Function("elementId", [Variable(each)])
    step = Binary(ADD, [Variable(text), one, Literal(" ")], ["+", "+"])
    return Reduce(text, Literal(""), each, Function("relationships", [Variable(path.variable or "")]), step)


def is_variable(path: Path) -> bool:
    """Whether a path passes nodes that no pattern names."""
    return bool(path.shortest) or any(rel.length for rel in rels(path))


def rels(path: Path) -> list[RelPattern]:
    """Return the relationship patterns of a path, those of its groups included."""
    found: list[RelPattern] = []
    for element in path.elements:
        if isinstance(element, RelPattern):
            found.append(element)
        elif isinstance(element, GroupPattern):
            found += rels(element.path)
    return found


def conjunction(conditions: list[Expr]) -> Expr:
    """Join conditions by AND into one flat chain."""
    flat: list[Expr] = []
    for condition in conditions:
        is_chain = isinstance(condition, Binary) and condition.level == AND
        flat += condition.operands if isinstance(condition, Binary) and is_chain else [condition]
    return flat[0] if len(flat) == 1 else Binary(AND, flat, ["AND"] * (len(flat) - 1))


def joined(conditions: Sequence[Expr | None]) -> Expr | None:
    """Join the conditions there are by AND; None when there is none."""
    present = [condition for condition in conditions if condition is not None]
    return conjunction(present) if present else None
