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
    Hops,
    Item,
    LabelDynamic,
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
from pausepoint.cypher.errors import CypherRefused
from pausepoint.cypher.lazy import Binding, behind, bindings, is_pattern, is_value, split
from pausepoint.cypher.names import FreshNames
from pausepoint.cypher.parser_expressions import COMPARE
from pausepoint.cypher.rewrite import transform
from pausepoint.cypher.rules import GuardRules
from pausepoint.cypher.scope import hide
from pausepoint.cypher.shortest import conjunction, enumerate_shortest, is_variable, joined
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
            self._one_hop_in_shortest(node)
            if self.rules.native_shortest_paths:
                self._no_properties_in_shortest(node)
        elif isinstance(node, Match | PatternBody):
            node.where = self._conditions(node.paths, node.where)
        elif isinstance(node, PatternComprehension):
            if is_variable(node.path):
                return self._collected(node.path, node.where, node.result)
            node.where = self._conditions([node.path], node.where)
        elif isinstance(node, PatternExpr) and not (is_pattern(node.path) and not is_variable(node.path)):
            return self._condition(node)
        elif isinstance(node, LabelDynamic) and not is_value(node.value):
            reason = "A computed label must be a literal or a parameter."
            raise CypherRefused(reason, rule="label", position=node.pos, hint="Name the label.")
        return node

    def _conditions(self, paths: list[Path], where: Expr | None) -> Expr | None:
        """Put every condition of these paths behind the tenant, and add those the paths need."""
        risky = where is not None and split(where)[1] != []
        if risky or not all(map(is_pattern, paths)):
            for path in paths:
                self._name_all(path)
            where = joined([*self._pulled(paths), where])
        bound: dict[str, Binding] = {}
        for path in paths:
            bound |= bindings(path)
        where = self._behind_tenant(where, bound)
        for path in paths:
            where = self._guarded(path, where)
        return where

    def _name_all(self, path: Path) -> None:
        """Give every element a variable, so that all of them can be tested before a condition is tried."""
        if is_variable(path) and path.variable is None:
            path.variable = self.names.new("path")
        for element in path.elements:
            if isinstance(element, GroupPattern):
                self._name_all(element.path)
            elif element.variable is None:
                element.variable = self.names.new("any")

    def _pulled(self, paths: list[Path]) -> list[Expr]:
        """Take conditions and values that can fail out of the elements of paths; return them as conditions.

        With a selector the conditions decide which paths are found, so they stay in their elements.
        """
        pulled: list[Expr] = []
        for path in paths:
            for element in path.elements:
                if isinstance(element, GroupPattern):
                    inside = [*self._pulled([element.path]), element.where]
                    element.where = self._behind_tenant(joined(inside), bindings(element.path))
                elif path.selector:
                    own = bindings(Path([element]))
                    element.where = self._behind_tenant(joined(self._pull(element)), own)
                else:
                    pulled += self._pull(element)
        return pulled

    def _pull(self, element: NodePattern | RelPattern) -> list[Expr]:
        where, element.where = element.where, None
        entries = element.properties.entries if element.properties is not None else []
        risky = [entry for entry in entries if not is_value(entry.value)]
        if isinstance(element, RelPattern) and element.length is not None and (risky or where is not None):
            reason = "A variable path takes neither WHERE nor computed values inside."
            hint = "Test relationships(path) in the WHERE of the MATCH."
            raise CypherRefused(reason, rule="pattern-map", position=element.pos, hint=hint)
        if risky and element.properties is not None:
            element.properties.entries = [entry for entry in entries if is_value(entry.value)]
        owner = Variable(element.variable or "")
        tests: list[Expr] = [
            Binary(COMPARE, [Postfix(owner, [PropertyStep(entry.key)]), entry.value], ["="])
            for entry in risky
        ]
        return tests if where is None else [*tests, where]

    def _behind_tenant(self, where: Expr | None, bound: dict[str, Binding]) -> Expr | None:
        """Put the part of a condition that can fail behind the tenant of everything the pattern binds."""
        safe, risky = split(where) if where is not None else ([], [])
        owned = [test for name, kind in sorted(bound.items()) for test in self._owned(name, kind)]
        if not risky or not owned:
            return where
        return conjunction([*safe, behind(conjunction(owned), conjunction(risky), self.each)])

    def _owned(self, name: str, kind: Binding) -> list[Expr]:
        if kind in ("rel", "rels") and not self.rules.relationships_carry_key:
            return []
        if kind == "path":
            parts = ("nodes", "relationships") if self.rules.relationships_carry_key else ("nodes",)
            return [self._all(part, name) for part in parts]
        if kind in ("nodes", "rels"):
            return [Quantifier("all", self.each, Variable(name), self._is_own(self.each))]
        return [self._is_own(name)]

    def _own(self, pattern: NodePattern | RelPattern) -> None:
        if isinstance(pattern, RelPattern) and not self.rules.relationships_carry_key:
            return
        if pattern.properties is None:
            pattern.properties = MapLiteral([], pos=pattern.pos)
        if not tenant_entry(pattern.properties, self.rules):
            pattern.properties.entries.insert(0, MapEntry(self.key, self._tenant(), pos=pattern.pos))
            self.changes.append(f"{self.key} added to every pattern")

    def _own_node(self, node: NodePattern) -> NodePattern:
        self._own(node)
        return node

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

    def _one_hop_in_shortest(self, path: Path) -> None:
        for element in path.elements:
            if path.shortest and isinstance(element, RelPattern) and element.length is None:
                element.length = Hops(1, 1, pos=element.pos)

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
        if path.shortest and not self.rules.native_shortest_paths:
            return joined([*enumerate_shortest(path, self.names, self._own_node), where])
        conditions = [self._all("nodes", path.variable)]
        if path.shortest and self.rules.relationships_carry_key:
            conditions.append(self._all("relationships", path.variable))
        return joined([*conditions, where])

    def _all(self, function: str, path: str) -> Expr:
        return Quantifier(
            "all", self.each, Function(function, [Variable(path)]), self._is_own(self.each), added=True
        )

    def _is_own(self, name: str) -> Expr:
        return Binary(COMPARE, [Postfix(Variable(name), [PropertyStep(self.key)]), self._tenant()], ["="])

    def _condition(self, node: PatternExpr) -> Expr:
        path, pos = node.path, node.pos
        if path.shortest:
            single = path.shortest == "shortestPath"
            path.variable = self.names.reserve("path")
            found = self._collected(path, None, Variable(path.variable))
            return Function("head", [found], pos=pos) if single else found
        body = PatternBody("", [path], None, pos=pos)
        body.where = self._conditions([path], None)
        return Subquery("EXISTS", body, pos=pos)

    def _collected(self, path: Path, where: Expr | None, result: Expr) -> Expr:
        """Turn a comprehension over paths into a subquery; engines disagree about paths in comprehensions."""
        match = Match(False, "", [path], pos=path.pos)
        match.where = self._conditions([path], where)
        column = Item(result, self.names.reserve("value"))
        returned = Projection("RETURN", False, False, [column], [], Page())
        return Subquery("COLLECT", Query([Union([SingleQuery([match, returned])], [])]), pos=path.pos)
