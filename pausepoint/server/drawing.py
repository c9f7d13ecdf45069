"""A graph's picture and its JSON Schemas."""

from typing import Any, cast

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
    return {
        "input_schema": _attempt(lambda: graph.get_input_jsonschema()),
        "output_schema": _attempt(lambda: graph.get_output_jsonschema()),
        "state_schema": _attempt(lambda: _state_schema(graph)),
        "config_schema": _attempt(lambda: graph.get_config_jsonschema()),
        "context_schema": _attempt(lambda: _context_schema(graph)),
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


def _state_schema(graph: Pregel[Any, Any, Any, Any]) -> Any:
    channels = [key for key in graph.stream_channels_list if not key.startswith("__")]
    builder: Any = getattr(graph, "builder", None)
    schema = getattr(builder, "state_schema", None)
    if schema is not None:
        return TypeAdapter(schema).json_schema()
    return {"type": "object", "properties": {name: {} for name in channels}}


def _context_schema(graph: Pregel[Any, Any, Any, Any]) -> Any:
    return graph.get_context_jsonschema()


def _attempt(make: Any) -> Any:
    """A schema, or None for types that have none."""
    try:
        return make()
    except Exception:
        return None
