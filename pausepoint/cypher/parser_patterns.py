"""Graph patterns: nodes, relationships, groups with quantifiers, path selectors, shortestPath."""

from itertools import pairwise

from pausepoint.cypher.ast import (
    Element,
    Expr,
    GroupPattern,
    Hops,
    LabelExpr,
    MapLiteral,
    NodePattern,
    Path,
    RelPattern,
)
from pausepoint.cypher.parser_atoms import AtomParser

_NODE_STARTS = (")", ":", "{", "WHERE", "IS")
_REL_STARTS = ("]", ":", "{", "WHERE", "IS", "*")
_SHORTEST = {"SHORTESTPATH": "shortestPath", "ALLSHORTESTPATHS": "allShortestPaths"}
_PATH_MODES = ("WALK", "TRAIL", "ACYCLIC", "SIMPLE")
_MAX_PATHS = 10


class PatternParser(AtomParser):
    """Reads patterns."""

    def pattern_ahead(self, index: int) -> bool:
        """Whether the `(` at an absolute index starts a pattern with at least one relationship."""
        if not self._starts_inside(index, _NODE_STARTS):
            return False
        after = self.closing[index] + 1
        if self.key_at(after) == "<":
            after += 1
        return self.key_at(after) == "-" and self._arrow_ends(after + 1)

    def _starts_inside(self, index: int, starts: tuple[str, ...]) -> bool:
        """Whether the bracket at `index` holds what a node or relationship pattern holds."""
        key, token = self.key_at(index + 1), self.tokens[index + 1]
        if key in starts or token.kind == "param":
            return True
        named = token.kind in ("name", "quoted")
        return named and (
            self.key_at(index + 2) in starts
            or self.tokens[index + 2].kind == "param"
            or self.closing[index] == index + 2
        )

    def _arrow_ends(self, index: int) -> bool:
        """Whether a relationship goes on behind its first dash and ends at a node."""
        if self.key_at(index) == "[":
            if not self._starts_inside(index, _REL_STARTS):
                return False
            index = self.closing[index] + 1
        if self.key_at(index) != "-":
            return False
        index += 2 if self.key_at(index + 1) == ">" else 1
        if self.key_at(index) == "{":
            index = self.closing[index] + 1
        elif self.key_at(index) in ("+", "*"):
            index += 1
        return self.key_at(index) == "("

    def path(self) -> Path:
        """Read one path pattern, with its variable and selector."""
        pos = self.token.pos
        variable = None
        if self.at_name() and self.peek().key == "=":
            variable = self.name("a path variable")
            self.expect("=")
        selector = self._selector()
        path = self._shortest() if self.token.key in _SHORTEST else Path(self._elements())
        path.variable, path.selector, path.pos = variable, selector, pos
        return path

    def paths(self) -> list[Path]:
        """Read path patterns separated by commas."""
        found = [self.path()]
        while self.accept(","):
            found.append(self.path())
        return found

    def _selector(self) -> str:
        """Read `ANY SHORTEST`, `SHORTEST 2 GROUPS`, ... in canonical spelling."""
        words: list[str] = []
        if self.token.kind == "name" and self.token.key in ("ANY", "ALL", "SHORTEST"):
            words.append(self.advance().key)
            if words[0] != "SHORTEST" and self.accept("SHORTEST"):
                words.append("SHORTEST")
            words += self._path_count()
        if self.token.kind == "name" and self.token.key in _PATH_MODES:
            words.append(self.advance().key)
        self.accept("PATH", "PATHS")
        if words and words[0] == "SHORTEST" and self.accept("GROUP", "GROUPS"):
            words.append("GROUPS")
        return " ".join(words)

    def _path_count(self) -> list[str]:
        if self.token.kind == "param":
            self.refuse(
                "The number of paths must be a literal.", "shortest", hint="Write SHORTEST 1, for example."
            )
        if self.token.kind != "int":
            return []
        token = self.advance()
        if not 1 <= token.value <= _MAX_PATHS:
            self.refuse(
                f"{token.value} paths are too many.", "shortest", token, f"Ask for 1 to {_MAX_PATHS}."
            )
        return [str(token.value)]

    def _shortest(self) -> Path:
        token = self.advance()
        self.expect("(")
        elements = self._elements()
        self.expect(")")
        nodes_and_rel = len(elements) == 3 and isinstance(elements[1], RelPattern)
        if not nodes_and_rel:
            hint = "Write shortestPath((a)-[*..5]-(b))."
            self.refuse(f"{token.text} takes one relationship between two nodes.", "syntax", token, hint)
        return Path(elements, shortest=_SHORTEST[token.key])

    def _elements(self) -> list[Element]:
        found: list[Element] = [self._node_or_group()]
        while True:
            if self._relationship_here() and isinstance(found[-1], NodePattern):
                found += [self._relationship(), self._node()]
            elif self.token.key == "(":
                found.append(self._node_or_group())
            else:
                break
        return self._checked(found)

    def _relationship_here(self) -> bool:
        return self.token.key == "-" or (self.token.key == "<" and self.peek().key == "-")

    def _checked(self, elements: list[Element]) -> list[Element]:
        for before, after in pairwise(elements):
            if isinstance(before, NodePattern) and isinstance(after, NodePattern):
                self.refuse(
                    "Two nodes stand side by side.",
                    "syntax",
                    self.token,
                    "Put a relationship or a comma between.",
                )
        return elements

    def _node_or_group(self) -> NodePattern | GroupPattern:
        inside = self.peek()
        group = inside.key == "(" or (self.at_name(1) and self.peek(2).key == "=")
        return self._group() if group else self._node()

    def _group(self) -> GroupPattern:
        pos = self.expect("(").pos
        path = self.path()
        where = self.expression() if self.accept("WHERE") else None
        self.expect(")")
        return GroupPattern(path, where, self._quantifier_hops(), pos=pos)

    def _node(self) -> NodePattern:
        pos = self.expect("(").pos
        variable, labels, properties, where = self._filling(NodePattern)
        self.expect(")")
        return NodePattern(variable, labels, properties, where, pos=pos)

    def _filling(self, owner: type) -> tuple[str | None, LabelExpr | None, MapLiteral | None, Expr | None]:
        """Read `name:Label {properties} WHERE condition`, each part optional."""
        starts = _NODE_STARTS if owner is NodePattern else _REL_STARTS
        anonymous = (
            self.token.kind == "name" and self.token.key in ("WHERE", "IS") and self.peek().key not in starts
        )
        variable = self.name("a variable") if self.at_name() and not anonymous else None
        labels = self.label_expression() if self.accept(":", "IS") else None
        length = self._length() if owner is RelPattern and self.token.key == "*" else None
        properties = self._properties()
        where = self.expression() if self.accept("WHERE") else None
        self.hops = length
        return variable, labels, properties, where

    def _properties(self) -> MapLiteral | None:
        if self.token.kind == "param":
            hint = "Name the keys: {key: $value}."
            self.refuse(
                f"{self.token.text} as the properties of a pattern is not allowed.", "pattern-map", hint=hint
            )
        return self.map_literal() if self.token.key == "{" else None

    def _relationship(self) -> RelPattern:
        pos = self.token.pos
        left = bool(self.accept("<"))
        self.expect("-")
        rel = RelPattern(left=left, pos=pos)
        if self.accept("["):
            rel.variable, rel.types, rel.properties, rel.where = self._filling(RelPattern)
            rel.length, self.hops = self.hops, None
            self.expect("]")
        self.expect("-")
        rel.right = bool(self.accept(">"))
        rel.quantifier = self._quantifier_hops()
        return rel

    def _length(self) -> Hops:
        """Read `*`, `*2`, `*1..3`, `*..3` or `*1..`."""
        pos = self.expect("*").pos
        low = self.unsigned("a number") if self.token.kind == "int" else None
        if not self.accept(".."):
            return Hops(low, low, pos=pos)
        high = self.unsigned("a number") if self.token.kind == "int" else None
        return Hops(low, high, pos=pos)

    def _quantifier_hops(self) -> Hops | None:
        pos = self.token.pos
        if sign := self.accept("+", "*"):
            return Hops(int(sign == "+"), None, pos=pos)
        if self.token.key != "{":
            return None
        self.advance()
        low = self.unsigned("a number") if self.token.kind == "int" else None
        high = low
        if self.accept(","):
            high = self.unsigned("a number") if self.token.kind == "int" else None
        elif low is None:
            self.unexpected("a number")
        self.expect("}")
        return Hops(low or 0, high, pos=pos)
