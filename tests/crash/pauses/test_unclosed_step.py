"""Killed after the tasks of a step have written and before the step was closed: the graph goes on and asks all the same."""

import asyncio
import sqlite3
import sys
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[2] / "contract" / "server"))
from server_process import Served

PROJECT = Path(__file__).parents[2] / "e2e" / "pauses" / "project" / "langgraph.json"
UNDO = """
DELETE FROM checkpoints WHERE parent_id IS NOT NULL;
DELETE FROM checkpoint_writes WHERE checkpoint_id NOT IN (SELECT checkpoint_id FROM checkpoints);
DELETE FROM pauses;
UPDATE runs SET status = 'running', attempt = 1;
UPDATE threads SET status = 'busy', interrupts = '{}', "values" = NULL;
"""


async def test_a_step_that_was_not_closed(tmp_path):
    env = {"OUTSIDE": str(tmp_path), "RECEIVER": "http://127.0.0.1:1"}
    with Served(PROJECT, tmp_path / "data", env=env) as served:
        async with httpx.AsyncClient(base_url=served.url, timeout=30) as http:
            thread = (await http.post("/threads", json={})).json()["thread_id"]
            run = {"assistant_id": "plain", "input": {"steps": []}}
            assert (await http.post(f"/threads/{thread}/runs/wait", json=run)).json()["__interrupt__"]
        served.kill()
        with sqlite3.connect(tmp_path / "data" / "pausepoint.sqlite") as conn:
            conn.executescript(UNDO)
            assert conn.execute("SELECT count(*) FROM checkpoint_writes").fetchone()[0] > 0
        await asyncio.to_thread(served.start)
        async with httpx.AsyncClient(base_url=served.url, timeout=30) as http, asyncio.timeout(20):
            while not (found := (await http.get("/inbox")).json()["items"]):
                await asyncio.sleep(0.05)
            body = {"answer": "on", "wait": True}
            done = await http.post(f"/inbox/{found[0]['pause_id']}/answer", json=body)
            assert done.json()["outcome"]["steps"] == ["on", "done"]
