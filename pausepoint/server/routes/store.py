"""The store: items under namespaces, found by filter and by meaning."""

from typing import Annotated, Any, cast

from fastapi import Query
from langgraph.store.base import BaseStore, Item, SearchItem
from starlette.requests import Request
from starlette.responses import Response

from pausepoint.server import schemas
from pausepoint.server.errors import Invalid, NotFound
from pausepoint.server.routes.common import allowed, answer, engine_of, nothing, router

routes = router("Store")


@routes.put("/store/items", summary="Store an item", status_code=204)
async def put(request: Request, body: schemas.ItemPut) -> Response:
    """Create or replace an item."""
    value = body.model_dump(exclude_none=True)
    value["namespace"] = _namespace(body.namespace)
    await allowed(request, "store", "put", value)
    more: dict[str, Any] = {"ttl": value["ttl"]} if value.get("ttl") is not None else {}
    store = _store(request)
    if more and not store.supports_ttl:
        raise Invalid("This store keeps items for good; leave out 'ttl'.")
    try:
        await store.aput(
            tuple(value["namespace"]), value["key"], value["value"], cast("Any", value.get("index")), **more
        )
    except (ValueError, TypeError) as error:
        raise Invalid(f"The item cannot be stored: {error}") from error
    return nothing()


@routes.get("/store/items", summary="Get an item")
async def get(
    request: Request,
    key: Annotated[str, Query(min_length=1)],
    namespace: Annotated[list[str] | None, Query()] = None,
    refresh_ttl: Annotated[bool | None, Query()] = None,
) -> Response:
    """One item; the namespace's labels are joined by dots, or given one by one."""
    labels = [label for part in namespace or [] for label in part.split(".") if label]
    value: dict[str, Any] = {"namespace": _namespace(labels), "key": key}
    await allowed(request, "store", "get", value)
    item = await _store(request).aget(tuple(value["namespace"]), value["key"], refresh_ttl=refresh_ttl)
    if item is None:
        raise NotFound("Item", ".".join([*labels, key]))
    return answer(_shown(item))


@routes.delete("/store/items", summary="Delete an item", status_code=204)
async def delete(request: Request, body: schemas.ItemDelete) -> Response:
    """Delete an item; it is no error when there is none."""
    value: dict[str, Any] = {"namespace": _namespace(body.namespace), "key": body.key}
    await allowed(request, "store", "delete", value)
    await _store(request).adelete(tuple(value["namespace"]), value["key"])
    return nothing()


@routes.post("/store/items/search", summary="Search items")
async def search(request: Request, body: schemas.ItemSearch) -> Response:
    """Items below a namespace, by filter, by meaning when the store has embeddings."""
    value = body.model_dump()
    value["namespace"] = _namespace(body.namespace_prefix)
    await allowed(request, "store", "search", value)
    try:
        items = await _store(request).asearch(
            tuple(value["namespace"]),
            query=value["query"],
            filter=value["filter"],
            limit=value["limit"],
            offset=value["offset"],
            refresh_ttl=body.refresh_ttl,
        )
    except (ValueError, TypeError) as error:
        raise Invalid(f"The search cannot be made: {error}") from error
    return answer({"items": [_shown(item) for item in items]})


@routes.post("/store/namespaces", summary="List namespaces")
async def namespaces(request: Request, body: schemas.NamespaceSearch) -> Response:
    """Namespaces by prefix and suffix."""
    value: dict[str, Any] = {
        "namespace": None if body.prefix is None else _namespace(body.prefix),
        "suffix": None if body.suffix is None else _namespace(body.suffix),
        "max_depth": body.max_depth,
        "limit": body.limit,
        "offset": body.offset,
    }
    await allowed(request, "store", "list_namespaces", value)
    prefix = value.pop("namespace")
    try:
        found = await _store(request).alist_namespaces(prefix=tuple(prefix) if prefix else None, **value)
    except (ValueError, TypeError) as error:
        raise Invalid(f"The namespaces cannot be listed: {error}") from error
    return answer({"namespaces": [list(namespace) for namespace in found]})


def _store(request: Request) -> BaseStore:
    return engine_of(request).backends.store


def _namespace(labels: list[str]) -> tuple[str, ...]:
    if any("." in label for label in labels):
        raise Invalid("A label of a namespace may not contain a dot.")
    if labels and labels[0] == "langgraph":
        raise Invalid("A namespace may not begin with 'langgraph'.")
    return tuple(labels)


def _shown(item: Item) -> dict[str, Any]:
    found: dict[str, Any] = {
        "namespace": list(item.namespace),
        "key": item.key,
        "value": item.value,
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }
    if isinstance(item, SearchItem):
        found["score"] = item.score
    return found
