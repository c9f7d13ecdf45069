"""Graph state as JSON: whatever a node returned becomes something a client can read, never an error."""

import base64
import dataclasses
import json
import traceback
from collections import deque
from collections.abc import Mapping
from datetime import timedelta
from pathlib import PurePath
from typing import Any, cast

import orjson
from langchain_core.messages import BaseMessage
from langgraph.types import Interrupt

_OPTIONS = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_PASSTHROUGH_DATACLASS


def to_json(value: Any) -> bytes:
    """Serialize any value; what JSON cannot hold is described by its text.

    Args:
        value: State, messages, errors, anything.

    Returns:
        UTF-8 JSON.
    """
    try:
        return orjson.dumps(value, plain, _OPTIONS)
    except TypeError:
        # Integers beyond 64 bits, lone surrogates, very deep nesting: slower, but tolerant.
        return _tolerant(value)


def to_plain(value: Any) -> Any:
    """The value as JSON types, as a client will see it."""
    return orjson.loads(to_json(value))


def from_json(data: str | bytes | None) -> Any:
    """Parse a JSON column; NULL is None."""
    return None if data is None else orjson.loads(data)


def plain(value: Any) -> Any:
    """One step from a Python object towards JSON types (the `default` of orjson)."""
    if isinstance(value, Interrupt):
        return interrupt_json(value)
    if isinstance(value, BaseMessage):
        # As `model_dump` shows it, without its cost: a long thread has thousands, each time.
        return {**value.__dict__, **(value.__pydantic_extra__ or {})}
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, BaseException):
        return error_json(value)
    return _builtin(value)


def interrupt_json(interrupt: Interrupt) -> dict[str, Any]:
    """An interrupt as the API shows it: value, id and, when there is one, the schema of its answer."""
    found: dict[str, Any] = {"value": interrupt.value, "id": interrupt.id}
    schema = getattr(interrupt, "response_schema", None)
    if schema is not None:
        found["response_schema"] = schema
    return found


def error_json(error: BaseException) -> dict[str, str]:
    """An exception as the API shows it."""
    return {"error": type(error).__name__, "message": str(error)}


def trace_of(error: BaseException) -> str:
    """The traceback as text."""
    return "".join(traceback.format_exception(error))


def _builtin(value: Any) -> Any:
    if isinstance(value, (set, frozenset, deque, tuple)):
        return list(cast("set[Any]", value))
    if isinstance(value, Mapping):
        return dict(cast("Mapping[Any, Any]", value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, PurePath):
        return str(value)
    named = getattr(value, "_asdict", None)
    if callable(named):
        return named()
    return repr(value)


def _tolerant(value: Any) -> bytes:
    try:
        text = json.dumps(_walk(value, 0), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(_text(repr(type(value))))
    return text.encode("utf-8", "replace")


def _walk(value: Any, depth: int) -> Any:
    """JSON types, with deep nests cut, and text that UTF-8 can hold."""
    if depth > 200:
        return "..."
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {_text(str(k)): _walk(v, depth + 1) for k, v in items}
    if isinstance(value, (list, tuple)):
        return [_walk(v, depth + 1) for v in cast("list[Any]", value)]
    return _walk(_leaf(value), depth + 1)


def _leaf(value: Any) -> Any:
    try:
        return orjson.loads(orjson.dumps(value, None, _OPTIONS))
    except TypeError:
        return plain(value)


def _text(value: str) -> str:
    return value.encode("utf-8", "replace").decode("utf-8")
