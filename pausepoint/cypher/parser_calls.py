"""Calls of functions and what looks like one: quantifiers, reduce, trim, CASE."""

from pausepoint.cypher.ast import (
    Case,
    CaseBranch,
    CountStar,
    Expr,
    Function,
    MapEntry,
    MapProjection,
    OperatorTest,
    PatternExpr,
    ProjectedName,
    Quantifier,
    Reduce,
    Trim,
    Variable,
    WordTest,
)
from pausepoint.cypher.functions import canonical_function
from pausepoint.cypher.parser_expressions import ExpressionParser

_COMPARISONS = ("=", "<>", "<", ">", "<=", ">=")
_TRIM_SIDES = ("LEADING", "TRAILING", "BOTH")


class CallParser(ExpressionParser):
    """Reads what starts with a name."""

    def special_call(self, key: str) -> Expr | None:
        """Read a call with a grammar of its own, or return None when it is an ordinary one."""
        if key in ("ALL", "ANY", "NONE", "SINGLE") and self.at_name(2) and self.peek(3).key == "IN":
            return self._quantifier()
        if key in ("REDUCE", "ALLREDUCE") and self.peek(3).key == "=":
            return self._reduce()
        if key == "COUNT" and self.peek(2).key == "*" and self.peek(3).key == ")":
            pos = self.token.pos
            self.accept_words("COUNT", "(", "*", ")")
            return CountStar(pos=pos)
        if key == "TRIM":
            return self._trim()
        if key in ("SHORTESTPATH", "ALLSHORTESTPATHS"):
            pos = self.token.pos
            return PatternExpr(self.path(), pos=pos)
        return None

    def variable_or_call(self) -> Expr:
        """Read a variable, a map projection or a function call."""
        offset = 1
        while self.peek(offset).key == "." and self.at_name(offset + 1):
            offset += 2
        if self.peek(offset).key == "(" and not (
            offset == 1 and self.token.key in ("IN", "AND", "OR", "XOR", "NOT")
        ):
            return self._call()
        token = self.advance()
        if self.token.key == "{":
            return self._map_projection(token.value, token.pos)
        return Variable(token.value, pos=token.pos)

    def _call(self) -> Expr:
        pos = self.token.pos
        parts = [self.name("a function")]
        while self.accept("."):
            parts.append(self.name("a function"))
        self.expect("(")
        distinct = (
            self.token.key == "DISTINCT" and self.peek().key not in (")", ",", ".") and bool(self.advance())
        )
        if self.token.key == "ALL" and self.peek().key not in (")", ",", ".", "("):
            self.advance()
        args = [] if self.token.key == ")" else self._expressions()
        self.expect(")")
        return Function(canonical_function(".".join(parts)), args, distinct, pos=pos)

    def _expressions(self) -> list[Expr]:
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        return found

    def _quantifier(self) -> Expr:
        token = self.advance()
        self.expect("(")
        variable = self.name("a variable")
        self.expect("IN")
        source = self.expression()
        where = self.expression() if self.accept("WHERE") else None
        self.expect(")")
        return Quantifier(token.key.lower(), variable, source, where, pos=token.pos)

    def _reduce(self) -> Expr:
        token = self.advance()
        bar = self.last_bar.get(self.index, -1)
        self.expect("(")
        accumulator = self.name("a variable")
        self.expect("=")
        init = self.expression()
        self.expect(",")
        variable = self.name("a variable")
        self.expect("IN")
        self.bars.append(bar)
        source = self.expression()
        self.bars.pop()
        self.expect("|")
        step = self.expression()
        condition = self.expression() if token.key == "ALLREDUCE" and self.accept(",") else None
        self.expect(")")
        return Reduce(accumulator, init, variable, source, step, condition, pos=token.pos)

    def _trim(self) -> Expr | None:
        side = self.peek(2).key if self.peek(2).key in _TRIM_SIDES else ""
        if side and self.peek(3).key in (")", ",", "."):
            return None
        pos = self.token.pos
        self.accept_words("TRIM", "(")
        self.accept(side)
        characters = None if self.token.key == "FROM" else self.expression()
        if not side and self.token.key != "FROM":
            return self._plain_trim(characters, pos)
        self.expect("FROM")
        text = self.expression()
        self.expect(")")
        return Trim(side, characters, text, pos=pos)

    def _plain_trim(self, first: Expr | None, pos: int) -> Expr:
        args = [first] if first is not None else []
        while self.accept(","):
            args.append(self.expression())
        self.expect(")")
        return Function("trim", args, pos=pos)

    def case(self) -> Expr:
        """Read CASE up to its END."""
        pos = self.advance().pos
        self.nested += 1
        if self.nested > self.max_depth:
            self.refuse("CASE nests too deep.", "depth")
        subject = None if self.token.key == "WHEN" else self.expression()
        branches = [self._when(subject is not None)]
        while self.token.key == "WHEN":
            branches.append(self._when(subject is not None))
        default = self.expression() if self.accept("ELSE") else None
        self.expect("END")
        self.nested -= 1
        return Case(subject, branches, default, pos=pos)

    def _when(self, has_subject: bool) -> CaseBranch:
        pos = self.expect("WHEN").pos
        tests = [self._case_test(has_subject)]
        while has_subject and self.accept(","):
            tests.append(self._case_test(has_subject))
        self.expect("THEN")
        return CaseBranch(tests, self.expression(), pos=pos)

    def _case_test(self, has_subject: bool) -> Expr | WordTest | OperatorTest:
        pos, key = self.token.pos, self.token.key
        if has_subject and key in _COMPARISONS:
            self.advance()
            return OperatorTest(key, self.expression(), pos=pos)
        if has_subject and (
            key in ("IS", "::", "=~") or (key in ("STARTS", "ENDS") and self.peek().key == "WITH")
        ):
            test = self.test()
            if isinstance(test, WordTest | OperatorTest):
                return test
            self.unexpected("a test")
        return self.expression()

    def _map_projection(self, variable: str, pos: int) -> Expr:
        self.expect("{")
        items: list[ProjectedName | MapEntry] = []
        while self.token.key != "}":
            items.append(self._projected())
            if not self.accept(","):
                break
        self.expect("}")
        return MapProjection(variable, items, pos=pos)

    def _projected(self) -> ProjectedName | MapEntry:
        pos = self.token.pos
        if self.accept("."):
            key = "*" if self.accept("*") else self.name("a property key")
            return ProjectedName(key, True, pos=pos)
        if self.peek().key == ":":
            return self.entry()
        return ProjectedName(self.name("a key"), False, pos=pos)

    def entry(self) -> MapEntry:
        """Read `key: value`."""
        pos = self.token.pos
        key = self.name("a key")
        self.expect(":")
        return MapEntry(key, self.expression(), pos=pos)
