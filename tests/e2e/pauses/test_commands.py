"""`pausepoint inbox | answer | verify` as a person runs them."""

import json
import os
import pty
import select
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def command(served):
    env = {**os.environ, **served.env, "PAUSEPOINT_DATA": str(served.data), "COLUMNS": "200", "NO_COLOR": "1"}

    def run(*words, text=None):
        return subprocess.run(
            [sys.executable, "-m", "pausepoint", *words],
            capture_output=True,
            text=True,
            input=text,
            timeout=60,
            env=env,
            cwd=ROOT,
        )

    run.env = env
    return run


async def test_list_check_answer(desk, command):
    thread, _ = await desk.paused("form")
    [pause] = await desk.waiting(thread)
    short = pause["pause_id"][:8]
    assert short in command("inbox").stdout
    listed = json.loads(command("inbox", "--json", "--text", "report").stdout)
    assert pause["pause_id"] in [p["pause_id"] for p in listed["items"]]
    wrong = command("answer", short, "--answer", '{"site": ""}', "--json")
    assert wrong.returncode == 4
    assert {e["field"] for e in json.loads(wrong.stdout)["errors"]} == {"site", "severity"}
    good = '{"site": "n", "severity": 2}'
    assert command("answer", short, "--check", "--answer", good).returncode == 0
    done = command("answer", pause["pause_id"], "--answer", "-", "--json", text=good)
    assert json.loads(done.stdout)["outcome"]["steps"][-1] == "done"
    late = command("answer", pause["pause_id"], "--answer", good)
    assert (late.returncode, "was answered by anonymous" in late.stderr) == (4, True)
    assert command("answer", "no-such", "--answer", good).returncode == 1


async def test_answering_field_by_field_in_a_terminal(desk, command):
    thread, _ = await desk.paused("form")
    [pause] = await desk.waiting(thread)
    main, side = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "pausepoint", "answer", pause["pause_id"]],
        stdin=side,
        stdout=side,
        stderr=side,
        env=command.env,
        cwd=ROOT,
    )
    os.close(side)
    seen = b""

    def until(text):
        nonlocal seen
        end = time.monotonic() + 30
        while text.encode() not in seen:
            assert time.monotonic() < end, seen
            if select.select([main], [], [], 1)[0]:
                seen += os.read(main, 4096)
        seen = seen.split(text.encode(), 1)[1]

    until("(string)")
    os.write(main, b"north\n")
    until("(integer)")
    os.write(main, b"9\n")
    until("Najwy")
    until("(integer)")
    os.write(main, b"4\n")
    until("Answered")
    assert process.wait(30) == 0
    os.close(main)
    state = await desk.client.threads.get_state(thread)
    assert state["values"]["steps"][0] == {"site": "north", "severity": 4}


async def test_verify_names_the_first_broken_entry(desk, command, served, tmp_path):
    thread, [asked] = await desk.paused("plain")
    await desk.resume(thread, "plain", {asked["id"]: "fine"})
    sound = command("verify", "--json")
    outcome = json.loads(sound.stdout)
    assert (sound.returncode, outcome["broken_at"]) == (0, None)
    exported = command("verify", "--export", "-").stdout.splitlines()
    assert len(exported) == outcome["entries"]
    assert json.loads(exported[-1])["answer"] == "fine"
    target = tmp_path / "pausepoint.sqlite"
    address = f"file:{served.data}/pausepoint.sqlite?mode=ro"
    with sqlite3.connect(address, uri=True) as source, sqlite3.connect(target) as copy:
        source.backup(copy)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"), sqlite3.connect(target) as conn:
        conn.execute("UPDATE decisions SET content = '{}' WHERE seq = 1")
    with sqlite3.connect(target) as conn:
        conn.execute("DROP TRIGGER decisions_are_fixed")
        conn.execute("DROP TRIGGER decisions_are_kept")
        last = conn.execute("SELECT max(seq) FROM decisions").fetchone()[0]
        conn.execute("UPDATE decisions SET content = replace(content, 'fine', 'fake') WHERE seq = ?", (last,))
    broken = command("verify", "--data", str(tmp_path), "--json")
    assert broken.returncode == 5
    assert json.loads(broken.stdout)["broken_at"] == last
    with sqlite3.connect(target) as conn:
        conn.execute("DELETE FROM decisions WHERE seq = ?", (last,))
    assert command("verify", "--data", str(tmp_path)).returncode == 0
    assert command("verify", "--data", str(tmp_path), "--expect", outcome["head"]).returncode == 5
