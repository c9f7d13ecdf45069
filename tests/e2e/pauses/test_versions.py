"""A pause outlives a new version of its graph, or says why it cannot."""

import os

import httpx
import pytest
from server_process import Served

AGENT = """
from typing import Any, TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

class State(TypedDict, total=False):
    answer: Any
    extra: Any

async def ask(state):
    return {{"answer": interrupt("Go on?", response_schema={{"enum": ["yes", "no"]}})}}

async def more(state):
    return {{"extra": "new"}}

graph = StateGraph(State).add_node("{node}", ask).add_edge(START, "{node}"){rest}.compile()
"""
CONFIG = '{"dependencies": ["."], "graphs": {"agent": "./agent.py:graph"%s}}'


class Project:
    """A project whose graph changes between two starts of the server."""

    def __init__(self, place):
        self.place = place
        self.write("ask", "")
        self.served = Served(place / "langgraph.json", place / "data", env={"PYTHONDONTWRITEBYTECODE": "1"})

    def write(self, node, rest, config=""):
        (self.place / "agent.py").write_text(AGENT.format(node=node, rest=rest))
        (self.place / "langgraph.json").write_text(CONFIG % config)
        os.utime(self.place / "agent.py")

    def restart(self, node, rest="", config=""):
        self.served.stop()
        self.write(node, rest, config)
        self.served.start()


@pytest.fixture
async def project(tmp_path):
    found = Project(tmp_path)
    found.served.start()
    yield found
    found.served.stop()


async def paused(project):
    async with httpx.AsyncClient(base_url=project.served.url) as http:
        thread = (await http.post("/threads", json={})).json()["thread_id"]
        await http.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "agent", "input": {}})
        [pause] = (await http.get("/inbox")).json()["items"]
        return thread, f"/inbox/{pause['pause_id']}"


async def test_a_graph_that_still_has_the_node_takes_the_answer(project):
    _, place = await paused(project)
    project.restart("ask", '.add_node("more", more).add_edge("ask", "more")')
    async with httpx.AsyncClient(base_url=project.served.url) as http:
        assert (await http.get(place)).json()["held"] is None
        done = (await http.post(f"{place}/answer", json={"answer": "yes", "wait": True})).json()
        assert done["outcome"] == {"answer": "yes", "extra": "new"}


async def test_a_graph_without_the_node_holds_it_until_it_is_migrated(project):
    thread, place = await paused(project)
    project.restart("question")
    async with httpx.AsyncClient(base_url=project.served.url) as http:
        held = (await http.get(place)).json()["held"]
        assert "no node 'ask' any more" in held
        refused = await http.post(f"{place}/answer", json={"answer": "yes"})
        assert (refused.status_code, refused.json()["held"]) == (409, held)
        run = {"assistant_id": "agent", "input": {}}
        assert (await http.post(f"/threads/{thread}/runs", json=run)).status_code == 409
        wrong = await http.post(f"{place}/migrate", json={"node": "nowhere"})
        assert "question" in wrong.json()["detail"]
        moved = (await http.post(f"{place}/migrate", json={"node": "question"})).json()
        await http.get(f"/threads/{thread}/runs/{moved['run_id']}/join")
        again = (await http.get("/inbox")).json()["items"]
        assert again, (await http.get(f"/threads/{thread}/state")).text + (
            await http.get(f"/threads/{thread}")
        ).text
        [again] = again
        assert again["node"] == "question"
        done = await http.post(f"/inbox/{again['pause_id']}/answer", json={"answer": "no", "wait": True})
        assert done.json()["outcome"] == {"answer": "no"}


async def test_the_old_version_coming_back_releases_it(project):
    _, place = await paused(project)
    project.restart("question")
    project.restart("ask")
    async with httpx.AsyncClient(base_url=project.served.url) as http:
        assert (await http.get(place)).json()["held"] is None
        done = (await http.post(f"{place}/answer", json={"answer": "yes", "wait": True})).json()
        assert done["outcome"] == {"answer": "yes"}


async def test_a_held_one_can_be_cancelled(project):
    thread, place = await paused(project)
    project.restart("question")
    async with httpx.AsyncClient(base_url=project.served.url) as http:
        assert (await http.post(f"{place}/cancel")).json()["status"] == "cancelled"
        assert (await http.get("/inbox")).json()["items"] == []
        run = {"assistant_id": "agent", "input": {}}
        assert (await http.post(f"/threads/{thread}/runs/wait", json=run)).json()["__interrupt__"]


async def test_a_graph_that_is_gone_holds_its_pauses(project):
    _, place = await paused(project)
    project.served.stop()
    (project.place / "langgraph.json").write_text(CONFIG.replace('"agent"', '"other"') % "")
    project.served.start()
    async with httpx.AsyncClient(base_url=project.served.url) as http:
        assert "no graph 'agent'" in (await http.get(place)).json()["held"]
        assert (await http.post(f"{place}/answer", json={"answer": "yes"})).status_code in (404, 409)
