"""Shared fixtures: a server with the sample campaigns, loaded once, and two tiny campaigns for the rest."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from running import Running, clean_env, free_port, pausepoint, start
from tiny_campaigns import OTHER_CAMPAIGN, TINY_CAMPAIGN, write_folder

os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def samples_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """`pausepoint up` with both sample campaigns, in a folder of its own; tests only read from it."""
    data = tmp_path_factory.mktemp("samples") / "data"
    running = start(["up", "--port", str(free_port())], data)
    try:
        yield running
    finally:
        running.stop()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The first test of the samples also waits for their loading."""
    for item in items:
        if "samples_server" in getattr(item, "fixturenames", ()) and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny campaign as a folder on disk."""
    return write_folder(tmp_path_factory.mktemp("tiny") / "latarnia", TINY_CAMPAIGN)


@pytest.fixture(scope="session")
def tiny_data(tmp_path_factory: pytest.TempPathFactory, tiny_folder: Path) -> Path:
    """A data folder with both tiny campaigns, loaded by the command; copy it, do not use it."""
    base = tmp_path_factory.mktemp("tinydata")
    other = write_folder(base / "other", OTHER_CAMPAIGN)
    for folder in (tiny_folder, other):
        done = pausepoint(clean_env(base / "data"), "load", "campaign", str(folder))
        assert done.returncode == 0, done.stderr
    return base / "data"


@pytest.fixture(scope="module")
def tiny_server(
    tiny_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Running]]:
    """Starts `pausepoint serve` on the module's own copy of the tiny campaigns; called again, on the same copy."""
    data = tmp_path_factory.mktemp("served") / "data"
    shutil.copytree(tiny_data, data)
    started: list[Running] = []

    def serve(**env: str) -> Running:
        started.append(start(["serve", "--port", "0"], data, **env))
        return started[-1]

    yield serve
    for running in started:
        running.stop()
