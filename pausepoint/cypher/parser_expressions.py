"""Operators of expressions, from OR down to `a.b[0]`. Chains are flat, so long ones do not recurse."""

from pausepoint.cypher.ast import (
    Binary,
    Expr,
    IndexStep,
    LabelTest,
    Literal,
    Not,
    OperatorTest,
    Postfix,
    Predicate,
    PropertyStep,
    Sign,
    SliceStep,
    Step,
    WordTest,
)
from pausepoint.cypher.parser_labels import LabelParser
from pausepoint.cypher.types import type_words

OR, XOR, AND, NOT, COMPARE, TEST, ADD, MULTIPLY, POWER, SIGN, POSTFIX, ATOM = range(1, 13)
_CHAINS: dict[int, frozenset[str]] = {
    OR: frozenset({"OR"}),
    XOR: frozenset({"XOR"}),
    AND: frozenset({"AND"}),
    COMPARE: frozenset({"=", "<>", "<", ">", "<=", ">="}),
    ADD: frozenset({"+", "-", "||"}),
    MULTIPLY: frozenset({"*", "/", "%"}),
    POWER: frozenset({"^"}),
}
_NORMAL_FORMS = ("NFC", "NFD", "NFKC", "NFKD")
_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1
_MAX_SIGNS = 32
_ENDS = frozenset({")", "]", "}", ",", "AS", "|"})


class ExpressionParser(LabelParser):
    """Reads operators; atoms come from the class below it."""

    def expression(self) -> Expr:
        """Read an expression of any precedence."""
        return self._climb(OR)

    def atom(self) -> Expr:
        """Read a literal, name, call, bracketed expression or subquery."""
        raise NotImplementedError

    def _climb(self, level: int) -> Expr:
        """Read an operand and then, from tight to loose, the operators behind it that bind at `level` or tighter."""
        pos, start = self.token.pos, POWER
        if self.token.key == "NOT" and level <= NOT:
            left, start = self._not(), AND
        else:
            left = self._sign()
        if self.token.key in _ENDS:
            return left
        for each in range(start, level - 1, -1):
            if each == TEST:
                left = self._tests(left, pos)
            elif self.token.key in _CHAINS.get(each, ()):
                left = self._chain(left, each, pos)
        return left

    def _chain(self, first: Expr, level: int, pos: int) -> Expr:
        operands, ops = [first], list[str]()
        while self.token.key in _CHAINS[level]:
            ops.append(self.advance().key)
            operands.append(self._climb(level + 1))
        return Binary(level, operands, ops, pos=pos)

    def _not(self) -> Expr:
        pos, count = self.token.pos, 0
        while self.accept("NOT"):
            count += 1
        if count > _MAX_SIGNS:
            self.refuse(f"{count} times NOT in a row.", "depth", hint="Write it once or not at all.")
        return Not(count, self._climb(COMPARE), pos=pos)

    def _tests(self, operand: Expr, pos: int) -> Expr:
        tests: list[WordTest | OperatorTest | LabelTest] = []
        while (test := self.test()) is not None:
            tests.append(test)
        return Predicate(operand, tests, pos=pos) if tests else operand

    def test(self) -> WordTest | OperatorTest | LabelTest | None:
        """Read the tail of a predicate (`IS NULL`, `IN x`, `:Label`, ...) when one stands here."""
        pos, key = self.token.pos, self.token.key
        if key == "IN" or key == "CONTAINS":
            self.advance()
            return OperatorTest(key, self._climb(ADD), pos=pos)
        if key in ("STARTS", "ENDS") and self.peek().key == "WITH":
            self.accept_words(key, "WITH")
            return OperatorTest(f"{key} WITH", self._climb(ADD), pos=pos)
        if key == "IS":
            return self._is_test()
        if key == "::":
            self.advance()
            return WordTest(f"IS :: {type_words(self)}", pos=pos)
        if key == ":":
            self.advance()
            return LabelTest(self.label_expression(), pos=pos)
        if key == "=~":
            hint = "Use CONTAINS, STARTS WITH, ENDS WITH or toLower()."
            self.refuse("Regular expressions are not allowed.", "regex", hint=hint)
        return None

    def _is_test(self) -> WordTest | LabelTest:
        pos = self.advance().pos
        negated = "NOT " if self.token.key == "NOT" and self.accept("NOT") else ""
        if self.accept("NULL"):
            return WordTest(f"IS {negated}NULL", pos=pos)
        if self.accept("::", "TYPED"):
            return WordTest(f"IS {negated}:: {type_words(self)}", pos=pos)
        form = self.accept(*_NORMAL_FORMS) if self.peek().key == "NORMALIZED" else ""
        if self.accept("NORMALIZED"):
            return WordTest(f"IS {negated}{form + ' ' if form else ''}NORMALIZED", pos=pos)
        if negated:
            self.unexpected("NULL, NORMALIZED or a type")
        return LabelTest(self.label_expression(), pos=pos)

    def _sign(self) -> Expr:
        token, signs = self.token, ""
        while sign := self.accept("+", "-"):
            signs += sign
        if len(signs) > _MAX_SIGNS:
            self.refuse(f"{len(signs)} signs in a row.", "depth", token, "Write one or none.")
        operand = self.postfix()
        value = operand.value if isinstance(operand, Literal) else None
        if signs[-1:] == "-" and isinstance(value, int | float) and not isinstance(value, bool):
            operand, signs = Literal(-value, pos=token.pos), signs[:-1]
        self._check_range(operand)
        return Sign(signs, operand, pos=token.pos) if signs else operand

    def _check_range(self, operand: Expr) -> None:
        value = operand.value if isinstance(operand, Literal) else None
        if isinstance(value, int) and not _INT_MIN <= value <= _INT_MAX:
            self.refuse(f"The number {value} is too large.", "number", hint="Use 64 bits.")

    def postfix(self) -> Expr:
        """Read an atom and the property, index and slice steps behind it."""
        pos = self.token.pos
        base = self.atom()
        steps: list[Step] = []
        while self.token.key in (".", "["):
            steps.append(self._step())
        return Postfix(base, steps, pos=pos) if steps else base

    def _step(self) -> Step:
        token = self.advance()
        if token.key == ".":
            return PropertyStep(self.name("a property key"), pos=token.pos)
        start = None if self.token.key == ".." else self.expression()
        if not self.accept(".."):
            self.expect("]")
            assert start is not None
            return IndexStep(start, pos=token.pos)
        end = None if self.token.key == "]" else self.expression()
        self.expect("]")
        return SliceStep(start, end, pos=token.pos)
