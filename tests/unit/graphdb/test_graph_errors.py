"""What the driver raises and returns, in our words; none of it needs a database."""

import asyncio
import socket

import neo4j.exceptions
import neo4j.time
import pytest
from neo4j.spatial import CartesianPoint

from pausepoint.graphdb import open_graph
from pausepoint.graphdb.bolt import BoltGraph
from pausepoint.graphdb.drivers import Address, Login
from pausepoint.graphdb.errors import ConnectionLost, GraphError, GraphUnavailable, QueryError, QueryTimeout
from pausepoint.graphdb.schema import InvalidName, identifier
from pausepoint.graphdb.translate import translated
from pausepoint.graphdb.values import Converter
from pausepoint.settings import Settings

ADDRESS = Address("bolt://127.0.0.1:7687", "neo4j", Login("reader", "hush"), Login("writer", "hush"))


def ours(error: Exception) -> GraphError:
    with pytest.raises(GraphError) as raised, translated(ADDRESS, 3):
        raise error
    return raised.value


def database_error(code: str, message: str = "words") -> Exception:
    return neo4j.exceptions.Neo4jError._hydrate_neo4j(code=code, message=message)


@pytest.mark.parametrize(
    ("code", "repairable"),
    [
        ("Neo.ClientError.Statement.SyntaxError", True),
        ("Neo.ClientError.Statement.SemanticError", True),
        ("Neo.DatabaseError.General.UnknownError", True),
        ("Neo.ClientError.Statement.AccessMode", False),
        ("Neo.ClientError.Security.Forbidden", False),
        ("Neo.TransientError.Transaction.DeadlockDetected", False),
        ("Neo.DatabaseError.Transaction.TransactionStartFailed", False),
    ],
)
def test_which_mistakes_another_wording_can_mend(code: str, repairable: bool) -> None:
    error = ours(database_error(code))
    assert isinstance(error, QueryError)
    assert (error.code, error.message, error.repairable) == (code, "words", repairable)


@pytest.mark.parametrize(
    "error",
    [
        database_error("Neo.ClientError.Transaction.TransactionTimedOut"),
        database_error("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration"),
        database_error(
            "Neo.DatabaseError.General.UnknownError",
            "the command exceeded the arcadedb.command.timeout of 1ms",
        ),
        TimeoutError(),
    ],
)
def test_every_kind_of_timeout_is_one(error: Exception) -> None:
    found = ours(error)
    assert isinstance(found, QueryTimeout)
    assert found.unanswered == isinstance(error, TimeoutError)


def test_a_lost_commit_is_told_from_a_lost_transaction() -> None:
    before, during = (
        ours(neo4j.exceptions.ServiceUnavailable("x")),
        ours(neo4j.exceptions.IncompleteCommit("x")),
    )
    assert isinstance(before, ConnectionLost) and not before.commit_unknown
    assert isinstance(during, ConnectionLost) and during.commit_unknown


def test_a_refused_login_names_the_settings_and_no_password() -> None:
    error = ours(database_error("Neo.ClientError.Security.Unauthorized"))
    assert isinstance(error, GraphUnavailable) and "GRAPH_PASSWORD" in str(error)
    assert "hush" not in str(error) and "hush" not in repr(ADDRESS)


async def test_nobody_there_is_said_with_the_address() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        uri = f"bolt://127.0.0.1:{probe.getsockname()[1]}"
    settings = Settings(graph_uri=uri)  # pyright: ignore[reportCallIssue]
    graph = await open_graph(settings)
    with pytest.raises(GraphUnavailable, match=uri):
        await graph.ready()
    with pytest.raises(GraphUnavailable, match=uri):
        await graph.read("RETURN 1")
    await graph.close()


async def test_a_server_that_never_answers_is_given_up() -> None:
    """It takes the connection and says nothing: the read ends in its own time."""
    silent = await asyncio.start_server(lambda _reader, _writer: asyncio.sleep(60), "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    graph = BoltGraph(
        Address(f"bolt://127.0.0.1:{port}", "neo4j", Login("a", "b"), Login("a", "b")),
        grace=0.1,
        reconnects=0,
    )
    with pytest.raises((QueryTimeout, GraphUnavailable)):
        await graph.read("RETURN 1", timeout=0.2)
    await graph.close()
    silent.close()


async def test_server_settings_choose_the_logins() -> None:
    values = {"graph_uri": "bolt://x", "graph_user": "w", "graph_password": "1"}
    alone = await open_graph(Settings.model_validate(values))
    both = await open_graph(
        Settings.model_validate({**values, "graph_reader_user": "r", "graph_reader_password": "2"})
    )
    assert isinstance(alone, BoltGraph) and isinstance(both, BoltGraph)
    assert alone.address.reader == alone.address.writer == Login("w", "1")
    assert both.address.reader == Login("r", "2") and both.address.writer == Login("w", "1")


def test_values_become_json() -> None:
    plain = Converter().plain
    assert plain(neo4j.time.Duration(days=1, hours=2)) == "P1DT2H"
    assert plain(neo4j.time.Date(2024, 2, 29)) == "2024-02-29"
    assert plain(CartesianPoint((1.0, 2.0, 3.0))) == "POINT Z (1.0 2.0 3.0)"
    assert plain(bytearray(b"\x00\xff")) == "AP8="
    assert plain([float("inf"), float("nan"), {"a": (1, "ż")}]) == [None, None, {"a": [1, "ż"]}]


@pytest.mark.parametrize("name", ["A", "_a1", "Sol_i_popiol_1a2b3c4d_Artifact", "X" * 120])
def test_ascii_identifiers_are_names(name: str) -> None:
    assert identifier(name) == name


@pytest.mark.parametrize("name", ["Łódź", "a-b", "a`b", "", "1", "a\n", "X" * 121])
def test_anything_else_is_refused_with_what_to_do(name: str) -> None:
    with pytest.raises(InvalidName, match="ASCII"):
        identifier(name)
