"""A place in the token list, with what a recursive-descent parser needs there: look ahead, never go back.

Brackets are matched once before parsing, so that every decision is made by looking at a few tokens and parsing
stays linear; nesting is capped at the same time.
"""

from typing import NoReturn

from pausepoint.cypher.ast import Expr, Hops, Path, Query
from pausepoint.cypher.errors import CypherRefused
from pausepoint.cypher.lexer import Token

_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = frozenset(_OPEN.values())


class Cursor:
    """The token at hand and the ways to move on; base of the parser."""

    def __init__(self, tokens: list[Token], max_depth: int, source: str = "") -> None:
        """Match the brackets of `tokens`; raises CypherRefused when they do not match or nest too deep."""
        self.source = source
        self.tokens = tokens
        self.index: int = 0
        self.token = tokens[0]
        self.max_depth = max_depth
        self.nested = 0
        self.hops: Hops | None = None
        self.bars: list[int] = []
        self.closing: dict[int, int] = {}
        self.last_bar: dict[int, int] = {}
        self._match_brackets()

    def _match_brackets(self) -> None:
        stack: list[int] = []
        for index, token in enumerate(self.tokens):
            key = token.key
            if key in _OPEN:
                stack.append(index)
                if len(stack) > self.max_depth:
                    self.refuse("The query nests too deep.", "depth", token, "Flatten it.")
            elif key in _CLOSE:
                if not stack or _OPEN[self.tokens[stack[-1]].key] != key:
                    self.refuse(f"This {key!r} closes nothing.", "syntax", token)
                self.closing[stack.pop()] = index
            elif key == "|" and stack:
                self.last_bar[stack[-1]] = index
        if stack:
            opened = self.tokens[stack[-1]]
            self.refuse(f"This {opened.key!r} is never closed.", "syntax", opened)

    def key_at(self, index: int) -> str:
        """Return the key of the token at an absolute index, empty behind the end."""
        return self.tokens[index].key if index < len(self.tokens) else ""

    def peek(self, offset: int = 1) -> Token:
        """Return the token `offset` places ahead."""
        return self.tokens[min(self.index + offset, len(self.tokens) - 1)]

    def advance(self) -> Token:
        """Return the token at hand and step over it."""
        token = self.token
        if token.kind != "end":
            self.index += 1
            self.token = self.tokens[self.index]
        return token

    def accept(self, *keys: str) -> str:
        """Step over the token when it is one of `keys`; return its key, or an empty string."""
        key = self.token.key
        if key and key in keys:
            self.advance()
            return key
        return ""

    def accept_words(self, *words: str) -> bool:
        """Step over a run of words when all of them stand here."""
        for offset, word in enumerate(words):
            if self.peek(offset).key != word:
                return False
        for _ in words:
            self.advance()
        return True

    def expect(self, key: str) -> Token:
        """Step over `key` or refuse the query."""
        if self.token.key != key:
            self.unexpected(f"{key!r}")
        return self.advance()

    def at_name(self, offset: int = 0) -> bool:
        """Whether a name, plain or back-ticked, stands here."""
        return self.peek(offset).kind in ("name", "quoted")

    def name(self, what: str) -> str:
        """Read a name."""
        if not self.at_name():
            self.unexpected(what)
        return str(self.advance().value)

    def names(self, what: str) -> list[str]:
        """Read names separated by commas."""
        found = [self.name(what)]
        while self.accept(","):
            found.append(self.name(what))
        return found

    def unsigned(self, what: str) -> int:
        """Read an integer without a sign."""
        if self.token.kind != "int":
            self.unexpected(what)
        return int(self.advance().value)

    def unexpected(self, wanted: str) -> NoReturn:
        """Refuse the token at hand, naming what could stand there."""
        text = self.token.text[:60]
        found = f"Unexpected {text!r}" if text else "Unexpected end of the query"
        hint = "Not-equal is written '<>'." if text == "!=" else ""
        self.refuse(f"{found}; expected {wanted}.", "syntax", self.token, hint)

    def refuse(self, reason: str, rule: str, token: Token | None = None, hint: str = "") -> NoReturn:
        """Raise the refusal for a token, by default the one at hand."""
        raise CypherRefused(reason, rule=rule, position=(token or self.token).pos, hint=hint)

    def expression(self) -> Expr:
        """Read an expression."""
        raise NotImplementedError

    def path(self) -> Path:
        """Read one path pattern."""
        raise NotImplementedError

    def query(self) -> Query:
        """Read a query up to a token that cannot belong to it."""
        raise NotImplementedError
