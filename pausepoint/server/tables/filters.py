"""Metadata filters as SQL: containment as in JSONB's `@>`, and the operators of authorization handlers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pausepoint.server.errors import Invalid

_DEEPEST = 16
_NUMBERS = ("integer", "real")


@dataclass
class Where:
    """Conditions joined by AND, with their parameters."""

    parts: list[str] = field(default_factory=list[str])
    values: list[Any] = field(default_factory=list[Any])

    def add(self, sql: str, *values: Any) -> None:
        """Add one condition."""
        self.parts.append(sql)
        self.values.extend(values)

    def sql(self) -> str:
        """The conditions for use after WHERE."""
        return " AND ".join(self.parts) or "1"

    def contains(self, column: str, pattern: Mapping[str, Any] | None) -> None:
        """Keep rows whose JSON column contains the pattern: nested objects, array members, equal scalars."""
        if pattern:
            self._object(column, pattern, 0)

    def allowed(self, column: str, filters: Mapping[str, Any] | None) -> None:
        """Keep rows an authorization handler's filter allows (`$eq`, `$contains`, or a plain value)."""
        for key, rule in (filters or {}).items():
            if not isinstance(rule, dict):
                self._member(column, key, rule, 0)
                continue
            for operator, value in cast("dict[str, Any]", rule).items():
                if operator == "$eq":
                    self._member(column, key, value, 0)
                elif operator == "$contains":
                    wanted = cast("list[Any]", value) if isinstance(value, list) else [value]
                    self._member(column, key, wanted, 0)
                else:
                    raise Invalid(
                        f"The authorization filter {key!r} uses {operator!r}; known: $eq, $contains."
                    )

    def _object(self, column: str, pattern: Mapping[str, Any], depth: int) -> None:
        if depth > _DEEPEST:
            raise Invalid(f"A filter may be nested {_DEEPEST} levels deep at most.")
        for key, value in pattern.items():
            self._member(column, key, value, depth)

    def _member(self, column: str, key: str, value: Any, depth: int) -> None:
        if '"' in key or "\\" in key:
            inner = Where()
            inner._scalar("m.value", "m.type", value)
            self.add(f"EXISTS (SELECT 1 FROM json_each({column}) m WHERE m.key = ? AND {inner.sql()})", key)  # noqa: S608
            self.values.extend(inner.values)
            return
        path = f'$."{key}"'
        if isinstance(value, dict):
            self.add(f"json_type({column}, ?) = 'object'", path)
            self._nested(column, path, cast("dict[str, Any]", value), depth)
        elif isinstance(value, (list, tuple)):
            self.add(f"json_type({column}, ?) = 'array'", path)
            for wanted in cast("Sequence[Any]", value):
                self._element(column, path, wanted, depth)
        else:
            self._at_path(column, path, value)

    def _nested(self, column: str, path: str, value: dict[str, Any], depth: int) -> None:
        if depth >= _DEEPEST:
            raise Invalid(f"A filter may be nested {_DEEPEST} levels deep at most.")
        for key, inner in value.items():
            if isinstance(inner, (dict, list)) or '"' in key or "\\" in key:
                sub = Where()
                sub._member("n.value", key, inner, depth + 1)
                self.add(
                    f"EXISTS (SELECT 1 FROM (SELECT json_extract({column}, ?) AS value) n WHERE {sub.sql()})",  # noqa: S608
                    path,
                    *sub.values,
                )
            else:
                self._at_path(column, f'{path}."{key}"', inner)

    def _element(self, column: str, path: str, wanted: Any, depth: int) -> None:
        inner = Where()
        if isinstance(wanted, dict):
            inner.add("e.type = 'object'")
            inner._object("e.value", cast("dict[str, Any]", wanted), depth + 1)
        else:
            inner._scalar("e.value", "e.type", wanted)
        self.add(f"EXISTS (SELECT 1 FROM json_each({column}, ?) e WHERE {inner.sql()})", path, *inner.values)  # noqa: S608

    def _at_path(self, column: str, path: str, value: Any) -> None:
        if value is None or isinstance(value, bool):
            self.add(f"json_type({column}, ?) = ?", path, _type_name(value))
        else:
            self.add(f"json_extract({column}, ?) = ?", path, _bindable(value))
            if isinstance(value, str):
                self.add(f"json_type({column}, ?) = 'text'", path)

    def _scalar(self, value_sql: str, type_sql: str, value: Any) -> None:
        if value is None or isinstance(value, bool):
            self.add(f"{type_sql} = ?", _type_name(value))
        elif isinstance(value, (int, float)):
            self.add(f"{type_sql} IN {_NUMBERS} AND {value_sql} = ?", _bindable(value))
        elif isinstance(value, str):
            self.add(f"{type_sql} = 'text' AND {value_sql} = ?", value)
        else:
            raise Invalid("A filter may not hold objects or lists here; use plain values.")


def _type_name(value: bool | None) -> str:
    return "null" if value is None else ("true" if value else "false")


def _bindable(value: Any) -> Any:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return float(value)
    return value
