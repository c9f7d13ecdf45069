"""Columns of WITH and RETURN, their order and their limits."""

from pausepoint.cypher.ast import Expr, Item, Page, Projection, SortKey
from pausepoint.cypher.parser_patterns import PatternParser


class ProjectionParser(PatternParser):
    """Reads what stands behind WITH, RETURN and LET."""

    def projection(self, keyword: str, pos: int) -> Projection:
        """Read what stands behind WITH or RETURN."""
        distinct = self.accept("DISTINCT") == "DISTINCT"
        if not distinct and self.token.key == "ALL" and self.peek().key not in ("(", ",", ".", "AS", ""):
            self.advance()
        star = self.accept("*") == "*"
        items = [] if star and not self.accept(",") else self._items()
        group_by = self._group_by()
        page = self.page()
        where = self.expression() if keyword == "WITH" and self.accept("WHERE") else None
        return Projection(keyword, distinct, star, items, group_by, page, where, pos=pos)

    def _items(self) -> list[Item]:
        found = [self._item()]
        while self.accept(","):
            found.append(self._item())
        return found

    def _item(self) -> Item:
        start = self.token.pos
        begin: int = self.index
        value = self.expression()
        source = self._source_between(begin, self.index)
        alias = self.name("a name") if self.accept("AS") else None
        return Item(value, alias, source, pos=start)

    def _source_between(self, first: int, behind: int) -> str:
        """The text of an expression without the comments in it."""
        pieces: list[str] = []
        for index in range(first, behind):
            token = self.tokens[index]
            gap = self.source[self.tokens[index - 1].end : token.pos] if index > first else ""
            pieces.append((gap if gap.isspace() else " " if gap else "") + token.text)
        return "".join(pieces)

    def let_items(self) -> list[Item]:
        """Read `x = e, y = f`."""
        found: list[Item] = []
        while True:
            pos = self.token.pos
            alias = self.name("a variable")
            self.expect("=")
            found.append(Item(self.expression(), alias, pos=pos))
            if not self.accept(","):
                return found

    def _group_by(self) -> list[Expr]:
        if not self.accept_words("GROUP", "BY"):
            return []
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        return found

    def page(self) -> Page:
        """Read ORDER BY, SKIP and LIMIT, as far as they are there."""
        page = Page(pos=self.token.pos)
        if self.accept("ORDER"):
            self.expect("BY")
            page.order = [self._sort_key()]
            while self.accept(","):
                page.order.append(self._sort_key())
        if self.accept("SKIP", "OFFSET"):
            page.skip = self.expression()
        if self.accept("LIMIT"):
            page.limit = self.expression()
        return page

    def _sort_key(self) -> SortKey:
        pos = self.token.pos
        value = self.expression()
        word = self.accept("ASC", "ASCENDING", "DESC", "DESCENDING")
        return SortKey(value, word.startswith("DESC"), pos=pos)
