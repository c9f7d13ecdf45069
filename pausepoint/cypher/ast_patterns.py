"""Nodes of graph patterns."""

from dataclasses import dataclass

from pausepoint.cypher.ast_base import Expr, Node
from pausepoint.cypher.ast_expressions import MapLiteral


@dataclass(slots=True)
class LabelName(Node):
    """A label or a relationship type."""

    name: str


@dataclass(slots=True)
class LabelAny(Node):
    """`%`."""


@dataclass(slots=True)
class LabelDynamic(Node):
    """`$(expression)`, `$any(...)`, `$all(...)`."""

    kind: str
    value: Expr


@dataclass(slots=True)
class LabelNot(Node):
    """`!label` repeated `count` times."""

    count: int
    operand: "LabelExpr"


@dataclass(slots=True)
class LabelChain(Node):
    """`A & B`, `A:B` or `A | B`; `op` tells which."""

    op: str
    operands: list["LabelExpr"]


LabelExpr = LabelName | LabelAny | LabelDynamic | LabelNot | LabelChain


@dataclass(slots=True)
class NodePattern(Node):
    """`(n:Label {key: value} WHERE c)`."""

    variable: str | None = None
    labels: LabelExpr | None = None
    properties: MapLiteral | None = None
    where: Expr | None = None


@dataclass(slots=True)
class Hops(Node):
    """`low` to `high` repetitions; None means open."""

    low: int | None
    high: int | None


@dataclass(slots=True)
class RelPattern(Node):
    """`<-[r:TYPE*1..3 {key: value} WHERE c]-`; `quantifier` stands behind the arrow."""

    left: bool = False
    right: bool = False
    variable: str | None = None
    types: LabelExpr | None = None
    length: Hops | None = None
    properties: MapLiteral | None = None
    where: Expr | None = None
    quantifier: Hops | None = None


@dataclass(slots=True)
class GroupPattern(Node):
    """A parenthesised path, repeated when it has a quantifier."""

    path: "Path"
    where: Expr | None = None
    quantifier: Hops | None = None


Element = NodePattern | RelPattern | GroupPattern


@dataclass(slots=True)
class Path(Node):
    """`p = SELECTOR (a)-[r]->(b)`; `shortest` is `shortestPath`, `allShortestPaths` or empty."""

    elements: list[Element]
    variable: str | None = None
    selector: str = ""
    shortest: str = ""
