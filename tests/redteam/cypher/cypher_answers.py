"""Runs queries and makes their answers comparable: as sets of rows, lists sorted, without engine ids."""

import re
from dataclasses import dataclass
from typing import Any

from cypher_corpus import TENANT
from cypher_worlds import OWN

from pausepoint.cypher import CypherRefused, GuardRules, guard
from pausepoint.cypher.ast import Page, walk
from pausepoint.cypher.lexer import tokenize
from pausepoint.cypher.parser import parse
from pausepoint.cypher.printer import print_query
from pausepoint.graphdb.embedded import EmbeddedGraph
from pausepoint.graphdb.errors import GraphError, QueryTimeout
from pausepoint.graphdb.port import GraphEdge, GraphNode

WIDE = GuardRules(max_rows=3000)
PARAMS = {"campaignUuid": OWN, "g": "theirs", "l": "Campaign_Artifact", "guess": "theirs", "p": "t", "n": 1}
_CHANGING = re.compile(
    r"rand|timestamp|\.(transaction|statement|realtime)|(date|time)\(\)|elementId|\bid\(", re.I
)
_SLOW = 4.0


@dataclass(frozen=True)
class Answer:
    kind: str
    rows: tuple[str, ...] = ()


SLOW = Answer("slow")


def comparable(query: str) -> str | None:
    """The query without SKIP and LIMIT, whose rows depend on an order nobody promised; None if it changes by itself."""
    if _CHANGING.search(query):
        return None
    tree = parse(tokenize(query, 2000), 48, query)
    for node in walk(tree):
        if isinstance(node, Page):
            node.skip = node.limit = None
    return print_query(tree)


def guarded(query: str) -> tuple[str, dict[str, Any]] | None:
    try:
        guard(query, TENANT)
        found = guard(query, WIDE)
    except CypherRefused:
        return None
    return found.cypher, found.params | PARAMS


async def answer(graph: EmbeddedGraph, query: str, params: dict[str, Any]) -> Answer:
    try:
        result = await graph.read(query, params, timeout=_SLOW, max_rows=5000)
    except QueryTimeout:
        return SLOW
    except GraphError:
        return Answer("error")
    return Answer("rows", tuple(sorted(repr(plain(list(row.values()))) for row in result.rows)))


def plain(value: Any) -> Any:
    if isinstance(value, GraphNode):
        return ("node", value.labels, plain(value.properties))
    if isinstance(value, GraphEdge):
        return ("edge", value.type, plain(value.properties))
    if isinstance(value, dict):
        return sorted((key, plain(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return sorted((plain(item) for item in value), key=repr)
    return value
