"""Patterns as text."""

from pausepoint.cypher import ast
from pausepoint.cypher.printer_expressions import ExpressionPrinter, quote


class PatternPrinter(ExpressionPrinter):
    """Prints patterns."""

    def patterns(self, mode: str, paths: list[ast.Path], where: ast.Expr | None) -> str:
        """Print match mode, patterns and condition."""
        return f"{mode} {', '.join(map(self.path, paths))}{self.where(where)}".strip()

    def labels(self, node: ast.LabelExpr, tight: bool = False) -> str:
        """Print a label expression; `tight` puts chains in parentheses."""
        if isinstance(node, ast.LabelName):
            return quote(node.name)
        if isinstance(node, ast.LabelAny):
            return "%"
        if isinstance(node, ast.LabelDynamic):
            return f"${node.kind}({self.expr(node.value)})"
        if isinstance(node, ast.LabelNot):
            return "!" * node.count + self.labels(node.operand, tight=True)
        text = node.op.join(self.labels(operand, tight=True) for operand in node.operands)
        return f"({text})" if tight and node.op != ":" else text

    def path(self, path: ast.Path) -> str:
        """Print one path pattern."""
        start = f"{quote(path.variable)} = " if path.variable is not None else ""
        selector = f"{path.selector} " if path.selector else ""
        body = "".join(map(self._element, path.elements))
        return f"{start}{selector}{f'{path.shortest}({body})' if path.shortest else body}"

    def _element(self, element: ast.Element) -> str:
        if isinstance(element, ast.RelPattern):
            return self._relationship(element)
        if isinstance(element, ast.NodePattern):
            return (
                f"({self._filling(element.variable, element.labels, '', element.properties, element.where)})"
            )
        inner = f"({self.path(element.path)}{self.where(element.where)})"
        return inner + (_braces(element.quantifier) if element.quantifier else "")

    def _relationship(self, rel: ast.RelPattern) -> str:
        length = _stars(rel.length) if rel.length else ""
        inside = self._filling(rel.variable, rel.types, length, rel.properties, rel.where)
        arrow = f"-[{inside}]-" if inside else "--"
        quantifier = _braces(rel.quantifier) if rel.quantifier else ""
        return f"{'<' * rel.left}{arrow}{'>' * rel.right}{quantifier}"

    def _filling(
        self,
        variable: str | None,
        labels: ast.LabelExpr | None,
        length: str,
        properties: ast.MapLiteral | None,
        where: ast.Expr | None,
    ) -> str:
        name = quote(variable) if variable is not None else ""
        label = f":{self.labels(labels)}" if labels is not None else ""
        parts = [name + label + length]
        if properties is not None:
            parts.append(self.expr(properties))
        return " ".join(part for part in [*parts, self.where(where).strip()] if part)


def _stars(hops: ast.Hops) -> str:
    if hops.low is not None and hops.low == hops.high:
        return f"*{hops.low}"
    if hops.low is None and hops.high is None:
        return "*"
    return f"*{'' if hops.low is None else hops.low}..{'' if hops.high is None else hops.high}"


def _braces(hops: ast.Hops) -> str:
    if hops.low == hops.high:
        return f"{{{hops.low}}}"
    return f"{{{hops.low},{'' if hops.high is None else hops.high}}}"
