"""Bounds on paths of variable length: each one, and all of a query together."""

from pausepoint.cypher.ast import GroupPattern, Hops, Node, Path, Query, RelPattern, walk
from pausepoint.cypher.errors import CypherRefused
from pausepoint.cypher.rules import GuardRules


def bound_hops(query: Query, rules: GuardRules) -> list[str]:
    """Refuse paths that may be too long; lower open ones in place where the rules say so.

    Returns:
        What was changed, in words.
    """
    bounds = _Bounds(rules)
    for node in walk(query):
        if isinstance(node, RelPattern):
            bounds.relationship(node)
        elif isinstance(node, GroupPattern):
            bounds.group(node)
        elif isinstance(node, Path):
            _check_path(node)
    return bounds.changes


class _Bounds:
    def __init__(self, rules: GuardRules) -> None:
        self.rules = rules
        self.total = 0
        self.changes: list[str] = []

    def relationship(self, rel: RelPattern) -> None:
        if rel.length is not None and rel.quantifier is not None:
            raise _refused("A relationship takes '*' or a quantifier, not both.", rel.length)
        for hops in (rel.length, rel.quantifier):
            if hops is not None:
                self._bounded(hops, 1, rel.types is not None)

    def group(self, group: GroupPattern) -> None:
        if group.quantifier is None:
            return
        inside = [node for node in walk(group.path) if isinstance(node, RelPattern | GroupPattern)]
        for node in inside:
            if isinstance(node, GroupPattern) or node.length or node.quantifier:
                raise _refused("Repetitions are nested.", group.quantifier)
        self._bounded(group.quantifier, max(1, len(inside)), False)

    def _bounded(self, hops: Hops, steps: int, typed: bool) -> None:
        limit = self.rules.max_hops
        if hops.high is None and typed and self.rules.open_paths == "lower":
            hops.high = limit
            self.changes.append(f"open paths lowered to {limit} hops")
        high = hops.high if hops.high is not None else limit + 1
        if high * steps > limit:
            hint = f"Write *1..{limit} or {{1,{limit}}}."
            raise _refused(f"Paths may have at most {limit} hops.", hops, hint)
        if hops.low is not None and hops.low > max(high, limit):
            raise _refused(f"{hops.low} to {high} hops is an empty range.", hops)
        self.total += high * steps
        if self.total > self.rules.max_total_hops:
            reason = f"The variable paths of the query add up to more than {self.rules.max_total_hops} hops."
            raise _refused(reason, hops, "Shorten them.")


def _check_path(path: Path) -> None:
    rel = path.elements[1] if path.shortest else None
    if isinstance(rel, RelPattern) and rel.quantifier is not None:
        raise _refused(f"{path.shortest} takes '*', not a quantifier.", rel.quantifier)
    mixed = bool(path.selector) and any(isinstance(e, RelPattern) and e.length for e in path.elements)
    if mixed or (path.selector and path.shortest):
        reason = f"{path.selector} does not go with '*' relationships."
        raise CypherRefused(reason, rule="hops", position=path.pos, hint="Write -[:TYPE]->{1,5} instead.")


def _refused(reason: str, at: Node, hint: str = "") -> CypherRefused:
    return CypherRefused(reason, rule="hops", position=at.pos, hint=hint)
