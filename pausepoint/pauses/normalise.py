"""One reader for every client's answer: our own forms, Studio's text, agent-inbox replies, lists of decisions.

Only envelopes of ours are read this freely, and only when the answer as it stands does not fit.
"""

from collections.abc import Mapping
from typing import Any, cast

import orjson

_APPROVE = frozenset({"accept", "approve", "approved", "yes", "true"})
_REJECT = frozenset({"ignore", "reject", "rejected", "no", "false"})


def candidates(answer: Any, schema: Mapping[str, Any]) -> list[Any]:
    """What an answer may mean, the likeliest first.

    Args:
        answer: As a client sent it.
        schema: The response schema, of an object with fields.
    """
    found = [answer]
    unpacked = _unpacked(answer)
    if unpacked is not answer:
        found.append(unpacked)
    for value in tuple(found):
        parsed = _parsed(value)
        if parsed is not value:
            found.append(parsed)
        if not isinstance(parsed, (dict, list)):
            found += [{name: parsed} for name in _fields(schema)]
    return found


def _unpacked(answer: Any) -> Any:
    """What an inbox client's reply holds: `[{"type": "response", "args": …}]`, `{"decisions": [{"type": …}]}`."""
    if isinstance(answer, list) and len(cast("list[Any]", answer)) == 1:
        return _unpacked(cast("list[Any]", answer)[0])
    if not isinstance(answer, dict):
        return answer
    reply = cast("dict[str, Any]", answer)
    decisions = reply.get("decisions")
    if isinstance(decisions, list) and len(cast("list[Any]", decisions)) == 1:
        return _unpacked(cast("list[Any]", decisions)[0])
    word = reply.get("type")
    if not isinstance(word, str) or not set(reply) <= {"type", "args", "message", "edited_action"}:
        return answer
    return _reply(word.lower(), reply)


def _reply(word: str, reply: dict[str, Any]) -> Any:
    comment = reply.get("message") or (reply["args"] if isinstance(reply.get("args"), str) else None)
    extra = {"comment": comment} if comment else {}
    if word in _APPROVE:
        return {"decision": "approve", **extra}
    if word in _REJECT:
        return {"decision": "reject", **extra}
    content: Any = reply.get("edited_action") or reply.get("args")
    if isinstance(content, dict) and isinstance(cast("dict[str, Any]", content).get("args"), dict):
        return cast("dict[str, Any]", content)["args"]
    return comment if content is None else content


def _parsed(value: Any) -> Any:
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def _fields(schema: Mapping[str, Any]) -> list[str]:
    """The fields a bare value may be meant for: the required ones first."""
    properties: dict[str, Any] = schema.get("properties") or {}
    return sorted(properties, key=lambda name: name not in (schema.get("required") or []))
