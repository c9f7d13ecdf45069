"""The shared data of the guard's tests, and what every accepted query must look like."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from pausepoint.cypher import GuardedQuery, GuardRules

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "cypher"
TENANT = GuardRules()
OPEN = GuardRules(tenant_key=None, open_paths="lower")

_QUOTED = re.compile(r"`[^`]*`")
_FORBIDDEN = re.compile(
    r"\b(CREATE|MERGE|SET|DELETE|DETACH|NODETACH|REMOVE|INSERT|FOREACH|LOAD|CSV|USE|SHOW|DROP|ALTER|GRANT|DENY|REVOKE"
    r"|START|STOP|TERMINATE|ENABLE|DEALLOCATE|REALLOCATE|RENAME|EXPLAIN|PROFILE|CYPHER|USING|SEARCH|DEFINE|YIELD"
    r"|TRANSACTIONS)\b",
    re.IGNORECASE,
)
_PROCEDURE = re.compile(r"\bCALL\b(?! *(\{|\())", re.IGNORECASE)


@cache
def rows(name: str) -> list[dict]:
    path = FOLDER / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"{path.name} of the shared data is not here")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def queries(name: str) -> list[str]:
    return [row["query"] for row in rows(name)]


def must_be_refused() -> list[str]:
    """Writes, side effects, administration, other databases, several statements, hidden or not."""
    classes = {"write", "sideeffect", "admin", "usedb", "multi", "unicode", "quoting", "obfuscated-invalid"}
    return queries("tck_write") + [row["query"] for row in rows("attacks") if row["cls"] in classes]


def faults(guarded: GuardedQuery) -> list[str]:
    """What must never be in a query that runs, found without the guard's own parser."""
    bare = _QUOTED.sub("``", guarded.cypher)
    found = [match[0] for match in _FORBIDDEN.finditer(bare)]
    found += [sign for sign in ("'", '"', "\\", ";", "//", "/*", "=~", "!=") if sign in bare]
    if _PROCEDURE.search(bare):
        found.append("CALL of a procedure")
    if not bare.isascii():
        found.append("non-ASCII")
    return found
