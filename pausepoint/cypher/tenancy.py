"""The tenant goes into every pattern of a query, wherever patterns may stand.

A node or relationship pattern gets the tenant in its property map. Paths of variable length get it for each
relationship that way, and for the nodes passed through by a condition on the path. A quantified relationship is
spelt out as a group, so that its inner nodes have patterns too. `shortestPath` becomes the paths than which none is
shorter within the tenant (see `shortest.py`).
"""

from pausepoint.cypher.ast import (
    Binary,
    Element,
    Expr,
    Function,
    GroupPattern,
    Item,
    MapEntry,
    MapLiteral,
    Match,
    Node,
    NodePattern,
    Page,
    Parameter,
    Path,
    PatternBody,
    PatternComprehension,
    PatternExpr,
    Postfix,
    Projection,
    PropertyStep,
    Quantifier,
    Query,
    RelPattern,
    SingleQuery,
    Subquery,
    Union,
    Variable,
)
from pausepoint.cypher.names import FreshNames
from pausepoint.cypher.parser_expressions import COMPARE
from pausepoint.cypher.rewrite import transform
from pausepoint.cypher.rules import GuardRules
from pausepoint.cypher.scope import hide
from pausepoint.cypher.shortest import conjunction, enumerate_shortest, is_variable
from pausepoint.cypher.tenant_key import tenant_entry


def add_tenant(query: Query, rules: GuardRules) -> list[str]:
    """Put the tenant into every pattern of a query, in place; return what was done, in words."""
    if rules.tenant_key is None:
        return []
    tenancy = _Tenancy(query, rules, rules.tenant_key)
    transform(query, tenancy.change)
    hide(query, tenancy.names.given)
    return tenancy.changes


class _Tenancy:
    def __init__(self, query: Query, rules: GuardRules, key: str) -> None:
        self.rules = rules
        self.key = key
        self.names = FreshNames(query)
        self.each = self.names.reserve("each")
        self.changes: list[str] = []

    def change(self, node: Node) -> Node:
        """Rewrite one node; the nodes inside it are done already."""
        if isinstance(node, NodePattern | RelPattern):
            self._own(node)
        elif isinstance(node, Path):
            node.elements = [piece for element in node.elements for piece in self._spelt_out(element)]
            if self.rules.native_shortest_paths:
                self._no_properties_in_shortest(node)
        elif isinstance(node, Match | PatternBody):
            for path in node.paths:
                node.where = self._guarded(path, node.where)
        elif isinstance(node, PatternComprehension) and is_variable(node.path):
            return self._collected(node.path, node.where, node.result)
        elif isinstance(node, PatternExpr) and is_variable(node.path):
            return self._condition(node)
        return node

    def _own(self, pattern: NodePattern | RelPattern) -> None:
        if isinstance(pattern, RelPattern) and not self.rules.relationships_carry_key:
            return
        if pattern.properties is None:
            pattern.properties = MapLiteral([], pos=pattern.pos)
        if not tenant_entry(pattern.properties, self.rules):
            pattern.properties.entries.insert(0, MapEntry(self.key, self._tenant(), pos=pattern.pos))
            self.changes.append(f"{self.key} added to every pattern")

    def _tenant(self) -> Parameter:
        return Parameter(self.rules.tenant_param)

    def _spelt_out(self, element: Element) -> list[Element]:
        """Turn `-[r]->{1,3}` into `(()-[r]->()){1,3}`."""
        if not isinstance(element, RelPattern) or element.quantifier is None:
            return [element]
        ends = NodePattern(pos=element.pos), NodePattern(pos=element.pos)
        for end in ends:
            self._own(end)
        quantifier, element.quantifier = element.quantifier, None
        return [GroupPattern(Path([ends[0], element, ends[1]]), None, quantifier, pos=element.pos)]

    def _no_properties_in_shortest(self, path: Path) -> None:
        for element in path.elements:
            if path.shortest and isinstance(element, RelPattern) and element.properties is not None:
                entries = [entry for entry in element.properties.entries if entry.key != self.key]
                element.properties = MapLiteral(entries, pos=element.properties.pos) if entries else None

    def _guarded(self, path: Path, where: Expr | None) -> Expr | None:
        """Name a path of variable length and add the conditions on it to `where`."""
        if not is_variable(path):
            return where
        if path.variable is None:
            path.variable = self.names.new("path")
        self.changes.append(f"{self.key} tested along paths")
        conditions: list[Expr] = []
        if path.shortest and not self.rules.native_shortest_paths:
            conditions = enumerate_shortest(path, self.names, self._all)
        conditions.insert(0, self._all("nodes", path.variable))
        if path.shortest and self.rules.relationships_carry_key:
            conditions.append(self._all("relationships", path.variable))
        return conjunction([*conditions, where] if where is not None else conditions)

    def _all(self, function: str, path: str) -> Expr:
        owner = Binary(
            COMPARE, [Postfix(Variable(self.each), [PropertyStep(self.key)]), self._tenant()], ["="]
        )
        return Quantifier("all", self.each, Function(function, [Variable(path)]), owner)

    def _condition(self, node: PatternExpr) -> Expr:
        path, pos = node.path, node.pos
        if path.shortest:
            single = path.shortest == "shortestPath"
            path.variable = self.names.reserve("path")
            found = self._collected(path, None, Variable(path.variable))
            return Function("head", [found], pos=pos) if single else found
        body = PatternBody("", [path], None, pos=pos)
        body.where = self._guarded(path, None)
        return Subquery("EXISTS", body, pos=pos)

    def _collected(self, path: Path, where: Expr | None, result: Expr) -> Expr:
        """Turn a comprehension over paths into a subquery; engines disagree about paths in comprehensions."""
        match = Match(False, "", [path], pos=path.pos)
        match.where = self._guarded(path, where)
        column = Item(result, self.names.reserve("value"))
        returned = Projection("RETURN", False, False, [column], [], Page())
        return Subquery("COLLECT", Query([Union([SingleQuery([match, returned])], [])]), pos=path.pos)
