"""Text to tokens, refusing what the databases would read differently.

Unicode escapes, control characters and non-ASCII outside strings, comments and back-ticks are refused here and never
decoded, because Neo4j decodes them before it looks for quotes and comments.
"""

import re
from dataclasses import dataclass
from typing import Any, Literal

from pausepoint.cypher.errors import CypherRefused

Kind = Literal["name", "quoted", "string", "int", "float", "param", "symbol", "end"]

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_BACKSLASH = re.compile(r"\\(u|U(?=[0-9A-Fa-f]{8})|.|$)", re.DOTALL)
_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\n]+)
  | (?P<comment>//[^\r\n]*|/\*.*?\*/)
  | (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
  | (?P<quoted>`(?:[^`]|``)*`)
  | (?P<float>[0-9][0-9_]*\.[0-9][0-9_]*(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_])
      |\.[0-9][0-9_]*(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_])
      |[0-9][0-9_]*[eE][+-]?[0-9]+(?![A-Za-z0-9_]))
  | (?P<int>0[xX][0-9A-Fa-f_]+(?![A-Za-z0-9_])|0[oO][0-7_]+(?![A-Za-z0-9_])|[0-9][0-9_]*(?![A-Za-z0-9_]))
  | (?P<param>\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+(?![A-Za-z_])|`(?:[^`]|``)*`))
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<unclosed>/\*)
  | (?P<symbol><=|>=|<>|!=|=~|\+=|\.\.|::|\|\||[-+*/%^=<>()\[\]{},.;:|&!$])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", "'": "'", '"': '"', "`": "`", "\\": "\\"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MAX_NAME = 512


@dataclass(slots=True)
class Token:
    """One word or sign. `key` is what grammar rules compare: upper case for names, empty for quoted text."""

    kind: Kind
    text: str
    key: str
    value: Any
    pos: int
    end: int


def check_text(query: str, max_chars: int) -> None:
    """Refuse what must not even be lexed: emptiness, excess length, escapes, control characters."""
    if not query.strip():
        raise CypherRefused("The query is empty.", rule="empty", hint="Write one MATCH ... RETURN query.")
    if len(query) > max_chars:
        reason = f"The query has {len(query)} characters; at most {max_chars} are allowed."
        raise CypherRefused(reason, rule="size", position=max_chars, hint="Ask for less at once.")
    if found := _CONTROL.search(query):
        reason = f"Control character U+{ord(found[0]):04X} is not allowed."
        raise CypherRefused(reason, rule="control-character", position=found.start(), hint="Remove it.")
    for found in _BACKSLASH.finditer(query):
        if found[1] in ("u", "U"):
            hint = "Write the character itself inside the string."
            raise CypherRefused(
                "Unicode escapes are not allowed.", rule="unicode-escape", position=found.start(), hint=hint
            )


def tokenize(query: str, max_tokens: int) -> list[Token]:
    """Split a query into tokens, without comments, ended by one token of kind `end`."""
    tokens: list[Token] = []
    position, scan = 0, _TOKEN.match
    while position < len(query):
        found = scan(query, position)
        if found is None or found.lastgroup == "unclosed":
            raise _bad_character(query, position)
        kind, text = str(found.lastgroup), found[0]
        if kind == "comment":
            _check_comment(text, position)
        elif kind != "space":
            tokens.append(_token(kind, text, position))
        position = found.end()
        if len(tokens) > max_tokens:
            reason = f"The query has more than {max_tokens} words and signs."
            raise CypherRefused(reason, rule="size", position=position, hint="Ask for less at once.")
    tokens.append(Token("end", "", "", None, len(query), len(query)))
    return tokens


def _token(kind: str, text: str, pos: int) -> Token:
    end = pos + len(text)
    if kind == "name":
        return Token("name", text, text.upper(), text, pos, end)
    if kind == "symbol":
        return Token("symbol", text, text, text, pos, end)
    if kind == "string":
        return Token("string", text, "", _unescape(text[1:-1]), pos, end)
    if kind == "int":
        return Token("int", text, "", _integer(text, pos), pos, end)
    if kind == "float":
        return Token("float", text, "", _float(text, pos), pos, end)
    if kind == "param":
        name = _unquote(text[1:], pos) if text[1] == "`" else text[1:]
        return Token("param", text, "", name, pos, end)
    return Token("quoted", text, "", _unquote(text, pos), pos, end)


def _unescape(body: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[0]), body) if "\\" in body else body


def _integer(text: str, pos: int) -> int:
    digits = text.replace("_", "").lower()
    if digits.startswith(("0x", "0o")):
        base = 16 if digits[1] == "x" else 8
        return int(digits[2:] or "0", base) if len(digits) < 40 else _too_large(text, pos)
    return int(digits) if len(digits) < 40 else _too_large(text, pos)


def _float(text: str, pos: int) -> float:
    value = float(text.replace("_", ""))
    return value if value != float("inf") else _too_large(text, pos)


def _too_large(text: str, pos: int) -> int:
    raise CypherRefused(
        f"The number {text[:40]!r} is too large.", rule="number", position=pos, hint="Use 64 bits."
    )


def _unquote(text: str, pos: int) -> str:
    name = text[1:-1]
    ok = 0 < len(name) <= _MAX_NAME and all(is_name_char(char) for char in name)
    if not ok:
        hint = "Use letters, digits, spaces and plain ASCII signs, no back-tick and no backslash."
        raise CypherRefused(f"The name {text[:40]} is not allowed.", rule="name", position=pos, hint=hint)
    return name


def is_name_char(char: str) -> bool:
    """Whether a character may stand in a back-ticked name: printable, no back-tick, no backslash."""
    return (" " <= char <= "~" and char not in "`\\") or (char > "\x7f" and char.isalnum())


def _check_comment(text: str, position: int) -> None:
    if text.isascii():
        return
    for offset, char in enumerate(text):
        if not char.isprintable() and char not in "\t\r\n":
            raise _non_ascii(char, position + offset)


def _bad_character(query: str, position: int) -> CypherRefused:
    char = query[position]
    if not char.isascii():
        return _non_ascii(char, position)
    if char in "'\"`" or query.startswith("/*", position):
        what = "comment" if char == "/" else "name" if char == "`" else "string"
        return CypherRefused(f"This {what} is not closed.", rule="lex", position=position, hint="Close it.")
    return CypherRefused(f"Unexpected character {char!r}.", rule="lex", position=position)


def _non_ascii(char: str, position: int) -> CypherRefused:
    reason = f"The character {char!r} (U+{ord(char):04X}) is only allowed inside strings and back-ticks."
    return CypherRefused(
        reason, rule="non-ascii", position=position, hint="Use plain ASCII for words and spaces."
    )
