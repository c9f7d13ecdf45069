"""Names for what the guard adds, different from every name the query uses."""

from typing import Any, cast

from pausepoint.cypher.ast import Query, walk

_NAMED = ("variable", "name", "alias", "accumulator", "key", "scope")


def _names_in(value: Any) -> list[str]:
    values = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [name for name in values if isinstance(name, str)]


class FreshNames:
    """Hands out unused names and remembers those that became variables."""

    def __init__(self, query: Query) -> None:
        self._used: set[str] = set()
        for node in walk(query):
            for field in _NAMED:
                value = getattr(node, field, None)
                self._used.update(_names_in(value))
        self.given: set[str] = set()

    def reserve(self, stem: str) -> str:
        """Return an unused name."""
        number = 0
        while f"_{stem}{number}" in self._used:
            number += 1
        name = f"_{stem}{number}"
        self._used.add(name)
        return name

    def new(self, stem: str) -> str:
        """Return an unused name that will be a variable of the query."""
        name = self.reserve(stem)
        self.given.add(name)
        return name
