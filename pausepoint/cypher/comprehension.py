"""Tells `[x IN list ...]`, a comprehension, from a list whose first item is the condition `x IN list`."""

from pausepoint.cypher.ast import Binary, Expr, OperatorTest, Predicate, Variable


def split_membership(expression: Expr) -> tuple[str, Expr] | None:
    """Take `x IN` off the left end of an expression.

    The text `x IN a = b` parses as `(x IN a) = b`; inside `[x IN a = b | x]` it means x over `a = b`. IN binds
    tighter than everything this is applied to, so the leftmost operand is replaced without changing the rest.

    Returns:
        The variable and the list expression, or None when the expression does not start with `x IN`.
    """
    if isinstance(expression, Binary):
        inner = split_membership(expression.operands[0])
        if inner is None:
            return None
        rest = [inner[1], *expression.operands[1:]]
        return inner[0], Binary(expression.level, rest, expression.ops, pos=expression.pos)
    if not isinstance(expression, Predicate) or not isinstance(expression.operand, Variable):
        return None
    first, *more = expression.tests
    if not isinstance(first, OperatorTest) or first.op != "IN":
        return None
    source = Predicate(first.operand, more, pos=first.operand.pos) if more else first.operand
    return expression.operand.name, source
