"""Whether an item's value passes a filter, and a namespace a condition; as LangGraph's stores define it."""

import operator
from collections.abc import Callable, Mapping
from typing import Any, cast

from langgraph.store.base import MatchCondition

from pausepoint.storage.errors import StorageError

_ORDERS: Mapping[str, Callable[[Any, Any], Any]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def passes(value: Mapping[str, Any], conditions: Mapping[str, Any] | None) -> bool:
    """Whether every key of the filter holds.

    Raises:
        StorageError: The filter uses an unknown operator.
    """
    return all(_holds(value.get(key), wanted) for key, wanted in (conditions or {}).items())


def matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Whether the namespace begins or ends with the condition's path, in which "*" stands for any label."""
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    if condition.match_type not in ("prefix", "suffix"):
        raise StorageError(f"Unknown match type {condition.match_type!r}: use 'prefix' or 'suffix'.")
    part = (
        namespace[: len(path)]
        if condition.match_type == "prefix"
        else namespace[len(namespace) - len(path) :]
    )
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))


def _holds(actual: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        wanted = cast(dict[str, Any], wanted)
        if any(str(key).startswith("$") for key in wanted):
            return all(_compare(actual, name, operand) for name, operand in wanted.items())
        return isinstance(actual, dict) and passes(cast(dict[str, Any], actual), wanted)
    if isinstance(wanted, list | tuple):
        return (
            isinstance(actual, list)
            and len(cast(list[Any], actual)) == len(cast(list[Any], wanted))
            and all(map(_holds, cast(list[Any], actual), cast(list[Any], wanted)))
        )
    return _equal(actual, wanted)


def _equal(actual: Any, wanted: Any) -> bool:
    # JSON's true is not 1, though Python's is.
    return isinstance(actual, bool) == isinstance(wanted, bool) and actual == wanted


def _compare(actual: Any, name: str, operand: Any) -> bool:
    match name:
        case "$eq":
            return _equal(actual, operand)
        case "$ne":
            return not _equal(actual, operand)
        case "$gt" | "$gte" | "$lt" | "$lte":
            return _ordered(actual, name, operand)
        case _:
            raise StorageError(
                f"Unknown operator {name!r} in a store filter: use $eq, $ne, $gt, $gte, $lt or $lte."
            )


def _ordered(actual: Any, name: str, operand: Any) -> bool:
    """Numbers compare as numbers, texts as texts; what cannot be compared does not match."""
    left: Any = actual
    right: Any = operand
    if not (isinstance(actual, str) and isinstance(operand, str)):
        try:
            left, right = float(actual), float(operand)
        except (TypeError, ValueError):
            return False
    return bool(_ORDERS[name](left, right))
