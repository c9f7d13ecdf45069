"""The last wall inside the guard: what will run is parsed again and checked anew.

It must be the tree that was meant, and every pattern in it must carry the tenant. Nothing here is shared with the
rewriting.
"""

from collections.abc import Mapping
from typing import Any

from pausepoint.cypher.ast import (
    Binary,
    Expr,
    Function,
    GroupPattern,
    Literal,
    MapLiteral,
    Match,
    Node,
    NodePattern,
    Parameter,
    Path,
    PatternBody,
    PatternComprehension,
    PatternExpr,
    Quantifier,
    Query,
    RelPattern,
    Variable,
    walk,
)
from pausepoint.cypher.errors import CypherRefused
from pausepoint.cypher.lexer import check_text, tokenize
from pausepoint.cypher.parser import parse
from pausepoint.cypher.rules import GuardRules

# The output may be longer than the input: the tenant is added to every pattern.
_ROOM = 20


def verify(text: str, meant: Query, rules: GuardRules, added: Mapping[str, Any]) -> None:
    """Check a rewritten query.

    Raises:
        CypherRefused: It does not read back as the tree that was meant, a pattern lacks the tenant, a text is left in
            it, or the tenant's parameter was overwritten.
    """
    check_text(text, rules.max_chars * _ROOM)
    query = parse(tokenize(text, rules.max_tokens * _ROOM), rules.max_depth + 8, text)
    if query != meant:
        raise _refused("The query is ambiguous.", query)
    if rules.tenant_param in added:
        raise _refused("The tenant's parameter was overwritten.", query)
    _no_text_left(query)
    if rules.tenant_key is not None:
        _Verifier(rules, rules.tenant_key).run(query)


def _no_text_left(query: Query) -> None:
    for node in walk(query):
        if isinstance(node, Literal) and isinstance(node.value, str):
            raise _refused("A text was left in the query.", node)


class _Verifier:
    def __init__(self, rules: GuardRules, key: str) -> None:
        self.rules = rules
        self.key = key

    def run(self, query: Query) -> None:
        inside_shortest = {
            id(part)
            for node in walk(query)
            if isinstance(node, Path) and node.shortest
            for part in node.elements
        }
        for node in walk(query):
            if isinstance(node, NodePattern) or (
                isinstance(node, RelPattern) and id(node) not in inside_shortest
            ):
                self._pattern(node)
            elif isinstance(node, Match | PatternBody):
                for path in node.paths:
                    self._path(path, node.where)
            elif isinstance(node, PatternComprehension):
                self._path(node.path, node.where)
            elif isinstance(node, PatternExpr):
                self._path(node.path, None)

    def _pattern(self, node: NodePattern | RelPattern) -> None:
        if isinstance(node, RelPattern):
            if node.quantifier is not None:
                raise _refused("A quantified relationship has nodes without the tenant.", node)
            if not self.rules.relationships_carry_key:
                return
        if not _holds(node.properties, self.key, self.rules.tenant_param):
            raise _refused("A pattern lacks the tenant.", node)

    def _path(self, path: Path, where: Expr | None) -> None:
        if not path.shortest and not _has_length(path):
            return
        tested = {"nodes"}
        if path.shortest and self.rules.relationships_carry_key:
            tested.add("relationships")
        conditions = where.operands if isinstance(where, Binary) and set(where.ops) == {"AND"} else [where]
        for condition in conditions:
            tested.discard(self._tests(condition, path.variable))
        if tested or path.variable is None:
            raise _refused("A path is not tested for the tenant.", path)

    def _tests(self, condition: Expr | None, path: str | None) -> str:
        """Return `nodes` or `relationships` when the condition tests all of them on the path."""
        if not isinstance(condition, Quantifier) or condition.kind != "all" or condition.where is None:
            return ""
        owner = condition.where
        name, source = condition.variable, condition.source
        if not isinstance(source, Function) or source.args != [Variable(path or "")]:
            return ""
        if not isinstance(owner, Binary) or owner.ops != ["="]:
            return ""
        left, right = owner.operands
        same = right == Parameter(self.rules.tenant_param) and _is_property(left, name, self.key)
        return source.name if same else ""


def _is_property(node: Expr, variable: str, key: str) -> bool:
    steps = getattr(node, "steps", [])
    return (
        len(steps) == 1
        and getattr(steps[0], "key", None) == key
        and getattr(node, "base", None) == Variable(variable)
    )


def _holds(properties: MapLiteral | None, key: str, param: str) -> bool:
    entries = [entry for entry in properties.entries if entry.key == key] if properties is not None else []
    return len(entries) == 1 and entries[0].value == Parameter(param)


def _has_length(path: Path) -> bool:
    for element in path.elements:
        if isinstance(element, RelPattern) and element.length is not None:
            return True
        if isinstance(element, GroupPattern) and _has_length(element.path):
            return True
    return False


def _refused(reason: str, node: Node) -> CypherRefused:
    hint = "Write it more simply."
    return CypherRefused(f"{reason}", rule="verify", position=node.pos, hint=hint)
