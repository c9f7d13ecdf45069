"""Journal events as the thread stream protocol shows them, whichever API started the run; and the other way round."""

from collections.abc import Mapping
from typing import Any

import orjson

from pausepoint.server.protocol.translate import PREFIX
from pausepoint.server.serialize import to_json
from pausepoint.server.tables.events import Event

_CLASSIC = {"values", "updates", "tasks", "checkpoints", "custom", "tools"}


def wire(event: Event) -> dict[str, Any] | None:
    """A journal event as a protocol event; None for what the protocol does not know."""
    if event.event.startswith(PREFIX):
        return _envelope(event, event.event.removeprefix(PREFIX), orjson.loads(event.data))
    name, *namespace = event.event.split("|")
    if name == "metadata":
        return _lifecycle(event, {"event": "running", "run_id": event.run_id})
    if name == "end":
        return _lifecycle(event, ending(orjson.loads(event.data)))
    if name not in _CLASSIC:
        return None
    data = orjson.loads(event.data)
    if name == "values" and isinstance(data, dict):
        data.pop("__interrupt__", None)
    if name == "updates":
        data = _update(data)
    if name == "custom":
        data = {"payload": data}
    return (
        None
        if data is None
        else _envelope(event, name, {"namespace": namespace, "timestamp": 0, "data": data})
    )


def classic(event: Event) -> Event | None:
    """A journal event as the runs API shows it; None for what it does not know."""
    if event.event == "end":
        return event._replace(data=b"null")
    if not event.event.startswith(PREFIX):
        return event
    method = event.event.removeprefix(PREFIX)
    if method not in ("values", "updates", "tasks", "custom", "tools"):
        return None
    found = orjson.loads(event.data)
    name = "|".join([method, *found["namespace"]])
    data = found["data"]
    if method == "updates":
        data = {data["node"]: data["values"]}
    if method == "custom":
        data = data.get("payload")
    return event._replace(event=name, data=to_json(data))


def ending(end: Mapping[str, Any] | None) -> dict[str, Any]:
    """How a run ended, as a lifecycle event says it."""
    status = (end or {}).get("status")
    if status == "error":
        return {"event": "failed", "error": (end or {}).get("message") or "The run failed."}
    if status == "paused":
        return {"event": "interrupted"}
    if status == "interrupted":
        return {"event": "failed", "error": (end or {}).get("message") or "The run was cancelled."}
    return {"event": "completed"}


def _lifecycle(event: Event, data: dict[str, Any]) -> dict[str, Any]:
    return _envelope(event, "lifecycle", {"namespace": [], "timestamp": 0, "data": data})


def _envelope(event: Event, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"type": "event", "event_id": str(event.id), "seq": event.id, "method": method, "params": params}


def _update(data: Any) -> dict[str, Any] | None:
    if not isinstance(data, dict) or "__interrupt__" in data or not data:
        return None
    node, values = next(iter(data.items()))
    return {"node": node, "values": values}
