"""Nothing is lost: the server killed while it waits for a person, the graph's engine killed, a folder asked for twice."""

import os
import signal
from collections.abc import Callable

import psutil
from running import Running, free_port, pausepoint
from tiny_campaigns import TINY

Serve = Callable[..., Running]


def engine_of(server: Running) -> psutil.Process:
    """The graph engine's process."""
    children = psutil.Process(server.process.pid).children(recursive=True)
    (engine,) = [c for c in children if "embedded_child" in " ".join(c.cmdline())]
    return engine


def test_a_clarification_outlives_sigkill_and_its_answer_continues_the_run(tiny_server: Serve):
    server = tiny_server()
    handle = server.ask(TINY, "Kim jest Marta?")["clarification"]
    server.kill()
    again = tiny_server()
    state = again.get(f"/threads/{handle['threadId']}/state")
    assert [i["id"] for task in state["tasks"] for i in task["interrupts"]] == [handle["interruptId"]]
    body = {"threadId": handle["threadId"], "interruptId": handle["interruptId"], "answer": 2}
    reply = again.http("POST", handle["answerUrl"], body)
    assert reply.status_code == 200, reply.text
    assert "**Marta Wilk**" in reply.json()["textResponse"]
    assert again.http("POST", handle["answerUrl"], body).status_code == 409
    follow = again.ask(TINY, "A kogo uwięziła?", threadId=handle["threadId"])
    assert "Bruno Szczur" in follow["textResponse"]


def test_a_killed_graph_engine_comes_back_and_the_question_is_answered(tiny_server: Serve):
    server = tiny_server()
    before = server.ask(TINY, "Jakie są relacje Adama?")
    engine = engine_of(server)
    os.kill(engine.pid, signal.SIGKILL)
    psutil.wait_procs([engine], timeout=20)
    after = server.ask(TINY, "Jakie są relacje Adama Kruka?")
    assert after["responseType"] == "text_and_graph"
    names = {n["name"] for n in after["graphData"]["nodes"]}
    assert names == {n["name"] for n in before["graphData"]["nodes"]}
    assert engine_of(server).pid != engine.pid


def test_the_engine_ends_with_its_killed_server(tiny_server: Serve):
    server = tiny_server()
    server.ask(TINY, "Jakie są relacje Adama?")
    engine = engine_of(server)
    server.kill()
    assert psutil.wait_procs([engine], timeout=20)[1] == []


def test_a_second_server_on_the_same_folder_says_who_holds_it(tiny_server: Serve):
    server = tiny_server()
    second = pausepoint(server.env, "serve", "--port", str(free_port()))
    assert second.returncode != 0
    assert str(server.process.pid) in second.stderr
    assert str(server.data) in second.stderr
    assert "Traceback" not in second.stderr
    up = pausepoint(server.env, "up", "--port", str(free_port()))
    assert (up.returncode, server.url in up.stdout) == (0, True), "it says where it already serves"
    assert server.ask(TINY, "Jakie są relacje Adama?")["responseType"] == "text_and_graph"


def test_commands_work_without_a_server_and_leave_the_folder_free(tiny_server: Serve):
    server = tiny_server()
    server.stop()
    env = {**server.env, "PAUSEPOINT_URL": "http://127.0.0.1:9"}
    asked = pausepoint(env, "ask", "Kto podpalił latarnię?", "-c", "latarnia", "--json")
    assert asked.returncode == 0, asked.stderr
    assert "Bruno Szczur" in asked.stdout
    vague = pausepoint(env, "ask", "Kim jest Marta?", "-c", "latarnia")
    assert vague.returncode == 3
    assert "1. Marta Solska" in vague.stdout
    thread = vague.stdout.split("thread ")[1].split(",")[0]
    again = tiny_server()
    state = again.get(f"/threads/{thread}/state")
    assert [i for task in state["tasks"] for i in task["interrupts"]], "the pause of the command waits on"
