"""Single values out of a thread's row, by path: `values.messages[-1].content`."""

import re
import sqlite3
from collections.abc import Mapping
from typing import Any, cast

from pausepoint.server.errors import Invalid
from pausepoint.server.serialize import from_json

_ROOTS = ("values", "metadata", "interrupts", "config", "error")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(-?\d{1,9})\]")


def extracted(row: sqlite3.Row, paths: Mapping[str, str]) -> dict[str, Any]:
    """Alias → the value at its path, None where there is nothing.

    Raises:
        Invalid: A path is none.
    """
    roots: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for alias, path in paths.items():
        root = re.split(r"[.\[]", path, maxsplit=1)[0]
        if root not in _ROOTS:
            raise Invalid(f"The path {path!r} must begin with one of {', '.join(_ROOTS)}.")
        if root not in roots:
            roots[root] = from_json(row[root])
        found[alias] = _follow(roots[root], path, len(root))
    return found


def _follow(value: Any, path: str, at: int) -> Any:
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            raise Invalid(f"The path {path!r} is not understood at {path[at:]!r}; expected .key or [index].")
        at = step.end()
        value = _member(value, step)
    return value


def _member(value: Any, step: re.Match[str]) -> Any:
    key, index = step.groups()
    if index is not None:
        items = cast("list[Any]", value) if isinstance(value, list) else []
        return items[int(index)] if -len(items) <= int(index) < len(items) else None
    return cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None
