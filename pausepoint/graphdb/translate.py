"""Turns the driver's errors into those of `graphdb.errors`."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from pausepoint.graphdb.drivers import Address
from pausepoint.graphdb.errors import READ_ONLY, ConnectionLost, GraphUnavailable, QueryError, QueryTimeout


class Transient(QueryError):
    """The database says that the same transaction may succeed when it is run again."""


_UNAUTHORIZED = ("Neo.ClientError.Security.Unauthorized", "Neo.ClientError.Security.AuthenticationRateLimit")
_TIMED_OUT = "Neo.ClientError.Transaction.TransactionTimedOut"
_TIMED_OUT_WORDS = "exceeded the arcadedb.command.timeout"
"""What the embedded engine says, with no code of its own, when time ran out between two rows."""
_REPAIRABLE = ("Neo.ClientError.Statement.", "Neo.DatabaseError.General.UnknownError")


@contextmanager
def translated(address: Address, timeout: float) -> Generator[None, None, None]:
    """Raise our errors instead of the driver's.

    Args:
        address: named in the messages.
        timeout: seconds the query may take, named in `QueryTimeout`.
    """
    from neo4j.exceptions import DriverError, Neo4jError

    started = time.monotonic()
    try:
        yield
    except TimeoutError as error:
        raise QueryTimeout(timeout, unanswered=True) from error
    except Neo4jError as error:
        raise _from_database(error, address, time.monotonic() - started) from error
    except (DriverError, OSError) as error:
        raise _from_driver(error, address) from error


def _from_database(error: Any, address: Address, seconds: float) -> Exception:
    code, message = str(error.code), str(error.message)
    if code.startswith(_TIMED_OUT) or _TIMED_OUT_WORDS in message:
        return QueryTimeout(round(seconds, 1))
    if code in _UNAUTHORIZED:
        return GraphUnavailable(
            f"the graph at {address.uri} refused the login of {address.writer.user!r} or "
            f"{address.reader.user!r}: check GRAPH_USER and GRAPH_PASSWORD"
        )
    if error.is_retryable():
        return Transient(code, message, repairable=False)
    repairable = code.startswith(_REPAIRABLE) and code != READ_ONLY
    return QueryError(code, message, repairable=repairable)


def _from_driver(error: Exception, address: Address) -> Exception:
    from neo4j import exceptions

    lost = (exceptions.ServiceUnavailable, exceptions.SessionExpired, OSError)
    if isinstance(error, lost):
        unknown = isinstance(error, exceptions.IncompleteCommit)
        return ConnectionLost(
            f"the connection to the graph at {address.uri} was lost ({error}): is it running?",
            commit_unknown=unknown,
        )
    if isinstance(error, exceptions.ConfigurationError):
        return GraphUnavailable(f"the graph at {address.uri} cannot be used: {error}")
    # What is left are results and sessions of a driver that was closed.
    return ConnectionLost(f"the connection to the graph at {address.uri} was closed ({error})")
