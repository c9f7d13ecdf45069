"""The port's filters applied to a payload in memory, with the meaning they have in a store."""

from collections.abc import Mapping
from typing import Any, cast

Conditions = Mapping[str, "str | int | bool | list[str]"]


def matches(payload: Mapping[str, Any], conditions: Conditions) -> bool:
    """Whether every condition holds; a list in the payload holds if any of its values does."""
    return all(_holds(payload.get(key), wanted) for key, wanted in conditions.items())


def _holds(value: object, wanted: "str | int | bool | list[str]") -> bool:
    options = wanted if isinstance(wanted, list) else [wanted]
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return any(type(each) is type(option) and each == option for each in values for option in options)
