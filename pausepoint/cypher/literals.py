"""Literals leave the text: each becomes a parameter, and columns keep the names they had as text."""

import math
from collections.abc import Mapping
from typing import Any

from pausepoint.cypher.ast import (
    Function,
    Item,
    ListLiteral,
    Literal,
    Node,
    Page,
    Parameter,
    Projection,
    Query,
    Variable,
    walk,
)
from pausepoint.cypher.lexer import is_name_char
from pausepoint.cypher.printer import QueryPrinter
from pausepoint.cypher.rewrite import transform

_MAX_COLUMN = 120


class Parameters:
    """Collects literals; equal ones share a parameter, so that equal expressions stay equal."""

    def __init__(self, query: Query, given: Mapping[str, Any]) -> None:
        self.query = query
        self.added: dict[str, Any] = {}
        self._used = {node.name for node in walk(query) if isinstance(node, Parameter)} | set(given)
        self._names: dict[str, str] = {}
        self._kept: set[int] = set()

    def replace_literals(self) -> None:
        """Replace the literals of the query in place."""
        for node in walk(self.query):
            if isinstance(node, Page):
                self._kept |= {id(part) for value in (node.skip, node.limit) if value for part in walk(value)}
            elif isinstance(node, Function) and node.name == "vector":
                self._kept |= {id(argument) for argument in node.args[1:]}
            elif isinstance(node, ListLiteral) and _values(node):
                self._kept |= {id(item) for item in node.items}
        transform(self.query, self._change)

    def _change(self, node: Node) -> Node:
        if isinstance(node, Literal) and id(node) not in self._kept and is_data(node):
            return Parameter(self._name(node.value), pos=node.pos)
        if isinstance(node, ListLiteral) and (values := _values(node)):
            return Parameter(self._name(values), pos=node.pos)
        return node

    def _name(self, value: Any) -> str:
        key = f"{type(value).__name__} {value!r}"
        if key not in self._names:
            number = len(self._names)
            while f"lit{number}" in self._used:
                number += 1
            self._used.add(f"lit{number}")
            self._names[key] = f"lit{number}"
            self.added[f"lit{number}"] = value
        return self._names[key]


def _values(node: ListLiteral) -> list[Any]:
    """Return the values of a list of nothing but texts and numbers; empty for other lists."""
    values = [item.value for item in node.items if isinstance(item, Literal) and is_data(item)]
    return values if len(values) == len(node.items) else []


def is_data(node: Literal) -> bool:
    """Whether a literal is a number or a string (not true, false, null, infinity, NaN)."""
    if isinstance(node.value, float):
        return math.isfinite(node.value)
    return isinstance(node.value, str | int) and not isinstance(node.value, bool)


def name_columns(query: Query) -> None:
    """Give every column of a RETURN its text as name when the text will change."""
    printer = QueryPrinter()
    for node in walk(query):
        if isinstance(node, Projection) and node.keyword == "RETURN":
            for item in node.items:
                if (
                    item.alias is None
                    and not isinstance(item.value, Variable)
                    and _will_change(item, printer)
                ):
                    item.alias = _column(item.source)


def _will_change(item: Item, printer: QueryPrinter) -> bool:
    if any(isinstance(node, Literal) and is_data(node) for node in walk(item.value)):
        return True
    return printer.expr(item.value) != item.source


def _column(source: str) -> str:
    return "".join(char if is_name_char(char) else "_" for char in source[:_MAX_COLUMN]) or "value"
