"""What can go wrong with the graph, each with the value at fault and the way out."""

from pausepoint.errors import PausepointError


class GraphError(PausepointError):
    """Base of the errors of a graph."""


class GraphUnavailable(GraphError):
    """The graph does not answer, and asking again at once will not help."""


class GraphHeld(GraphUnavailable):
    """Another process uses the embedded graph's folder."""


class ConnectionLost(GraphUnavailable):
    """The connection ended under way; `commit_unknown` when a commit had been sent and not acknowledged."""

    def __init__(self, message: str, *, commit_unknown: bool = False) -> None:
        self.commit_unknown = commit_unknown
        super().__init__(message)


class QueryTimeout(GraphError):
    """The query took longer than it may; `unanswered` when the database did not stop it by itself."""

    def __init__(self, seconds: float, *, unanswered: bool = False) -> None:
        self.seconds, self.unanswered = seconds, unanswered
        super().__init__(
            f"the query was stopped after {seconds:g} s: match fewer nodes, bound variable-length paths "
            "(for example *1..3) or add a LIMIT"
        )


class QueryError(GraphError):
    """The database refused the query or failed on it.

    Attributes:
        code: the database's error code, for example `Neo.ClientError.Statement.SyntaxError`.
        message: the database's own words.
        repairable: a differently written query may succeed; false for refused rights and server trouble.
    """

    def __init__(self, code: str, message: str, *, repairable: bool) -> None:
        self.code, self.message, self.repairable = code, message, repairable
        advice = "write the query differently" if repairable else _ADVICE.get(code, "see the graph's log")
        super().__init__(f"the graph refused the query ({code}): {message} - {advice}")


TOO_LARGE = "Pausepoint.ResultTooLarge"
ENGINE_FAULT = "Pausepoint.EngineFault"
FORBIDDEN = "Neo.ClientError.Security.Forbidden"
READ_ONLY = "Neo.ClientError.Statement.AccessMode"

_ADVICE = {
    FORBIDDEN: "this login may only read; writes go through write() or write_all()",
    READ_ONLY: "this login may only read; writes go through write() or write_all()",
}
