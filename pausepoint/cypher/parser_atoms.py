"""Atoms of expressions: literals, names, calls, lists, maps, comprehensions, CASE, subqueries."""

from pausepoint.cypher.ast import (
    Expr,
    ListComprehension,
    ListLiteral,
    Literal,
    MapEntry,
    MapLiteral,
    Parameter,
    PatternBody,
    PatternComprehension,
    PatternExpr,
    Subquery,
)
from pausepoint.cypher.comprehension import split_membership
from pausepoint.cypher.parser_calls import CallParser

_CONSTANTS: dict[str, bool | float | None] = {
    "TRUE": True,
    "FALSE": False,
    "NULL": None,
    "INF": float("inf"),
    "INFINITY": float("inf"),
    "NAN": float("nan"),
}


class AtomParser(CallParser):
    """Reads atoms; patterns and queries come from the classes below it."""

    def pattern_ahead(self, index: int) -> bool:
        """Whether the `(` at an absolute index starts a pattern with at least one relationship."""
        raise NotImplementedError

    def subquery_body(self) -> "PatternBody | None":
        """Read the short body of a subquery, or return None when a full query stands here."""
        raise NotImplementedError

    def atom(self) -> Expr:
        """Read one atom."""
        token = self.token
        if token.kind in ("int", "float", "string"):
            self.advance()
            return Literal(token.value, pos=token.pos)
        if token.kind == "param":
            self.advance()
            return Parameter(token.value, pos=token.pos)
        if token.kind == "name":
            return self._named(token.key)
        if token.kind == "quoted":
            return self.variable_or_call()
        if token.key == "(":
            return self._parenthesised()
        if token.key == "[":
            return self._bracketed()
        if token.key == "{":
            return self.map_literal()
        self.unexpected("an expression")

    def _named(self, key: str) -> Expr:
        following = self.peek().key
        if key in _CONSTANTS and following != "(":
            return Literal(_CONSTANTS[key], pos=self.advance().pos)
        if key == "CASE" and following not in (")", ",", ".", "]", "}", "="):
            return self.case()
        if following == "{" and key in ("EXISTS", "COUNT", "COLLECT") and self.peek(2).key != ".":
            return self._subquery()
        if following == "(" and (special := self.special_call(key)) is not None:
            return special
        return self.variable_or_call()

    def _parenthesised(self) -> Expr:
        if self.pattern_ahead(self.index):
            return PatternExpr(self.path(), pos=self.token.pos)
        self.advance()
        inner = self.expression()
        self.expect(")")
        return inner

    def _bracketed(self) -> Expr:
        opened = self.index
        token = self.advance()
        if self._pattern_comprehension_ahead(opened):
            return self._pattern_comprehension(opened, token.pos)
        if self.accept("]"):
            return ListLiteral([], pos=token.pos)
        separator = self.last_bar.get(opened, -1)
        membership = self.at_name() and self.peek().key == "IN"
        self.bars.append(separator)
        first = self.expression()
        if membership and self.token.key in ("WHERE", "|", "]") and (split := split_membership(first)):
            return self._list_comprehension(split, token.pos)
        self.bars.pop()
        items = [first]
        while self.accept(","):
            items.append(self.expression())
        self.expect("]")
        return ListLiteral(items, pos=token.pos)

    def _list_comprehension(self, split: tuple[str, Expr], pos: int) -> Expr:
        where = self.expression() if self.accept("WHERE") else None
        self.bars.pop()
        result = self.expression() if self.accept("|") else None
        self.expect("]")
        return ListComprehension(split[0], split[1], where, result, pos=pos)

    def _pattern_comprehension_ahead(self, opened: int) -> bool:
        named = self.at_name() and self.peek().key == "=" and self.peek(2).key == "("
        start = self.index + 2 if named else self.index
        has_bar = self.last_bar.get(opened, -1) > start
        return has_bar and self.key_at(start) == "(" and self.pattern_ahead(start)

    def _pattern_comprehension(self, opened: int, pos: int) -> Expr:
        self.bars.append(self.last_bar[opened])
        path = self.path()
        where = self.expression() if self.accept("WHERE") else None
        self.bars.pop()
        self.expect("|")
        result = self.expression()
        self.expect("]")
        return PatternComprehension(path, where, result, pos=pos)

    def map_literal(self) -> MapLiteral:
        """Read `{key: value, ...}`."""
        pos = self.expect("{").pos
        entries: list[MapEntry] = []
        while self.token.key != "}":
            entries.append(self.entry())
            if not self.accept(","):
                break
        self.expect("}")
        return MapLiteral(entries, pos=pos)

    def _subquery(self) -> Expr:
        token = self.advance()
        self.expect("{")
        body = self.subquery_body() or self.query()
        self.expect("}")
        return Subquery(token.key, body, pos=token.pos)
