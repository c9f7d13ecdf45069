"""A deadline that passes while no server runs is kept at the next start; an earlier answer is not overruled."""

import asyncio
import sys
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[2] / "contract" / "server"))
from server_process import Served

PROJECT = Path(__file__).parents[2] / "e2e" / "pauses" / "project" / "langgraph.json"


async def test_deadlines_survive_a_kill(tmp_path):
    env = {"OUTSIDE": str(tmp_path), "RECEIVER": "http://127.0.0.1:1"}
    with Served(PROJECT, tmp_path / "data", env=env) as served:
        async with httpx.AsyncClient(base_url=served.url, timeout=30) as http:
            threads = []
            for _ in range(2):
                thread = (await http.post("/threads", json={})).json()["thread_id"]
                deadline = {"due": 4, "on_expiry": {"action": "answer", "value": "no"}}
                run = {"assistant_id": "timed", "input": {"steps": [], "deadline": deadline}}
                found = (await http.post(f"/threads/{thread}/runs/wait", json=run)).json()
                threads.append((thread, found["__interrupt__"][0]["id"]))
            (answered, asked), (left, _) = threads
            body = {"assistant_id": "timed", "command": {"resume": {asked: "yes"}}}
            await http.post(f"/threads/{answered}/runs", json=body)
        served.kill()
        await asyncio.to_thread(served.start)
        async with httpx.AsyncClient(base_url=served.url, timeout=30) as http:

            async def steps(thread):
                return (await http.get(f"/threads/{thread}/state")).json()["values"]["steps"]

            async with asyncio.timeout(30):
                while await steps(left) != ["no", "done"] or await steps(answered) != ["yes", "done"]:
                    await asyncio.sleep(0.05)
            [late] = (await http.get("/inbox", params={"thread_id": left, "status": "expired"})).json()[
                "items"
            ]
            assert late["answered_by"] == "policy:deadline"
