"""A graph's picture and its JSON Schemas."""

from collections.abc import Callable
from typing import Any, cast, get_type_hints

from langchain_core.runnables.graph import Graph as Drawing
from langgraph.pregel import Pregel
from pydantic import TypeAdapter

from pausepoint.server.errors import NotFound


async def draw(graph: Pregel[Any, Any, Any, Any], config: Any, xray: int | bool) -> dict[str, Any]:
    """Nodes and edges as the SDKs expect them."""
    drawing: Drawing = await graph.aget_graph(config, xray=xray)
    found = cast("dict[str, Any]", drawing.to_json())
    for node in found.get("nodes", []):
        data = node.get("data")
        if isinstance(data, dict) and "id" in data:
            data["id"] = list(cast("Any", data)["id"])
    return found


def schemas_of(graph: Pregel[Any, Any, Any, Any]) -> dict[str, Any]:
    """The schemas of input, output, state, config and context; None where none can be made."""
    builder: Any = getattr(graph, "builder", None)
    context = _schema(graph.get_context_jsonschema, graph.context_schema)
    return {
        "input_schema": _schema(graph.get_input_jsonschema, getattr(builder, "input_schema", None)),
        "output_schema": _schema(graph.get_output_jsonschema, getattr(builder, "output_schema", None)),
        "state_schema": _schema(None, getattr(builder, "state_schema", None)),
        "config_schema": context,
        "context_schema": context,
    }


async def subgraphs_of(
    graph: Pregel[Any, Any, Any, Any], namespace: str | None, recurse: bool
) -> dict[str, Any]:
    """Namespace → schemas of the subgraphs.

    Raises:
        NotFound: There is none at this namespace.
    """
    found = {
        name: {"graph_id": name, **schemas_of(cast("Any", subgraph))}
        async for name, subgraph in graph.aget_subgraphs(namespace=namespace, recurse=recurse)
    }
    if namespace is not None and not found:
        raise NotFound("Subgraph", namespace)
    return found


def _schema(make: Callable[[], Any] | None, source: Any) -> Any:
    """A schema: the graph's own, or one made of the type; None for types that have none."""
    for attempt in (make, lambda: TypeAdapter(source).json_schema(), lambda: _by_hints(source)):
        try:
            found = attempt() if attempt is not None else None
        except Exception:  # noqa: S112 - pydantic refuses types in many ways; the next attempt is simpler
            continue
        if found is not None:
            return found
    return None


def _by_hints(source: Any) -> dict[str, Any] | None:
    """A schema field by field, for what pydantic refuses as a whole (`typing.TypedDict` before Python 3.12)."""
    if source is None:
        return None
    properties: dict[str, Any] = {}
    for name, hint in get_type_hints(source).items():
        try:
            properties[name] = {"title": name.replace("_", " ").title(), **TypeAdapter(hint).json_schema()}
        except Exception:
            properties[name] = {"title": name.replace("_", " ").title()}
    return {"title": getattr(source, "__name__", "State"), "type": "object", "properties": properties}
