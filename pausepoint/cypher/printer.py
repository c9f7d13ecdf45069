"""A query tree back to text, in one canonical spelling.

No comments, keywords in upper case, names quoted when a reader could take them for something else.
"""

from pausepoint.cypher.ast import (
    Braced,
    CallSubquery,
    Clause,
    Conditional,
    Expr,
    Filter,
    Finish,
    Item,
    Let,
    Match,
    Page,
    PageClause,
    Projection,
    Query,
    SingleQuery,
    Union,
    Unwind,
)
from pausepoint.cypher.printer_expressions import quote
from pausepoint.cypher.printer_patterns import PatternPrinter


def print_query(query: Query) -> str:
    """Return the text of a query."""
    return QueryPrinter().query(query)


class QueryPrinter(PatternPrinter):
    """Prints clauses and queries."""

    def query(self, query: Query) -> str:
        """Print a query, its parts joined by NEXT."""
        return " NEXT ".join(map(self._union, query.parts))

    def _union(self, union: Union) -> str:
        first, *rest = map(self._branch, union.branches)
        return first + "".join(f" {op} {text}" for op, text in zip(union.ops, rest, strict=True))

    def _branch(self, branch: SingleQuery | Braced | Conditional) -> str:
        if isinstance(branch, Braced):
            return f"{{ {self.query(branch.query)} }}"
        if isinstance(branch, SingleQuery):
            return " ".join(map(self._clause, branch.clauses))
        return " ".join(self._when_branch(each.condition, each.query) for each in branch.branches)

    def _when_branch(self, condition: Expr | None, query: SingleQuery | Braced) -> str:
        start = "ELSE" if condition is None else f"WHEN {self.expr(condition)} THEN"
        return f"{start} {self._branch(query)}"

    def _clause(self, clause: Clause) -> str:
        if isinstance(clause, Match):
            return f"{'OPTIONAL ' * clause.optional}MATCH {self.patterns(clause.mode, clause.paths, clause.where)}"
        if isinstance(clause, Projection):
            return self._projection(clause)
        if isinstance(clause, CallSubquery):
            return self._call_subquery(clause)
        if isinstance(clause, Unwind):
            return f"UNWIND {self.expr(clause.value)} AS {quote(clause.alias)}"
        return self._small_clause(clause)

    def _small_clause(self, clause: Clause) -> str:
        if isinstance(clause, Let):
            return "LET " + ", ".join(
                f"{quote(item.alias or '')} = {self.expr(item.value)}" for item in clause.items
            )
        if isinstance(clause, Filter):
            return f"FILTER WHERE {self.expr(clause.condition)}"
        if isinstance(clause, PageClause):
            return self._page(clause.page).strip()
        assert isinstance(clause, Finish)
        return "FINISH"

    def _call_subquery(self, clause: CallSubquery) -> str:
        scope = (
            ""
            if clause.scope is None
            else f"({', '.join(name if name == '*' else quote(name) for name in clause.scope)}) "
        )
        return f"{'OPTIONAL ' * clause.optional}CALL {scope}{{ {self.query(clause.query)} }}"

    def _projection(self, clause: Projection) -> str:
        columns = ["*"] * clause.star + [self._item(item) for item in clause.items]
        group_by = f" GROUP BY {', '.join(map(self.expr, clause.group_by))}" if clause.group_by else ""
        where = f" WHERE {self.expr(clause.where)}" if clause.where is not None else ""
        start = f"{clause.keyword} {'DISTINCT ' * clause.distinct}{', '.join(columns)}"
        return f"{start}{group_by}{self._page(clause.page)}{where}"

    def _item(self, item: Item) -> str:
        return self.expr(item.value) + (f" AS {quote(item.alias)}" if item.alias is not None else "")

    def _page(self, page: Page) -> str:
        keys = [self.expr(key.value) + " DESC" * key.descending for key in page.order]
        order = f" ORDER BY {', '.join(keys)}" if keys else ""
        skip = f" SKIP {self.expr(page.skip)}" if page.skip is not None else ""
        limit = f" LIMIT {self.expr(page.limit)}" if page.limit is not None else ""
        return f"{order}{skip}{limit}"
