"""Clauses and how they make a query."""

from dataclasses import dataclass, field

from pausepoint.cypher.ast_base import Expr, Node
from pausepoint.cypher.ast_patterns import Path


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
