"""Rules on a parsed query: functions, labels, types, parameters, hops, sizes, use of the tenant key."""

from collections.abc import Mapping
from typing import Any

from pausepoint.cypher.ast import (
    Function,
    LabelDynamic,
    LabelExpr,
    LabelName,
    LabelTest,
    Match,
    NodePattern,
    Parameter,
    Path,
    PatternBody,
    Query,
    RelPattern,
    walk,
)
from pausepoint.cypher.errors import CypherRefused
from pausepoint.cypher.growth import check_growth
from pausepoint.cypher.rules import GuardRules
from pausepoint.cypher.tenant_key import check_tenant_key


def check(query: Query, rules: GuardRules, params: Mapping[str, Any]) -> None:
    """Refuse a query that breaks a rule.

    Raises:
        CypherRefused: With the position of what breaks it.
    """
    _Checker(rules).run(query)
    check_growth(query, rules, params)
    check_tenant_key(query, rules)


class _Checker:
    def __init__(self, rules: GuardRules) -> None:
        self.rules = rules
        self.nodes = 0

    def run(self, query: Query) -> None:
        for node in walk(query):
            if isinstance(node, Function):
                self._function(node)
            elif isinstance(node, NodePattern):
                self._node(node)
            elif isinstance(node, RelPattern):
                self._relationship(node)
            elif isinstance(node, LabelTest):
                self._tested(node)
            elif isinstance(node, Parameter):
                self._parameter(node)
            elif isinstance(node, Match | PatternBody):
                self._apart(node)

    def _function(self, call: Function) -> None:
        if call.name.lower() not in self.rules.functions:
            reason = f"The function {call.name}() is not allowed."
            raise CypherRefused(reason, rule="function", position=call.pos, hint=_function_hint(call.name))

    def _node(self, node: NodePattern) -> None:
        self.nodes += 1
        if self.nodes > self.rules.max_nodes:
            reason = f"The query has more than {self.rules.max_nodes} node patterns."
            raise CypherRefused(reason, rule="size", position=node.pos, hint="Ask for less at once.")
        if node.labels is not None:
            self._known(node.labels, self.rules.labels, "label")

    def _relationship(self, rel: RelPattern) -> None:
        if rel.types is not None:
            self._known(rel.types, self.rules.types, "type")

    def _tested(self, test: LabelTest) -> None:
        known = None
        if self.rules.labels is not None and self.rules.types is not None:
            known = self.rules.labels | self.rules.types
        self._known(test.labels, known, "label")

    def _known(self, labels: LabelExpr, known: frozenset[str] | None, what: str) -> None:
        if known is None:
            return
        for node in walk(labels):
            if isinstance(node, LabelDynamic):
                reason = f"A computed {what} is not allowed."
                raise CypherRefused(reason, rule=what, position=node.pos, hint="Name it.")
            if isinstance(node, LabelName) and node.name not in known:
                raise CypherRefused(
                    f"There is no {what} {node.name!r}.",
                    rule=what,
                    position=node.pos,
                    hint=_known_hint(known),
                )

    def _parameter(self, node: Parameter) -> None:
        known = self.rules.parameters
        if known is not None and node.name not in known and node.name != self.rules.tenant_param:
            hint = f"Parameters: {', '.join(sorted(known | {self.rules.tenant_param}))}."
            raise CypherRefused(
                f"There is no parameter ${node.name}.", rule="parameter", position=node.pos, hint=hint
            )

    def _apart(self, owner: Match | PatternBody) -> None:
        groups: list[set[str]] = []
        alone = 0
        for path in owner.paths:
            names = _pattern_names(path)
            alone += not names
            joined = [group for group in groups if group & names]
            groups = [group for group in groups if not group & names]
            if names:
                groups.append(names.union(*joined))
        if len(groups) + alone > self.rules.max_apart:
            reason = f"More than {self.rules.max_apart} patterns of one MATCH share no variable."
            raise CypherRefused(reason, rule="size", position=owner.pos, hint="Connect them or use WITH.")


def _pattern_names(path: Path) -> set[str]:
    found = (node for element in path.elements for node in walk(element))
    return {n.variable for n in found if isinstance(n, NodePattern | RelPattern) and n.variable is not None}


def _known_hint(known: frozenset[str]) -> str:
    names = sorted(known)
    shown = ", ".join(names[:20])
    return f"Use one of: {shown}{', ...' if len(names) > 20 else ''}."


def _function_hint(name: str) -> str:
    if name.lower().startswith(("apoc.", "gds.")):
        return "Use the functions of Cypher itself, for example coalesce, collect, split or date."
    return "Use functions of Cypher that read values."
