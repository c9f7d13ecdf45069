"""What the guard lets through and what it hands back."""

from dataclasses import dataclass, field
from typing import Any, Literal

from pausepoint.cypher.functions import ALLOWED_FUNCTIONS


@dataclass(frozen=True, slots=True)
class GuardRules:
    """The limits of one use of the guard.

    Attributes:
        tenant_key: Property that every node and relationship of a tenant carries; None switches tenancy off.
        tenant_param: Name of the parameter the application sets to the tenant.
        relationships_carry_key: Whether relationships carry the key too.
        native_shortest_paths: Keep `shortestPath`, with conditions on its path. Right for Neo4j, which tests them
            while it searches; an engine that filters afterwards would let other tenants hide paths.
        open_paths: What happens to `*` and `+` without an upper bound: `refuse`, or `lower` to `max_hops` when the
            relationship names a type.
        labels: Labels that may be named; None allows any.
        types: Relationship types that may be named; None allows any.
        parameters: Parameters the application will pass, beside the tenant's; None allows any name.
        functions: Functions that may be called, in lower case.
        max_hops: Longest variable path.
        max_total_hops: Sum of the longest variable paths of one query.
        max_rows: Rows of each UNION branch; LIMIT is added or lowered to it.
        max_range: Longest list `range()` may make.
        max_range_product: What the lengths of all ranges of a query may multiply to.
        max_growth: How often a value may be repeated inside itself by concatenation.
        max_nodes: Node patterns in one query.
        max_apart: Patterns of one MATCH that share no variable (each multiplies the rows).
        max_chars: Length of the query.
        max_tokens: Words and signs of the query.
        max_depth: Nesting of brackets.
    """

    tenant_key: str | None = "campaignUuid"
    tenant_param: str = "campaignUuid"
    relationships_carry_key: bool = True
    native_shortest_paths: bool = False
    open_paths: Literal["refuse", "lower"] = "refuse"
    labels: frozenset[str] | None = None
    types: frozenset[str] | None = None
    parameters: frozenset[str] | None = None
    functions: frozenset[str] = ALLOWED_FUNCTIONS
    max_hops: int = 5
    max_total_hops: int = 15
    max_rows: int = 200
    max_range: int = 10_000
    max_range_product: int = 1_000_000
    max_growth: int = 4_096
    max_nodes: int = 40
    max_apart: int = 4
    max_chars: int = 8_000
    max_tokens: int = 2_000
    max_depth: int = 48


@dataclass(frozen=True, slots=True)
class GuardedQuery:
    """What may run.

    Attributes:
        cypher: The rewritten query.
        params: Its parameters: those given, and one for each literal of the query. The tenant's is in it only when
            the application gave it.
        changes: What the guard changed, in words.
    """

    cypher: str
    params: dict[str, Any]
    changes: tuple[str, ...] = field(default=())
