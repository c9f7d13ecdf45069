"""What a read query is made of. Nodes compare by structure; `pos` (offset in the query) never counts."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, cast


@dataclass(slots=True)
class Node:
    """Base of all nodes."""

    pos: int = field(default=0, compare=False, kw_only=True)


class Expr(Node):
    """Anything with a value."""

    __slots__ = ()


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


class Clause(Node):
    """One reading clause."""

    __slots__ = ()


@dataclass(slots=True)
class Match(Clause):
    """`OPTIONAL MATCH paths WHERE c`."""

    optional: bool
    mode: str
    paths: list[Path]
    where: Expr | None = None


@dataclass(slots=True)
class Item(Node):
    """A projected expression; `source` is its text as written, which names the column."""

    value: Expr
    alias: str | None = None
    source: str = field(default="", compare=False)


@dataclass(slots=True)
class SortKey(Node):
    """`expression DESC`."""

    value: Expr
    descending: bool


@dataclass(slots=True)
class Page(Node):
    """ORDER BY, SKIP, LIMIT."""

    order: list[SortKey] = field(default_factory=list[SortKey])
    skip: Expr | None = None
    limit: Expr | None = None


@dataclass(slots=True)
class Projection(Clause):
    """`WITH` or `RETURN`."""

    keyword: str
    distinct: bool
    star: bool
    items: list[Item]
    group_by: list[Expr]
    page: Page
    where: Expr | None = None


@dataclass(slots=True)
class Unwind(Clause):
    """`UNWIND list AS x`."""

    value: Expr
    alias: str


@dataclass(slots=True)
class Let(Clause):
    """`LET x = e, y = f`."""

    items: list[Item]


@dataclass(slots=True)
class Filter(Clause):
    """`FILTER condition`."""

    condition: Expr


@dataclass(slots=True)
class PageClause(Clause):
    """ORDER BY, SKIP, LIMIT as a clause of their own."""

    page: Page


@dataclass(slots=True)
class Finish(Clause):
    """`FINISH`."""


@dataclass(slots=True)
class CallSubquery(Clause):
    """`OPTIONAL CALL (scope) { query }`; scope None is the old form, `["*"]` imports everything."""

    optional: bool
    scope: list[str] | None
    query: "Query"


@dataclass(slots=True)
class SingleQuery(Node):
    """Clauses, read from left to right."""

    clauses: list[Clause]


@dataclass(slots=True)
class Braced(Node):
    """A query in braces where a single query may stand."""

    query: "Query"


@dataclass(slots=True)
class WhenBranch(Node):
    """`WHEN condition THEN query`; the condition of ELSE is None."""

    condition: Expr | None
    query: "SingleQuery | Braced"


@dataclass(slots=True)
class Conditional(Node):
    """`WHEN ... THEN ... ELSE ...`."""

    branches: list[WhenBranch]


@dataclass(slots=True)
class Union(Node):
    """Branches joined by `UNION`; `ops` holds `UNION` or `UNION ALL` between them."""

    branches: list[SingleQuery | Braced | Conditional]
    ops: list[str]


@dataclass(slots=True)
class Query(Node):
    """Parts joined by `NEXT`; almost always one."""

    parts: list[Union]


_FIELDS: dict[type[Node], tuple[str, ...]] = {}


def field_names(node: Node) -> tuple[str, ...]:
    """Return the names of the fields of a node that may hold other nodes."""
    names = _FIELDS.get(type(node))
    if names is None:
        plain = {"pos", "source_text", "name", "key", "op", "ops", "kind", "alias", "level", "optional"}
        names = tuple(f.name for f in fields(node) if f.name not in plain)
        _FIELDS[type(node)] = names
    return names


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly inside a node, in the order they are written."""
    for name in field_names(node):
        value: Any = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, list):
            yield from (item for item in cast("list[Any]", value) if isinstance(item, Node))


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and everything inside it, parents first."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(list(children(current))))
