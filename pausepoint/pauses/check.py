"""Checks an answer against the pause's JSON Schema (2020-12), without ever asking anything outside this process."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import jsonschema_rs
import orjson

from pausepoint.pauses.messages import message, type_name

MAX_ANSWER_BYTES = 1024 * 1024
_MOST_ERRORS = 50
_SHORT = 200


@dataclass(frozen=True)
class FieldError:
    """One thing that is wrong with an answer."""

    path: tuple[str | int, ...]
    code: str
    message: str

    @property
    def field(self) -> str:
        """The place, as dotted text; empty for the answer itself."""
        return ".".join(str(part) for part in self.path)

    def show(self) -> dict[str, Any]:
        """As JSON."""
        return {"field": self.field, "path": list(self.path), "code": self.code, "message": self.message}


class UnusableSchema(ValueError):
    """A schema that answers cannot be checked against."""


def check_schema(schema: Any) -> str | None:
    """What is wrong with a schema, or None."""
    try:
        _validator(orjson.dumps(schema))
    except (UnusableSchema, TypeError) as error:
        return str(error)
    return None


def field_errors(answer: Any, schema: Any, language: str = "en") -> list[FieldError]:
    """Everything that is wrong with an answer; empty when it may be given to the graph.

    Args:
        answer: JSON value.
        schema: JSON Schema, or None: then any answer but null and {} is right, as those would only ask again.
        language: pl, en or de.
    """
    if answer is None:
        return [FieldError((), "empty", message("empty", language))]
    size = len(orjson.dumps(answer, option=orjson.OPT_NON_STR_KEYS))
    if size > MAX_ANSWER_BYTES:
        text = message("too_large", language, size=size, limit=MAX_ANSWER_BYTES)
        return [FieldError((), "too_large", text)]
    if schema is None:
        return [FieldError((), "empty", message("empty", language))] if answer == {} else []
    try:
        validator = _validator(orjson.dumps(schema))
    except UnusableSchema:
        return field_errors(answer, None, language)
    return _all_errors(validator, answer, language)


def _all_errors(validator: Any, answer: Any, language: str) -> list[FieldError]:
    found: list[FieldError] = []
    try:
        for error in validator.iter_errors(answer):
            found += _explained(error, language)
            if len(found) >= _MOST_ERRORS:
                break
    except (ValueError, RecursionError) as error:
        found.append(FieldError((), "other", message("other", language, message=_short(error))))
    return list(dict.fromkeys(found))


@lru_cache(maxsize=512)
def _validator(schema: bytes) -> Any:
    try:
        return jsonschema_rs.Draft202012Validator(
            orjson.loads(schema),
            validate_formats=True,
            retriever=_refuse,
            pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000),
        )
    except (ValueError, RecursionError) as error:
        raise UnusableSchema(f"The response schema cannot be used: {_short(error)}") from error


def _refuse(uri: str) -> Any:
    raise ValueError(f"A response schema may not refer to {uri!r}; put the definition into it.")


def _explained(error: Any, language: str) -> list[FieldError]:
    path = tuple(cast("Sequence[str | int]", error.instance_path))
    details: dict[str, Any] = error.kind.as_dict()
    rule = str(error.kind.name)
    if rule == "minLength" and error.instance == "":
        return [FieldError(path, rule, message("required", language))]
    if rule == "required":
        return [FieldError((*path, details["property"]), rule, message(rule, language))]
    if rule == "additionalProperties":
        return [
            FieldError((*path, str(name)), rule, message(rule, language, unexpected=repr(name)))
            for name in details.get("unexpected", [])[:_MOST_ERRORS]
        ]
    return [FieldError(path, rule, _text(error, rule, details, language))]


def _text(error: Any, rule: str, details: dict[str, Any], language: str) -> str:
    match rule:
        case "type":
            names = details.get("types") or [details.get("type", "?")]
            return message(rule, language, expected=", ".join(type_name(str(n), language) for n in names))
        case "enum":
            options = details.get("options") or []
            return message(rule, language, options=_short(", ".join(str(o) for o in options)))
        case "anyOf" | "oneOf":
            return message("anyOf", language)
        case "const":
            return message(rule, language, value=_short(details.get("expected_value")))
        case "format" | "pattern" | "uniqueItems":
            return message(rule, language, **{k: _short(v) for k, v in details.items()})
        case _ if "limit" in details or "multiple_of" in details:
            return message(rule, language, limit=details.get("limit", details.get("multiple_of")))
        case _:
            return message("other", language, message=_short(error.message))


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _SHORT else text[: _SHORT - 1] + "…"
