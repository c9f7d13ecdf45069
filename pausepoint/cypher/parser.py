"""The read language of Cypher 5 and 25.

What is not here is refused: there is no rule for anything that writes, administers, loads, calls procedures or leaves
the database.
"""

from pausepoint.cypher.ast import (
    Braced,
    CallSubquery,
    Clause,
    Conditional,
    Filter,
    Finish,
    Let,
    Match,
    PageClause,
    PatternBody,
    Projection,
    Query,
    SingleQuery,
    Union,
    Unwind,
    WhenBranch,
)
from pausepoint.cypher.keywords import FORBIDDEN_CLAUSES, READ_CLAUSES
from pausepoint.cypher.lexer import Token
from pausepoint.cypher.parser_projections import ProjectionParser


def parse(tokens: list[Token], max_depth: int, source: str) -> Query:
    """Read a whole query.

    Args:
        tokens: What `tokenize` returned.
        max_depth: How deep brackets may nest.
        source: The text the tokens came from; names of columns are taken from it.

    Raises:
        CypherRefused: The text is not one reading query.
    """
    parser = Parser(tokens, max_depth, source)
    query = parser.query()
    parser.finish()
    return query


class Parser(ProjectionParser):
    """Reads clauses and queries."""

    def finish(self) -> None:
        """Check that nothing but one semicolon stands behind the query."""
        if self.accept(";") and self.token.kind != "end":
            self.refuse(
                "Only one statement is allowed.", "multi-statement", hint="Remove everything behind ';'."
            )
        if self.token.kind != "end":
            self._not_a_clause()

    def query(self) -> Query:
        """Read unions joined by NEXT."""
        pos = self.token.pos
        parts = [self._union()]
        while self.accept("NEXT"):
            parts.append(self._union())
        return Query(parts, pos=pos)

    def _union(self) -> Union:
        pos = self.token.pos
        branches = [self._branch()]
        ops: list[str] = []
        while self.accept("UNION"):
            ops.append("UNION ALL" if self.accept("ALL", "DISTINCT") == "ALL" else "UNION")
            branches.append(self._branch())
        return Union(branches, ops, pos=pos)

    def _branch(self) -> SingleQuery | Braced | Conditional:
        if self.token.key == "WHEN":
            return self._conditional()
        return self._braced() if self.token.key == "{" else self._single()

    def _braced(self) -> Braced:
        pos = self.expect("{").pos
        query = self.query()
        self.expect("}")
        return Braced(query, pos=pos)

    def _conditional(self) -> Conditional:
        pos = self.token.pos
        branches: list[WhenBranch] = []
        while self.token.key == "WHEN":
            start = self.advance().pos
            condition = self.expression()
            self.expect("THEN")
            branches.append(WhenBranch(condition, self._simple_branch(), pos=start))
        if self.token.key == "ELSE":
            start = self.advance().pos
            branches.append(WhenBranch(None, self._simple_branch(), pos=start))
        return Conditional(branches, pos=pos)

    def _simple_branch(self) -> SingleQuery | Braced:
        return self._braced() if self.token.key == "{" else self._single()

    def _single(self) -> SingleQuery:
        pos = self.token.pos
        clauses = [self._clause()]
        while self._clause_ahead():
            self._nothing_behind_return(clauses[-1])
            clauses.append(self._clause())
        return SingleQuery(clauses, pos=pos)

    def _nothing_behind_return(self, last: Clause) -> None:
        if isinstance(last, Finish) or (isinstance(last, Projection) and last.keyword == "RETURN"):
            self.refuse(
                f"{self.token.text!r} stands behind RETURN.",
                "syntax",
                hint="RETURN comes last; use WITH before.",
            )

    def _clause_ahead(self) -> bool:
        return self.token.kind == "name" and self.token.key in READ_CLAUSES

    def _clause(self) -> Clause:
        token = self.token
        if token.kind != "name" or token.key not in READ_CLAUSES:
            self._not_a_clause()
        self.advance()
        if token.key == "OPTIONAL":
            return self._optional(token.pos)
        if token.key == "MATCH":
            return self._match(False, token.pos)
        if token.key in ("WITH", "RETURN"):
            return self.projection(token.key, token.pos)
        if token.key == "CALL":
            return self._call_subquery(False, token.pos)
        return self._small_clause(token)

    def _small_clause(self, token: Token) -> Clause:
        if token.key == "UNWIND":
            value = self.expression()
            self.expect("AS")
            return Unwind(value, self.name("a variable"), pos=token.pos)
        if token.key == "LET":
            return Let(self.let_items(), pos=token.pos)
        if token.key == "FILTER":
            self.accept("WHERE")
            return Filter(self.expression(), pos=token.pos)
        if token.key == "FINISH":
            return Finish(pos=token.pos)
        self.index -= 1
        self.token = token
        return PageClause(self.page(), pos=token.pos)

    def _not_a_clause(self) -> None:
        token = self.token
        rule, reason, hint = FORBIDDEN_CLAUSES.get(token.key, ("", "", ""))
        if rule:
            self.refuse(f"{token.text.upper()} is not allowed: {reason}.", rule, token, hint)
        self.unexpected("a reading clause such as MATCH, WITH or RETURN")

    def _optional(self, pos: int) -> Clause:
        if self.accept("MATCH"):
            return self._match(True, pos)
        self.expect("CALL")
        return self._call_subquery(True, pos)

    def _match(self, optional: bool, pos: int) -> Match:
        mode = self._match_mode()
        paths = self.paths()
        if self.token.key in ("USING", "SEARCH"):
            self._not_a_clause()
        where = self.expression() if self.accept("WHERE") else None
        return Match(optional, mode, paths, where, pos=pos)

    def _match_mode(self) -> str:
        if self.token.key == "REPEATABLE" and self.peek().key in ("ELEMENT", "ELEMENTS"):
            self.advance()
            self.advance()
            self.accept("BINDINGS")
            return "REPEATABLE ELEMENTS"
        if self.token.key == "DIFFERENT" and self.peek().key in ("RELATIONSHIP", "RELATIONSHIPS"):
            self.advance()
            self.advance()
            self.accept("BINDINGS")
            return "DIFFERENT RELATIONSHIPS"
        return ""

    def _call_subquery(self, optional: bool, pos: int) -> CallSubquery:
        scope: list[str] | None = None
        if self.token.key == "(":
            scope = self._scope()
        if self.token.key != "{":
            self.refuse(
                "Procedures are not allowed.", "procedure", hint="Use MATCH; only CALL { ... } may be called."
            )
        self.advance()
        query = self.query()
        self.expect("}")
        if self.accept("IN"):
            self.refuse("IN TRANSACTIONS is not allowed.", "write", hint="Remove it.")
        return CallSubquery(optional, scope, query, pos=pos)

    def _scope(self) -> list[str]:
        self.expect("(")
        empty = self.token.key == ")"
        scope = ["*"] if self.accept("*") else [] if empty else self.names("a variable")
        self.expect(")")
        return scope

    def subquery_body(self) -> PatternBody | None:
        """Read the short body of a subquery, or return None when a full query stands here."""
        pos = self.token.pos
        full = self.token.kind == "name" and self.token.key in READ_CLAUSES and self.peek().key != "="
        if full or self.token.key in ("{", "WHEN", *FORBIDDEN_CLAUSES):
            return None
        mode = self._match_mode()
        paths = self.paths()
        where = self.expression() if self.accept("WHERE") else None
        return PatternBody(mode, paths, where, pos=pos)
