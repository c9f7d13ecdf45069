"""The row cap: LIMIT is added to, or lowered in, the last RETURN of every UNION branch."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from pausepoint.cypher.ast import (
    Binary,
    Braced,
    Case,
    CaseBranch,
    Conditional,
    Expr,
    Finish,
    Function,
    Literal,
    Page,
    Parameter,
    PatternComprehension,
    PatternExpr,
    Projection,
    Query,
    SingleQuery,
    Subquery,
    Variable,
    walk,
)
from pausepoint.cypher.errors import CypherRefused
from pausepoint.cypher.parser_expressions import COMPARE
from pausepoint.cypher.rules import GuardRules

_CHANGING = frozenset({"rand", "randomuuid", "timestamp"})


def limit_rows(query: Query, rules: GuardRules, params: Mapping[str, Any]) -> list[str]:
    """Cap the rows of every branch in place; return what was done, in words."""
    for node in walk(query):
        if isinstance(node, Page):
            _check_page(node)
    changes: list[str] = []
    for returned in last_returns(query):
        before = returned.page.limit
        returned.page.limit = _capped(before, rules.max_rows, params)
        if before is None:
            changes.append(f"LIMIT {rules.max_rows} added")
        elif returned.page.limit != before:
            changes.append(f"LIMIT lowered to {rules.max_rows}")
    return changes


def last_returns(query: Query) -> list[Projection]:
    """Return the RETURN clauses whose rows reach the caller; refuses a branch that ends without one."""
    found: list[Projection] = []
    for branch in query.parts[-1].branches:
        found += _returns_of(branch)
    return found


def _returns_of(branch: SingleQuery | Braced | Conditional) -> list[Projection]:
    if isinstance(branch, Braced):
        return last_returns(branch.query)
    if isinstance(branch, Conditional):
        return [found for each in branch.branches for found in _returns_of(each.query)]
    last = branch.clauses[-1]
    if isinstance(last, Finish):
        return []
    if not isinstance(last, Projection) or last.keyword != "RETURN":
        raise CypherRefused(
            "The query returns nothing.", rule="no-return", position=last.pos, hint="End it with RETURN."
        )
    return [last]


def _check_page(page: Page) -> None:
    for value in (page.skip, page.limit):
        for node in walk(value) if value is not None else ():
            if isinstance(node, Variable | Subquery | PatternExpr | PatternComprehension):
                hint = "Use a number or a parameter."
                raise CypherRefused(
                    "SKIP and LIMIT take no data.", rule="limit", position=node.pos, hint=hint
                )


def _capped(limit: Expr | None, rows: int, params: Mapping[str, Any]) -> Expr:
    if limit is None:
        return Literal(rows)
    value = params.get(limit.name) if isinstance(limit, Parameter) else getattr(limit, "value", None)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return limit if isinstance(limit, Literal) and value <= rows else Literal(min(value, rows))
    if isinstance(limit, Literal):
        hint = "Use a whole number."
        raise CypherRefused(
            f"LIMIT {limit.value!r} is not a row count.", rule="limit", position=limit.pos, hint=hint
        )
    return _at_most(limit, rows)


def _at_most(limit: Expr, rows: int) -> Expr:
    for node in walk(limit):
        if isinstance(node, Function) and node.name.lower() in _CHANGING:
            hint = "Use a number or a parameter."
            raise CypherRefused(
                "LIMIT changes from call to call.", rule="limit", position=node.pos, hint=hint
            )
    below = Binary(COMPARE, [limit, Literal(rows)], ["<"])
    return Case(None, [CaseBranch([below], deepcopy(limit))], Literal(rows))
