"""What waited under an earlier release is answered under this one."""

import gzip
import json
from pathlib import Path

import httpx
import pytest
from server_process import Served

FROZEN = Path(__file__).parent / "frozen"
PROJECT = Path(__file__).parent / "project" / "langgraph.json"
ANSWERS = {
    "form": {"site": "north", "severity": 1},
    "plain": "on",
    "two": "L",
    "chain": "no",
    "nested": "yes",
    "typed": {"count": 1},
    "reask": {"site": "north"},
    "effects": "yes",
}
RIGHT_SIDE = 7


@pytest.mark.parametrize("release", sorted(path.stem for path in FROZEN.glob("*.json")))
async def test_a_paused_state_of_a_release(release, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "pausepoint.sqlite").write_bytes(gzip.decompress((FROZEN / f"{release}.sqlite.gz").read_bytes()))
    threads = json.loads((FROZEN / f"{release}.json").read_text())
    env = {"OUTSIDE": str(tmp_path), "RECEIVER": "http://127.0.0.1:1"}
    with Served(PROJECT, data, env=env) as served:
        async with httpx.AsyncClient(base_url=served.url, timeout=30) as http:
            for graph, thread in threads.items():
                for pause in (await http.get("/inbox", params={"thread_id": thread})).json()["items"]:
                    answer = RIGHT_SIDE if pause["title"] == "Right" else ANSWERS[graph]
                    body = {"answer": answer, "wait": True}
                    done = await http.post(f"/inbox/{pause['pause_id']}/answer", json=body)
                    assert done.status_code == 200, (graph, done.text)
                state = (await http.get(f"/threads/{thread}/state")).json()
                assert state["next"] == [], graph
                assert (await http.get("/inbox", params={"thread_id": thread})).json()["items"] == []
