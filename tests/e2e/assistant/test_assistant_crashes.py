"""Nothing is lost: the server killed while it waits for a person, the graph's engine killed, a folder asked for twice."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed

import psutil
import pytest
from running import Running, free_port, pausepoint
from tiny_campaigns import TINY

Serve = Callable[..., Running]


@pytest.fixture(scope="module")
def server(tiny_server: Serve) -> Running:
    """One server for the tests that leave it running."""
    return tiny_server()


def engine_of(server: Running) -> psutil.Process:
    """The graph engine's process."""
    children = psutil.Process(server.process.pid).children(recursive=True)
    (engine,) = [c for c in children if "embedded_child" in " ".join(c.cmdline())]
    return engine


def test_a_second_server_on_the_same_folder_says_who_holds_it(server: Running):
    second = pausepoint(server.env, "serve", "--port", str(free_port()))
    assert second.returncode != 0
    assert str(server.process.pid) in second.stderr
    assert str(server.data) in second.stderr
    assert "Traceback" not in second.stderr
    up = pausepoint(server.env, "up", "--port", str(free_port()))
    assert (up.returncode, server.url in up.stdout) == (0, True), "it says where it already serves"
    assert server.ask(TINY, "Jakie są relacje Adama?")["responseType"] == "text_and_graph"


def test_a_killed_graph_engine_comes_back_and_the_question_is_answered(server: Running):
    before = server.ask(TINY, "Jakie są relacje Adama?")
    engine = engine_of(server)
    os.kill(engine.pid, signal.SIGKILL)
    psutil.wait_procs([engine], timeout=20)
    after = server.ask(TINY, "Jakie są relacje Adama Kruka?")
    assert after["responseType"] == "text_and_graph"
    names = {n["name"] for n in after["graphData"]["nodes"]}
    assert names == {n["name"] for n in before["graphData"]["nodes"]}
    assert engine_of(server).pid != engine.pid


def test_questions_under_way_when_the_engine_is_killed_are_answered_too(server: Running):
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(server.ask, TINY, f"Jakie są relacje Adama{'?' * n}") for n in range(2, 14)]
        next(as_completed(asked))
        os.kill(engine_of(server).pid, signal.SIGKILL)
        answers = [question.result() for question in asked]
    assert {a["responseType"] for a in answers} == {"text_and_graph"}


def test_a_clarification_outlives_sigkill_and_its_answer_continues_the_run(
    server: Running, tiny_server: Serve
):
    handle = server.ask(TINY, "Kim jest Marta?")["clarification"]
    engine = engine_of(server)
    server.kill()
    assert psutil.wait_procs([engine], timeout=20)[1] == [], "the engine ends with its server"
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
    again.stop()


def test_a_pause_of_a_command_waits_for_its_answer_in_the_data_folder(server: Running, tiny_server: Serve):
    env = {**server.env, "PAUSEPOINT_URL": "http://127.0.0.1:9"}
    vague = pausepoint(env, "ask", "Kim jest Marta?", "-c", "latarnia")
    assert vague.returncode == 3, vague.stderr
    assert "1. Marta Solska" in vague.stdout
    thread = vague.stdout.split("thread ")[1].split(",")[0]
    state = tiny_server().get(f"/threads/{thread}/state")
    assert [i for task in state["tasks"] for i in task["interrupts"]]
