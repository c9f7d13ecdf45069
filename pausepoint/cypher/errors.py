"""The one error the guard raises: which rule refused the query, where, and what to write instead."""

from bisect import bisect_right

from pausepoint.errors import PausepointError


class CypherRefused(PausepointError):
    """A query that will not run.

    Attributes:
        reason: One sentence: what is wrong, with the text it is about.
        rule: Short name of the rule, stable enough to count by (`write`, `function`, `hops`, ...).
        hint: What to write instead; may be empty.
        position: 0-based offset into the query.
        line: 1-based line of the position.
        column: 1-based column of the position.
    """

    def __init__(self, reason: str, *, rule: str, position: int = 0, hint: str = "", query: str = "") -> None:
        super().__init__(f"{reason} {hint}".strip())
        self.reason = reason
        self.rule = rule
        self.hint = hint
        self.position = position
        self.line, self.column = line_and_column(query, position)

    def located(self, query: str) -> "CypherRefused":
        """Return the same refusal with line and column of its position in `query`."""
        self.position = min(self.position, len(query))
        self.line, self.column = line_and_column(query, self.position)
        return self


def line_and_column(query: str, position: int) -> tuple[int, int]:
    """Return the 1-based line and column of a 0-based offset."""
    starts = [0, *(i + 1 for i, char in enumerate(query[:position]) if char == "\n")]
    line = bisect_right(starts, position)
    return line, position - starts[line - 1] + 1
