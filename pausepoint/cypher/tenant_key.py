"""What a query may say about the tenant itself: compare its key with the parameter, or show it."""

from pausepoint.cypher.ast import (
    Binary,
    Expr,
    IndexStep,
    Item,
    Literal,
    MapLiteral,
    NodePattern,
    Parameter,
    Postfix,
    PropertyStep,
    Query,
    RelPattern,
    walk,
)
from pausepoint.cypher.errors import CypherRefused
from pausepoint.cypher.rules import GuardRules


def check_tenant_key(query: Query, rules: GuardRules) -> None:
    """Refuse uses of the tenant key with anything but the parameter."""
    key = rules.tenant_key
    if key is None:
        return
    fine: set[int] = set()
    for node in walk(query):
        if isinstance(node, Binary):
            fine |= {id(operand) for operand in _compared_with_parameter(node, rules)}
        elif isinstance(node, Item):
            fine.add(id(node.value))
        elif isinstance(node, NodePattern | RelPattern) and node.properties is not None:
            tenant_entry(node.properties, rules)
        elif isinstance(node, Postfix) and id(node) not in fine and _reads(node, key):
            raise _refused(key, rules.tenant_param, node.pos)


def tenant_entry(properties: MapLiteral, rules: GuardRules) -> bool:
    """Whether a pattern's map already holds the tenant, as the parameter and once.

    Raises:
        CypherRefused: It holds the key with anything else.
    """
    entries = [entry for entry in properties.entries if entry.key == rules.tenant_key]
    for entry in entries:
        if entry.value != Parameter(rules.tenant_param) or len(entries) > 1:
            raise _refused(entry.key, rules.tenant_param, entry.pos)
    return bool(entries)


def _compared_with_parameter(node: Binary, rules: GuardRules) -> list[Expr]:
    if node.ops != ["="] or Parameter(rules.tenant_param) not in node.operands:
        return []
    return node.operands


def _reads(node: Postfix, key: str) -> bool:
    for step in node.steps:
        if isinstance(step, PropertyStep) and step.key == key:
            return True
        if isinstance(step, IndexStep) and step.index == Literal(key):
            return True
    return False


def _refused(key: str, param: str, position: int) -> CypherRefused:
    reason = f"{key} may only be compared with ${param}."
    return CypherRefused(
        reason, rule="tenant", position=position, hint=f"Leave {key} out: it is added for you."
    )
