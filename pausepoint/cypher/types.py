"""Names of value types behind `IS ::`, read as plain words from a closed list."""

from pausepoint.cypher.cursor import Cursor
from pausepoint.cypher.keywords import words

_TYPE_WORDS = words(
    """ANY ARRAY BOOL BOOLEAN DATE DATETIME DURATION EDGE FLOAT FLOAT32 FLOAT64 INT INT8 INT16 INT32 INT64
    INTEGER INTEGER8 INTEGER16 INTEGER32 INTEGER64 LIST LOCAL MAP NODE NOTHING NULL PATH PATHS POINT PROPERTY
    RELATIONSHIP SIGNED STRING TIME TIMESTAMP TIMEZONE VALUE VARCHAR VECTOR VERTEX WITH WITHOUT ZONE ZONED"""
)


def type_words(cursor: Cursor) -> str:
    """Read a type such as `LIST<INTEGER NOT NULL> | STRING` and return it in canonical spelling."""
    found = [_one_type(cursor)]
    while cursor.token.key == "|" and cursor.index not in cursor.bars:
        cursor.advance()
        found.append(_one_type(cursor))
    return " | ".join(found)


def _one_type(cursor: Cursor) -> str:
    if cursor.token.key not in _TYPE_WORDS:
        cursor.unexpected("a type such as STRING or LIST<INTEGER>")
    found: list[str] = []
    while cursor.token.key in _TYPE_WORDS and not _starts_clause(cursor):
        found.append(cursor.advance().key)
    if cursor.token.key == "<" and found[-1] in ("LIST", "ARRAY", "ANY", "VECTOR"):
        found[-1] += _inner(cursor)
    while cursor.token.key in ("NOT", "LIST", "ARRAY", "!"):
        found.append(cursor.advance().key)
        if found[-1] == "NOT":
            found.append(cursor.expect("NULL").key)
    return " ".join(found)


def _starts_clause(cursor: Cursor) -> bool:
    return cursor.token.key == "WITH" and cursor.peek().key not in ("TIME", "TIMEZONE")


def _inner(cursor: Cursor) -> str:
    cursor.expect("<")
    cursor.nested += 1
    if cursor.nested > cursor.max_depth:
        cursor.refuse("The type nests too deep.", "depth")
    inner = type_words(cursor)
    cursor.nested -= 1
    cursor.expect(">")
    return f"<{inner}>"
