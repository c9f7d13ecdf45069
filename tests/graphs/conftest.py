"""The assistant's compiled graph on real stores with two tiny campaigns, offline or with a scripted chat model."""

import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from assistant_house import House

from graphs.assistant import make_graph
from pausepoint.models.scripted import ScriptedChatModel
from pausepoint.models.task import ModelOptions
from pausepoint.services import close_services, get_services
from pausepoint.settings import Settings
from pausepoint.storage.checkpointer import SqliteCheckpointer


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_house(tiny_data: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    data = tmp_path_factory.mktemp("graphs") / "data"
    shutil.copytree(tiny_data, data)
    services = await get_services(Settings(data=data, model="", graph_uri="", qdrant_url="", debug=False))
    graph = make_graph().copy(update={"checkpointer": SqliteCheckpointer(services.database)})
    try:
        yield House(services, graph)
    finally:
        await close_services()


@pytest_asyncio.fixture(loop_scope="session")
async def house(shared_house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """Offline, unless the test also takes `script`."""
    monkeypatch.setitem(vars(shared_house.services), "chat_model", None)
    return shared_house


Script = Callable[..., ScriptedChatModel]


@pytest.fixture
def script(house: House, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Configures a chat model that replies as told, in order; the last reply again and again."""

    def configure(*replies: Any, timeout: float = 20.0) -> ScriptedChatModel:
        model = ScriptedChatModel(replies=list(replies))
        monkeypatch.setitem(vars(house.services), "chat_model", model)
        options = ModelOptions(retries=2, delay=0.0, timeout=timeout)
        monkeypatch.setitem(vars(house.services), "model_options", options)
        return model

    return configure
