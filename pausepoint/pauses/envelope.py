"""The envelope of a pause: what a person needs to see to answer, and the JSON Schema of the answer."""

from typing import Any

from pausepoint.pauses.question import MARK

Json = dict[str, Any]


def clarification(
    *,
    message: str,
    options: list[str],
    errors: list[dict[str, str]],
    attempt: int,
    language: str,
    context: Json,
) -> tuple[Json, Json]:
    """A question with options, which may also be answered freely.

    Args:
        message: what is asked.
        options: the offered answers, in order; the answer may be a number from 1, the text, or a free text.
        errors: what was wrong with the last answer: {"field", "message"}.
        attempt: 1 for the first time it is asked.
        language: ISO 639-1 code the message is in.
        context: what the pause is about, shown as it is.

    Returns:
        The value to interrupt with, and the JSON Schema (2020-12) of the answer. The value also has the
        `action_requests` / `review_configs` shape that inbox clients read.
    """
    schema: Json = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": message,
        "type": ["object", "string", "integer"],
        "maxLength": 500,
        "properties": {
            "choice": {"type": ["string", "integer"], "title": message, "examples": options},
            "text": {"type": "string", "maxLength": 500},
        },
        "anyOf": [{"type": ["string", "integer"]}, {"required": ["choice"]}, {"required": ["text"]}],
    }
    envelope: Json = {
        MARK: 1,
        "kind": "clarification",
        "title": message,
        "message": message,
        "options": options,
        "schema": schema,
        "ui": {"choice": {"widget": "radio", "options": options}, "text": {"widget": "textarea"}},
        "errors": errors,
        "attempt": attempt,
        "language": language,
        "context": context,
        "action_requests": [{"name": "clarification", "args": {"options": options}, "description": message}],
        "review_configs": [{"action_name": "clarification", "allowed_decisions": ["respond"]}],
    }
    return envelope, schema
