"""What all nodes of a query tree have in common, and walking through a tree."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, cast


@dataclass(slots=True)
class Node:
    """Base of all nodes."""

    pos: int = field(default=0, compare=False, kw_only=True)


class Expr(Node):
    """Anything with a value."""

    __slots__ = ()


_FIELDS: dict[type[Node], tuple[str, ...]] = {}


def field_names(node: Node) -> tuple[str, ...]:
    """Return the names of the fields of a node that may hold other nodes."""
    names = _FIELDS.get(type(node))
    if names is None:
        plain = {"pos", "source_text", "name", "key", "op", "ops", "kind", "alias", "level", "optional"}
        names = tuple(f.name for f in fields(node) if f.name not in plain)
        _FIELDS[type(node)] = names
    return names


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly inside a node, in the order they are written."""
    for name in field_names(node):
        value: Any = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, list):
            yield from (item for item in cast("list[Any]", value) if isinstance(item, Node))


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and everything inside it, parents first."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(list(children(current))))
