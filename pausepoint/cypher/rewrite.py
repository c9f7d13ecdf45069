"""Rewriting a tree in place, and the forms that are rewritten because newer databases no longer take them."""

from collections.abc import Callable
from typing import Any, cast

from pausepoint.cypher.ast import (
    Expr,
    Function,
    Node,
    PatternBody,
    PatternExpr,
    Postfix,
    Predicate,
    Query,
    Subquery,
    WordTest,
    field_names,
)


def transform(node: Node, change: Callable[[Node], Node]) -> Node:
    """Replace nodes from the leaves up; `change` returns its argument to keep a node."""
    for name in field_names(node):
        value: Any = getattr(node, name)
        if isinstance(value, Node):
            setattr(node, name, transform(value, change))
        elif isinstance(value, list) and value and isinstance(value[0], Node):
            setattr(node, name, [transform(item, change) for item in cast("list[Node]", value)])
    return change(node)


def modernise(query: Query) -> list[str]:
    """Turn `exists(n.x)`, `exists((a)--(b))` and `size((a)--(b))` into their present forms."""
    changes: list[str] = []

    def change(node: Node) -> Node:
        newer = _modern(node) if isinstance(node, Function) else node
        if newer is not node:
            changes.append("old forms of exists() and size() rewritten")
        return newer

    transform(query, change)
    return changes


def _modern(call: Function) -> Expr:
    if len(call.args) != 1:
        return call
    argument, name = call.args[0], call.name.lower()
    if isinstance(argument, PatternExpr) and not argument.path.shortest and name in ("exists", "size"):
        kind = "EXISTS" if name == "exists" else "COUNT"
        return Subquery(kind, PatternBody("", [argument.path], None, pos=call.pos), pos=call.pos)
    if name == "exists" and isinstance(argument, Postfix):
        return Predicate(argument, [WordTest("IS NOT NULL", pos=call.pos)], pos=call.pos)
    return call
