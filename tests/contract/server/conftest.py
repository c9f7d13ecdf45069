import os

import pytest
from langgraph_sdk import get_client
from server_process import PROJECT, Served


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--url", default=None, help="Run the contract against this server instead of ours.")


@pytest.fixture(scope="session")
def server_url(request, tmp_path_factory):
    given = request.config.getoption("--url", default=None) or os.environ.get("PAUSEPOINT_CONTRACT_URL")
    if given:
        yield given
        return
    with Served(PROJECT / "langgraph.json", tmp_path_factory.mktemp("served")) as served:
        yield served.url


@pytest.fixture
async def client(server_url):
    async with get_client(url=server_url, api_key=None) as found:
        yield found


@pytest.fixture
async def thread(client):
    return (await client.threads.create())["thread_id"]
