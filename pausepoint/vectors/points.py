"""Points checked before they reach a store, so that a bad one is named and none of its batch is written."""

import math
import re
from collections.abc import Collection, Sequence
from typing import Any, cast
from uuid import UUID

import orjson

from pausepoint.vectors.errors import DimensionMismatch, InvalidCollection, InvalidFilter, InvalidPoint
from pausepoint.vectors.port import Filter, Point

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,119}")


def check_name(collection: str) -> str:
    """The name itself; raises `InvalidCollection` for one that could leave the store's folder."""
    if not _NAME.fullmatch(collection):
        raise InvalidCollection(collection)
    return collection


def checked_id(point_id: str) -> str:
    """The id in canonical form; raises `InvalidPoint` unless it is a UUID."""
    try:
        return str(UUID(point_id))
    except (ValueError, AttributeError, TypeError):
        raise InvalidPoint(str(point_id), "the id is no UUID") from None


def checked_vector(collection: str, vector: Sequence[float], dimensions: int) -> list[float]:
    """The vector as finite Python floats of the collection's length."""
    values = [float(value) for value in vector]
    if len(values) != dimensions:
        raise DimensionMismatch(collection, dimensions, len(values))
    if not all(map(math.isfinite, values)):
        raise InvalidPoint("", f"a vector for {collection!r} holds NaN or infinity")
    return values


def checked_point(collection: str, point: Point, dimensions: int) -> Point:
    """The point as it will be kept; raises `InvalidPoint` or `DimensionMismatch`."""
    identity = checked_id(point.id)
    try:
        vector = checked_vector(collection, point.vector, dimensions)
    except (InvalidPoint, TypeError, ValueError):
        raise InvalidPoint(point.id, "the vector is not a list of finite numbers") from None
    return Point(identity, vector, _plain(point))


def checked_filter(where: Filter | None) -> dict[str, str | int | bool | list[str]]:
    """Conditions with sequences as lists; raises `InvalidFilter` for what no store can match."""
    conditions: dict[str, str | int | bool | list[str]] = {}
    for key, value in (where or {}).items():
        if isinstance(value, str | int):
            conditions[key] = value
        else:
            conditions[key] = _strings(key, value)
    return conditions


def _strings(key: str, value: object) -> list[str]:
    if not isinstance(value, list | tuple | set | frozenset):
        raise InvalidFilter(key, value)
    strings = [each for each in cast("Collection[object]", value) if isinstance(each, str)]
    if len(strings) != len(cast("Collection[object]", value)):
        raise InvalidFilter(key, cast("object", value))
    return strings


def _plain(point: Point) -> dict[str, Any]:
    try:
        return orjson.loads(orjson.dumps(point.payload))
    except (orjson.JSONEncodeError, TypeError, ValueError) as error:
        raise InvalidPoint(point.id, f"the payload is not plain JSON ({error})") from None
