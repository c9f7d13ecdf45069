"""Payload and filters in the embedded engine's terms.

The engine's Python binding takes a boolean in a filter for an integer and then matches nothing, so the
booleans of a payload are kept a second time as strings, in a field of their own that readers never see.
"""

from typing import TYPE_CHECKING, Any

from pausepoint.vectors.points import checked_filter
from pausepoint.vectors.port import Filter

if TYPE_CHECKING:
    from qdrant_edge import FieldCondition
    from qdrant_edge import Filter as EdgeFilter

_FLAGS = "__flags__"


def flagged(payload: dict[str, Any]) -> dict[str, Any]:
    """The payload with its booleans noted so that `edge_filter` can match them."""
    flags = [_flag(key, value) for key, value in payload.items() if isinstance(value, bool)]
    return {**payload, _FLAGS: flags} if flags else payload


def unflagged(payload: dict[str, Any] | None) -> dict[str, Any]:
    """The payload as it was given."""
    kept = payload or {}
    kept.pop(_FLAGS, None)
    return kept


def edge_filter(where: Filter | None) -> "EdgeFilter | None":
    """The engine's filter; raises `InvalidFilter` for a condition that cannot be matched."""
    from qdrant_edge import Filter as EdgeFilter

    conditions = checked_filter(where)
    return EdgeFilter(must=[_condition(*each) for each in conditions.items()]) if conditions else None


def _condition(key: str, value: str | int | bool | list[str]) -> "FieldCondition":
    from qdrant_edge import FieldCondition, MatchAny, MatchValue

    if isinstance(value, bool):
        return FieldCondition(key=_FLAGS, match=MatchValue(_flag(key, value)))
    return FieldCondition(key=key, match=MatchAny(value) if isinstance(value, list) else MatchValue(value))


def _flag(key: str, value: bool) -> str:
    return f"{key}={value}"
