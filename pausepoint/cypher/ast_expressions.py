"""Nodes with a value."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pausepoint.cypher.ast_base import Expr, Node

if TYPE_CHECKING:
    from pausepoint.cypher.ast_clauses import Query
    from pausepoint.cypher.ast_patterns import LabelExpr, Path


@dataclass(slots=True)
class Literal(Expr):
    """A number, string, boolean, null, or one of the words INF and NaN (value is a float then)."""

    value: str | int | float | bool | None


@dataclass(slots=True)
class Parameter(Expr):
    """`$name`."""

    name: str


@dataclass(slots=True)
class Variable(Expr):
    """A name bound elsewhere."""

    name: str


@dataclass(slots=True)
class PropertyStep(Node):
    """`.key`."""

    key: str


@dataclass(slots=True)
class IndexStep(Node):
    """`[index]`."""

    index: Expr


@dataclass(slots=True)
class SliceStep(Node):
    """`[start..end]`."""

    start: Expr | None
    end: Expr | None


Step = PropertyStep | IndexStep | SliceStep


@dataclass(slots=True)
class Postfix(Expr):
    """A base followed by property, index and slice steps."""

    base: Expr
    steps: list[Step]


@dataclass(slots=True)
class Binary(Expr):
    """A flat chain `a op b op c` of one precedence level, so that long sums stay shallow."""

    level: int
    operands: list[Expr]
    ops: list[str]


@dataclass(slots=True)
class Not(Expr):
    """`NOT` repeated `count` times."""

    count: int
    operand: Expr


@dataclass(slots=True)
class Sign(Expr):
    """Unary plus and minus signs."""

    signs: str
    operand: Expr


@dataclass(slots=True)
class WordTest(Node):
    """The tail of `IS NULL`, `IS NOT NFC NORMALIZED`, `IS :: INTEGER`, ...: plain words, already checked."""

    words: str


@dataclass(slots=True)
class OperatorTest(Node):
    """The tail of `IN list`, `STARTS WITH x`, `CONTAINS x`, ..."""

    op: str
    operand: Expr


@dataclass(slots=True)
class LabelTest(Node):
    """The tail of `n:Label`."""

    labels: "LabelExpr"


@dataclass(slots=True)
class Predicate(Expr):
    """An expression followed by tests."""

    operand: Expr
    tests: list[WordTest | OperatorTest | LabelTest]


@dataclass(slots=True)
class ListLiteral(Expr):
    """`[a, b]`."""

    items: list[Expr]


@dataclass(slots=True)
class MapEntry(Node):
    """`key: value`."""

    key: str
    value: Expr


@dataclass(slots=True)
class MapLiteral(Expr):
    """`{key: value}`."""

    entries: list[MapEntry]


@dataclass(slots=True)
class ProjectedName(Node):
    """`.key`, `.*` (key `*`) or a bare variable inside a map projection."""

    key: str
    dotted: bool


@dataclass(slots=True)
class MapProjection(Expr):
    """`n {.name, key: value}`."""

    variable: str
    items: list[ProjectedName | MapEntry]


@dataclass(slots=True)
class ListComprehension(Expr):
    """`[x IN list WHERE p | e]`."""

    variable: str
    source: Expr
    where: Expr | None
    result: Expr | None


@dataclass(slots=True)
class Quantifier(Expr):
    """`all / any / none / single (x IN list WHERE p)`; `added` marks the guard's own."""

    kind: str
    variable: str
    source: Expr
    where: Expr | None
    added: bool = field(default=False, compare=False)


@dataclass(slots=True)
class Reduce(Expr):
    """`reduce(acc = init, x IN list | step)`; with a `condition` it is Cypher 25's `allReduce`."""

    accumulator: str
    init: Expr
    variable: str
    source: Expr
    step: Expr
    condition: Expr | None = None


@dataclass(slots=True)
class CaseBranch(Node):
    """`WHEN tests THEN value`; a test is an expression, or an operator or word test on the subject."""

    tests: list[Expr | WordTest | OperatorTest]
    value: Expr


@dataclass(slots=True)
class Case(Expr):
    """`CASE subject WHEN ... ELSE ... END`."""

    subject: Expr | None
    branches: list[CaseBranch]
    default: Expr | None


@dataclass(slots=True)
class Function(Expr):
    """A call of a function; `name` is in lower case once checked."""

    name: str
    args: list[Expr]
    distinct: bool = False


@dataclass(slots=True)
class CountStar(Expr):
    """`count(*)`."""


@dataclass(slots=True)
class Trim(Expr):
    """`trim(BOTH x FROM text)`."""

    side: str
    characters: Expr | None
    text: Expr


@dataclass(slots=True)
class PatternExpr(Expr):
    """A pattern used as a condition: `(a)-->(b)`."""

    path: "Path"


@dataclass(slots=True)
class PatternComprehension(Expr):
    """`[p = (a)-->(b) WHERE c | e]`."""

    path: "Path"
    where: Expr | None
    result: Expr


@dataclass(slots=True)
class PatternBody(Node):
    """The short body of a subquery: patterns and a condition."""

    mode: str
    paths: list["Path"]
    where: Expr | None


@dataclass(slots=True)
class Subquery(Expr):
    """`EXISTS | COUNT | COLLECT { ... }`."""

    kind: str
    body: "Query | PatternBody"
