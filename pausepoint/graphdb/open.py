"""Opens the graph that the settings name."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pausepoint.graphdb.port import GraphDatabase
    from pausepoint.settings import Settings


async def open_graph(settings: "Settings") -> "GraphDatabase":
    """The Neo4j server at `GRAPH_URI`, or the embedded engine in `<data>/graph`; close it when done.

    The embedded engine is shared by everyone who opens it in this process, and still starting when this
    returns; `ready()` waits for it, and so does the first query.

    Raises:
        GraphHeld: another process has the embedded graph open.
    """
    if settings.graph_uri:
        return _server(settings)
    from pausepoint.graphdb.child import Options
    from pausepoint.graphdb.embedded import EmbeddedGraph

    options = Options(time_limit=settings.graph_read_timeout, heap=settings.graph_heap)
    return await EmbeddedGraph.open(settings.data / "graph", options)


def _server(settings: "Settings") -> "GraphDatabase":
    from pausepoint.graphdb.bolt import BoltGraph
    from pausepoint.graphdb.drivers import Address, Login

    writer = Login(settings.graph_user, settings.graph_password.get_secret_value())
    reader = writer
    if settings.graph_reader_user:
        reader = Login(settings.graph_reader_user, settings.graph_reader_password.get_secret_value())
    return BoltGraph(Address(settings.graph_uri, settings.graph_database, reader, writer))
