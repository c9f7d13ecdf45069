"""Conditions that can fail must not be tried on other tenants' data.

A database may test `WHERE 1 / (n.x - 7) > 0` before it tests whose node it is; then an error, or none, tells about nodes
of others. Such conditions are put behind the tenant with CASE, which databases evaluate in order. Conditions that
cannot fail stay as they are, so that indexes serve them.
"""

from typing import Literal as Choice

from pausepoint.cypher.ast import (
    Binary,
    Case,
    CaseBranch,
    Clause,
    Expr,
    GroupPattern,
    LabelTest,
    ListLiteral,
    Literal,
    MapLiteral,
    Match,
    Node,
    NodePattern,
    Not,
    OperatorTest,
    Page,
    Parameter,
    Path,
    PatternBody,
    PatternExpr,
    Postfix,
    Predicate,
    Projection,
    PropertyStep,
    Quantifier,
    Query,
    RelPattern,
    SingleQuery,
    Subquery,
    Variable,
    walk,
)
from pausepoint.cypher.parser_expressions import AND, COMPARE

Binding = Choice["node", "rel", "nodes", "rels", "path"]
_REPEATED: dict[Binding, Binding] = {"node": "nodes", "rel": "rels"}


def bindings(path: Path) -> dict[str, Binding]:
    """Return the variables of a path and what each stands for."""
    found: dict[str, Binding] = {}
    if path.variable is not None:
        found[path.variable] = "path"
    for element in path.elements:
        if isinstance(element, GroupPattern):
            inner = bindings(element.path)
            repeated = element.quantifier is not None
            for name, kind in inner.items():
                found[name] = _REPEATED.get(kind, kind) if repeated else kind
        elif element.variable is not None:
            found[element.variable] = _kind(element)
    return found


def _kind(element: NodePattern | RelPattern) -> Binding:
    if isinstance(element, NodePattern):
        return "node"
    return "rels" if element.length or element.quantifier else "rel"


def split(where: Expr) -> tuple[list[Expr], list[Expr]]:
    """Split a condition at its ANDs into those that cannot fail and those that can."""
    is_and = isinstance(where, Binary) and where.level == AND
    conditions = where.operands if isinstance(where, Binary) and is_and else [where]
    safe = [condition for condition in conditions if is_condition(condition)]
    return safe, [condition for condition in conditions if not is_condition(condition)]


def behind(owned: Expr, condition: Expr, each: str) -> Expr:
    """Return a condition that is only tried where `owned` holds; `each` is a name the query does not use.

    With subqueries or list predicates in it the condition goes into a list predicate: inside CASE the embedded engine
    does not find the variables of subqueries, and misjudges list predicates.
    """
    parts = (node for whole in (owned, condition) for node in walk(whole))
    if not any(isinstance(node, Subquery | Quantifier | PatternExpr) for node in parts):
        return Case(None, [CaseBranch([owned], condition)], Literal(False), pos=condition.pos)
    once = Case(None, [CaseBranch([owned], ListLiteral([Literal(True)]))], ListLiteral([]))
    return Quantifier("any", each, once, condition, pos=condition.pos)


def is_condition(node: Expr) -> bool:
    """Whether an expression is a truth value that comes about without a chance of failing."""
    if isinstance(node, Binary):
        if node.level == COMPARE:
            return all(map(is_value, node.operands))
        return node.level <= AND and all(map(is_condition, node.operands))
    if isinstance(node, Not):
        return is_condition(node.operand)
    if isinstance(node, Predicate):
        return is_value(node.operand) and all(map(_is_test, node.tests))
    if isinstance(node, Quantifier):
        return node.added
    if isinstance(node, PatternExpr):
        return is_pattern(node.path)
    if isinstance(node, Subquery):
        return node.kind == "EXISTS" and _is_body(node.body)
    return isinstance(node, Literal) and isinstance(node.value, bool)


def _is_body(body: Query | PatternBody) -> bool:
    """Whether a subquery is nothing but patterns and conditions that cannot fail."""
    if isinstance(body, PatternBody):
        return all(map(is_pattern, body.paths)) and (body.where is None or is_condition(body.where))
    only = body.parts[0].branches[0]
    if len(body.parts) > 1 or len(body.parts[0].branches) > 1 or not isinstance(only, SingleQuery):
        return False
    return all(map(_is_harmless, only.clauses))


def _is_harmless(clause: Clause) -> bool:
    if isinstance(clause, Projection):
        plain = clause.keyword == "RETURN" and clause.page == Page()
        return plain and all(is_value(item.value) for item in clause.items)
    if not isinstance(clause, Match):
        return False
    return all(map(is_pattern, clause.paths)) and (clause.where is None or is_condition(clause.where))


def is_value(node: Expr) -> bool:
    """Whether an expression has its value without a chance of failing."""
    if isinstance(node, Postfix):
        property_only = len(node.steps) == 1 and isinstance(node.steps[0], PropertyStep)
        return property_only and isinstance(node.base, Variable)
    if isinstance(node, ListLiteral):
        return all(map(is_value, node.items))
    return isinstance(node, Literal | Parameter | Variable) or is_condition(node)


def _is_test(test: Node) -> bool:
    if isinstance(test, OperatorTest):
        if test.op == "IN":
            return isinstance(test.operand, ListLiteral | Parameter) and is_value(test.operand)
        return is_value(test.operand)
    return not isinstance(test, LabelTest) or all(not isinstance(part, Expr) for part in walk(test))


def is_pattern(path: Path) -> bool:
    """Whether a pattern holds nothing but values that cannot fail."""
    for element in path.elements:
        if isinstance(element, GroupPattern):
            if not is_pattern(element.path) or (
                element.where is not None and not is_condition(element.where)
            ):
                return False
            continue
        if element.where is not None and not is_condition(element.where):
            return False
        if not is_safe_map(element.properties):
            return False
    return True


def is_safe_map(properties: MapLiteral | None) -> bool:
    """Whether the values of a pattern's map cannot fail."""
    return properties is None or all(is_value(entry.value) for entry in properties.entries)
