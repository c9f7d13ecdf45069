"""Label expressions: `A`, `A:B`, `A|B`, `(A&!B)|%`, `$(name)`."""

from pausepoint.cypher.ast import LabelAny, LabelChain, LabelDynamic, LabelExpr, LabelName, LabelNot
from pausepoint.cypher.cursor import Cursor


class LabelParser(Cursor):
    """Reads what stands behind `:` or `IS`."""

    def label_expression(self) -> LabelExpr:
        """Read a label expression, from behind its `:` or `IS`."""
        return self._label_or()

    def _label_or(self) -> LabelExpr:
        pos = self.token.pos
        operands = [self._label_and()]
        while self.token.key == "|" and self.index not in self.bars:
            self.advance()
            self.accept(":")
            operands.append(self._label_and())
        return operands[0] if len(operands) == 1 else LabelChain("|", operands, pos=pos)

    def _label_and(self) -> LabelExpr:
        pos = self.token.pos
        operands = [self._label_not()]
        op = ""
        while self.token.key in ("&", ":"):
            if op not in ("", self.token.key):
                self.refuse("':' and '&' are mixed between labels.", "syntax", hint="Use '&' only.")
            op = self.advance().key
            operands.append(self._label_not())
        return operands[0] if len(operands) == 1 else LabelChain(op, operands, pos=pos)

    def _label_not(self) -> LabelExpr:
        pos, count = self.token.pos, 0
        while self.accept("!"):
            count += 1
        atom = self._label_atom()
        return LabelNot(count, atom, pos=pos) if count else atom

    def _label_atom(self) -> LabelExpr:
        token = self.token
        if self.accept("("):
            inner = self._label_or()
            self.expect(")")
            return inner
        if self.accept("%"):
            return LabelAny(pos=token.pos)
        if token.key == "$" or (token.kind == "param" and self.peek().key == "("):
            return self._dynamic()
        return LabelName(self.name("a label or type"), pos=token.pos)

    def _dynamic(self) -> LabelDynamic:
        token = self.advance()
        kind = str(token.value).lower() if token.kind == "param" else self.accept("ANY", "ALL").lower()
        if kind not in ("", "any", "all"):
            self.refuse(f"Unexpected {token.text!r} as a label.", "syntax", token)
        self.expect("(")
        value = self.expression()
        self.expect(")")
        return LabelDynamic(kind, value, pos=token.pos)
