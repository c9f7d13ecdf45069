"""The engines that keep the graph's contract: the embedded one, and a Neo4j server at TEST_GRAPH_URI."""

import os
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from graph_place import Place

from pausepoint.graphdb import delete_campaign, ensure_label, supervisor
from pausepoint.graphdb.bolt import BoltGraph
from pausepoint.graphdb.child import Options
from pausepoint.graphdb.drivers import Address, Login
from pausepoint.graphdb.embedded import EmbeddedGraph
from pausepoint.graphdb.port import GraphDatabase

ENGINES = ["embedded", *(["server"] if os.environ.get("TEST_GRAPH_URI") else [])]
LIMIT = 2.0


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A running engine's folder; tests open it in loops of their own."""
    path = tmp_path_factory.mktemp("graph")
    engine = supervisor.acquire(path, Options(time_limit=LIMIT, heap="96m"))
    yield path
    supervisor.release(engine)


@pytest.fixture(params=ENGINES)
async def place(request: pytest.FixtureRequest) -> AsyncIterator[Place]:
    if request.param == "embedded":
        graph: GraphDatabase = await EmbeddedGraph.open(request.getfixturevalue("folder"), grace=0.5)
    else:
        login = Login(os.environ.get("TEST_GRAPH_USER", "neo4j"), os.environ.get("TEST_GRAPH_PASSWORD", ""))
        graph = BoltGraph(Address(os.environ["TEST_GRAPH_URI"], "neo4j", login, login))
    here = Place(graph, request.param, f"T_{uuid.uuid4().hex}", str(uuid.uuid4()))
    await ensure_label(graph, here.label)
    yield here
    await delete_campaign(graph, here.campaign, label=here.label)
    await graph.close()
