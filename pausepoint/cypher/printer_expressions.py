"""Expressions as text; parentheses stand only where precedence asks for them."""

import math
import re
from collections.abc import Callable
from typing import Any

from pausepoint.cypher import ast
from pausepoint.cypher.comprehension import split_membership
from pausepoint.cypher.functions import canonical_function
from pausepoint.cypher.keywords import RESERVED
from pausepoint.cypher.parser_expressions import ADD, ATOM, COMPARE, NOT, OR, POSTFIX, SIGN, TEST

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN_PARAM = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+")


def quote(name: str) -> str:
    """Return a name, in back-ticks unless it is a plain word that means nothing else."""
    if _PLAIN.fullmatch(name) and name.upper() not in RESERVED:
        return name
    return f"`{name}`"


def quote_param(name: str) -> str:
    """Return `$name`, with back-ticks where needed."""
    return f"${name}" if _PLAIN_PARAM.fullmatch(name) else f"$`{name}`"


class ExpressionPrinter:
    """Prints expressions; patterns and queries come from the classes below it."""

    def __init__(self) -> None:
        self._print: dict[type[ast.Node], Callable[[Any], str]] = {
            ast.Literal: self._literal,
            ast.Parameter: lambda node: quote_param(node.name),
            ast.Variable: lambda node: quote(node.name),
            ast.Postfix: self._postfix,
            ast.Binary: self._binary,
            ast.Not: lambda node: "NOT " * node.count + self.expr(node.operand, COMPARE),
            ast.Sign: lambda node: " ".join(node.signs) + self.expr(node.operand, POSTFIX),
            ast.Predicate: self._predicate,
            ast.ListLiteral: self._list,
            ast.MapLiteral: lambda node: "{" + ", ".join(map(self._entry, node.entries)) + "}",
            ast.MapProjection: self._map_projection,
            ast.ListComprehension: self._list_comprehension,
            ast.Quantifier: self._quantifier,
            ast.Reduce: self._reduce,
            ast.Case: self._case,
            ast.Function: self._function,
            ast.CountStar: lambda node: "count(*)",
            ast.Trim: self._trim,
            ast.PatternExpr: lambda node: self.path(node.path),
            ast.PatternComprehension: self._pattern_comprehension,
            ast.Subquery: self._subquery,
        }

    def query(self, query: ast.Query) -> str:
        """Print a query."""
        raise NotImplementedError

    def patterns(self, mode: str, paths: list[ast.Path], where: ast.Expr | None) -> str:
        """Print match mode, patterns and condition."""
        raise NotImplementedError

    def labels(self, node: ast.LabelExpr, tight: bool = False) -> str:
        """Print a label expression."""
        raise NotImplementedError

    def path(self, path: ast.Path) -> str:
        """Print one path pattern."""
        raise NotImplementedError

    def expr(self, node: ast.Expr, level: int = OR) -> str:
        """Print an expression where `level` or tighter may stand."""
        text = self._print[type(node)](node)
        return f"({text})" if _level(node) < level else text

    def _literal(self, node: ast.Literal) -> str:
        value = node.value
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        if isinstance(value, float) and not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        if isinstance(value, str):
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        return repr(value)

    def _postfix(self, node: ast.Postfix) -> str:
        return self.expr(node.base, ATOM) + "".join(map(self._step, node.steps))

    def _step(self, step: ast.Step) -> str:
        if isinstance(step, ast.PropertyStep):
            return f".{quote(step.key)}"
        if isinstance(step, ast.IndexStep):
            return f"[{self.expr(step.index)}]"
        return f"[{self._optional(step.start)}..{self._optional(step.end)}]"

    def _optional(self, node: ast.Expr | None) -> str:
        return self.expr(node) if node is not None else ""

    def _binary(self, node: ast.Binary) -> str:
        first, *rest = (self.expr(operand, node.level + 1) for operand in node.operands)
        return first + "".join(f" {op} {text}" for op, text in zip(node.ops, rest, strict=True))

    def _predicate(self, node: ast.Predicate) -> str:
        return self.expr(node.operand, ADD) + "".join(map(self.test, node.tests))

    def test(self, node: ast.WordTest | ast.OperatorTest | ast.LabelTest) -> str:
        """Print the tail of a predicate."""
        if isinstance(node, ast.WordTest):
            return f" {node.words}"
        if isinstance(node, ast.OperatorTest):
            return f" {node.op} {self.expr(node.operand, ADD)}"
        return f":{self.labels(node.labels, tight=True)}"

    def _list(self, node: ast.ListLiteral) -> str:
        texts = [self.expr(item) for item in node.items]
        if texts and split_membership(node.items[0]):
            texts[0] = f"({texts[0]})"
        return f"[{', '.join(texts)}]"

    def _entry(self, entry: ast.MapEntry) -> str:
        return f"{quote(entry.key)}: {self.expr(entry.value)}"

    def _map_projection(self, node: ast.MapProjection) -> str:
        return f"{quote(node.variable)} {{{', '.join(map(self._projected, node.items))}}}"

    def _projected(self, item: ast.ProjectedName | ast.MapEntry) -> str:
        if isinstance(item, ast.MapEntry):
            return self._entry(item)
        if not item.dotted:
            return quote(item.key)
        return ".*" if item.key == "*" else f".{quote(item.key)}"

    def where(self, where: ast.Expr | None) -> str:
        """Print a condition with its keyword, or nothing."""
        return f" WHERE {self.expr(where)}" if where is not None else ""

    def _list_comprehension(self, node: ast.ListComprehension) -> str:
        result = f" | {self.expr(node.result)}" if node.result is not None else ""
        return f"[{quote(node.variable)} IN {self.expr(node.source, ADD)}{self.where(node.where)}{result}]"

    def _quantifier(self, node: ast.Quantifier) -> str:
        return f"{node.kind}({quote(node.variable)} IN {self.expr(node.source)}{self.where(node.where)})"

    def _reduce(self, node: ast.Reduce) -> str:
        start = f"{quote(node.accumulator)} = {self.expr(node.init)}"
        loop = f"{quote(node.variable)} IN {self.expr(node.source)} | {self.expr(node.step)}"
        if node.condition is None:
            return f"reduce({start}, {loop})"
        return f"allReduce({start}, {loop}, {self.expr(node.condition)})"

    def _case(self, node: ast.Case) -> str:
        subject = f" {self.expr(node.subject)}" if node.subject is not None else ""
        branches = "".join(map(self._when, node.branches))
        default = f" ELSE {self.expr(node.default)}" if node.default is not None else ""
        return f"CASE{subject}{branches}{default} END"

    def _when(self, branch: ast.CaseBranch) -> str:
        tests = ", ".join(self._case_test(test) for test in branch.tests)
        return f" WHEN {tests} THEN {self.expr(branch.value)}"

    def _case_test(self, test: ast.Expr | ast.WordTest | ast.OperatorTest) -> str:
        if isinstance(test, ast.WordTest | ast.OperatorTest):
            return self.test(test).strip()
        return self.expr(test)

    def _function(self, node: ast.Function) -> str:
        distinct = "DISTINCT " if node.distinct else ""
        return f"{canonical_function(node.name)}({distinct}{', '.join(map(self.expr, node.args))})"

    def _trim(self, node: ast.Trim) -> str:
        words = [node.side] if node.side else []
        if node.characters is not None:
            words.append(self.expr(node.characters))
        return f"trim({' '.join([*words, 'FROM', self.expr(node.text)])})"

    def _pattern_comprehension(self, node: ast.PatternComprehension) -> str:
        return f"[{self.path(node.path)}{self.where(node.where)} | {self.expr(node.result)}]"

    def _subquery(self, node: ast.Subquery) -> str:
        body = node.body
        if isinstance(body, ast.Query):
            return f"{node.kind} {{ {self.query(body)} }}"
        return f"{node.kind} {{ {self.patterns(body.mode, body.paths, body.where)} }}"


_LEVELS: dict[type[ast.Node], int] = {
    ast.Not: NOT,
    ast.Predicate: TEST,
    ast.PatternExpr: TEST,
    ast.Sign: SIGN,
    ast.Postfix: POSTFIX,
}


def _level(node: ast.Expr) -> int:
    if isinstance(node, ast.Binary):
        return node.level
    if (
        isinstance(node, ast.Literal)
        and isinstance(node.value, int | float)
        and str(node.value).startswith("-")
    ):
        return SIGN
    if isinstance(node, ast.Predicate) and any(
        isinstance(t, ast.WordTest) and "|" in t.words for t in node.tests
    ):
        return 0
    return _LEVELS.get(type(node), ATOM)
