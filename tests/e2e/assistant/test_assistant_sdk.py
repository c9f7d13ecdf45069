"""The assistant through the LangGraph SDK, as scripts and notebooks use it."""

from typing import Any

from langgraph_sdk import get_client, get_sync_client
from running import Running

ASKED = {"question": "Jakie są relacje Adama?", "campaign": "Sól i popiół"}


def test_the_sync_client_waits_for_an_answer(samples_server: Running):
    client = get_sync_client(url=samples_server.url)
    thread = client.threads.create()
    values: Any = client.runs.wait(thread["thread_id"], "assistant", input=ASKED)
    assert values["answer"]["responseType"] == "text_and_graph"
    assert "[Notatka: " in values["answer"]["textResponse"]


async def test_a_stream_shows_steps_text_and_the_final_values(samples_server: Running):
    client = get_client(url=samples_server.url)
    thread = await client.threads.create()
    steps, text, final, order = [], "", {}, []
    async for part in client.runs.stream(
        thread["thread_id"],
        "assistant",
        input=ASKED,
        context={"use_cache": False},
        stream_mode=["custom", "updates", "values"],
    ):
        order.append(part.event)
        if part.event == "updates":
            steps += list(part.data)
        elif part.event == "custom" and part.data["type"] == "text":
            text += part.data["text"]
        elif part.event == "values":
            final = part.data
    assert steps == [
        *("prepare", "plan", "retrieve", "generate_cypher", "validate_cypher", "run_cypher"),
        *("synthesize", "record"),
    ]
    assert text.strip() == final["answer"]["textResponse"].strip()
    assert order.index("custom") < len(order) - 1 - order[::-1].index("values")
    await client.aclose()


async def test_a_pause_is_a_thread_that_waits_and_a_keyed_resume_continues_it(samples_server: Running):
    client = get_client(url=samples_server.url)
    thread = (await client.threads.create())["thread_id"]
    asked = {**ASKED, "question": "Opowiedz coś"}
    values: Any = await client.runs.wait(thread, "assistant", input=asked)
    pause = values["__interrupt__"][0]
    assert (await client.threads.get(thread))["status"] == "interrupted"
    again: Any = await client.runs.wait(thread, "assistant", command={"resume": {pause["id"]: "  "}})
    asked_again = again["__interrupt__"][0]
    assert asked_again["value"]["errors"]
    done: Any = await client.runs.wait(thread, "assistant", command={"resume": {asked_again["id"]: 1}})
    assert done["answer"]["textResponse"]
    assert (await client.threads.get(thread))["status"] == "idle"
    await client.aclose()


async def test_the_context_describes_itself_and_debugs(samples_server: Running):
    client = get_client(url=samples_server.url)
    (assistant,) = await client.assistants.search(graph_id="assistant")
    schemas = await client.assistants.get_schemas(assistant["assistant_id"])
    assert schemas["input_schema"]["properties"].keys() == {"question", "campaign"}
    context = (schemas.get("context_schema") or {})["properties"]
    assert context.keys() >= {"campaign", "debug", "use_cache"}
    values: Any = await client.runs.wait(
        None, "assistant", input=ASKED, context={"debug": True, "use_cache": False}
    )
    assert values["answer"]["debugInfo"]["plan"]["action"]
    drawn = await client.assistants.get_graph(assistant["assistant_id"])
    assert {n["id"] for n in drawn["nodes"]} >= {"plan", "clarify", "synthesize"}
    await client.aclose()
