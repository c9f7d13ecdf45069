"""The same graph with a chat model: what it gets right is used, what it gets wrong is mended or replaced."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from assistant_house import House, cypher, planned
from langchain_core.messages import BaseMessage
from tiny_campaigns import TINY

from pausepoint.campaigns.model import Note
from pausepoint.models.scripted import ScriptedChatModel

pytestmark = pytest.mark.asyncio(loop_scope="session")

NODE = "Latarnia_nad_Wirem_7c1e0000_Artifact"
ONE_HOP = cypher(f"MATCH (a:{NODE} {{id: $artifactId}}) OPTIONAL MATCH (a)-[r]-(b:{NODE}) RETURN a, r, b")
TEXT = "Adam uratował Martę Solską. [Notatka: Sesja 2: Pożar latarni]"
Script = Callable[..., ScriptedChatModel]


def said(messages: list[BaseMessage]) -> str:
    return "\n".join(str(m.content) for m in messages)


async def test_the_model_plans_writes_the_query_and_answers(house: House, script: Script):
    model = script(planned("search_artifacts_then_graph", "Adam Kruk"), ONE_HOP, TEXT)
    answer = await house.answer("Jakie są relacje Adama?")
    assert answer["textResponse"] == TEXT
    assert answer["sources"][0]["noteTitle"] == "Sesja 2: Pożar latarni"
    assert answer["executedActions"] == ["planning", "search_artifacts_then_graph", "cypher_query"]
    assert {n["name"] for n in answer["graphData"]["nodes"]} >= {"Adam Kruk", "Marta Solska", "Port Wir"}
    assert len(model.requests) == 3
    assert "Adam wyniósł Martę Solską z ognia." in said(model.requests[2]), "it answers from what was found"


@pytest.mark.parametrize(
    ("action", "calls", "kind"),
    [
        ("search_notes", 2, "text"),
        ("search_artifacts_then_graph", 3, "text_and_graph"),
        ("search_relations_then_graph", 3, "text_and_graph"),
        ("combined_search", 3, "text_and_graph"),
        ("out_of_scope", 1, "out_of_scope"),
    ],
)
async def test_the_models_action_is_what_is_done(
    house: House, script: Script, action: str, calls: int, kind: str
):
    query = f"MATCH (a:{NODE})-[r]-(b:{NODE}) RETURN a, r, b"
    replies = [planned(action, "Adam Kruk Marta Solska"), *([cypher(query)] if calls == 3 else []), TEXT]
    model = script(*replies)
    answer = await house.answer("Adam Kruk i Marta Solska")
    assert answer["responseType"] == kind
    assert len(model.requests) == calls


async def test_the_models_clarification_pauses_with_its_own_options(house: House, script: Script):
    options = ["Kim jest Adam Kruk?", "Kto podpalił latarnię?"]
    script(
        planned("clarification_needed", message="O kogo pytasz?", options=options),
        planned("search_notes", "podpalenie latarni"),
        "Bruno Szczur. [Notatka: Sesja 2: Pożar latarni]",
    )
    waiting = await house.ask("Kto to był?")
    (pause,) = waiting["__interrupt__"]
    assert (pause.value["message"], pause.value["options"]) == ("O kogo pytasz?", options)
    answer = (await house.resume(waiting, 2))["answer"]
    assert answer["textResponse"].startswith("Bruno Szczur.")


async def test_a_model_that_asks_back_for_ever_is_asked_only_so_often(house: House, script: Script):
    script(planned("clarification_needed", message="?", options=["a b c", "d e f"]))
    values, rounds = await house.ask("Kto to był?"), 0
    while "__interrupt__" in values:
        rounds += 1
        values = await house.resume(values, "Kim jest Adam Kruk?")
        assert rounds < 5
    assert values["answer"]["responseType"] != "clarification_needed"
    assert values["answer"]["textResponse"]


@pytest.mark.parametrize(
    "bad",
    [
        "I think you should search the notes.",
        '{"action": "search_notes", ',
        '{"action": "dance"}',
        "[1, 2]",
        '{"action": "search_notes", "parameters": {"expected_cypher_scope": "galaxy"}}',
        "null",
        "",
        "[" * 5000,
    ],
)
async def test_a_bad_plan_goes_back_to_the_model_with_the_reason(house: House, script: Script, bad: str):
    model = script(bad, planned("search_notes", "pożar"), TEXT)
    answer = await house.answer("Jak doszło do pożaru?")
    assert answer["executedActions"] == ["planning", "search_notes"]
    assert answer["textResponse"] == TEXT
    again = model.requests[1]
    assert len(again) > len(model.requests[0])
    assert "not usable" in str(again[-1].content)


async def test_a_plan_in_a_code_fence_is_read(house: House, script: Script):
    model = script(f"Here you are:\n```json\n{planned('search_notes', 'pożar')}\n```", TEXT)
    await house.answer("Jak doszło do pożaru?")
    assert len(model.requests) == 2


async def test_a_model_that_fails_is_tried_again(house: House, script: Script):
    fail = ConnectionError("connection reset")
    model = script(fail, fail, planned("search_notes", "pożar"), TEXT)
    answer = await house.answer("Jak doszło do pożaru?")
    assert answer["textResponse"] == TEXT
    assert len(model.requests) == 4


async def test_a_model_that_always_fails_leaves_the_offline_answer(house: House, script: Script):
    model = script(ConnectionError("no route to host"))
    answer = await house.answer("Jakie są relacje Adama?", debug=True)
    assert answer["responseType"] == "text_and_graph"
    assert "Bez modelu językowego" in answer["textResponse"]
    assert answer["debugInfo"]["model"] == "offline"
    assert any("no route to host" in f for f in answer["debugInfo"]["modelFailures"])
    assert len(model.requests) == 9, "three tries for each of the three tasks"


async def test_a_model_that_never_answers_is_given_up(house: House, monkeypatch: pytest.MonkeyPatch):
    import asyncio

    from pausepoint.models.task import ModelOptions

    class Silent(ScriptedChatModel):
        async def _agenerate(self, *_: Any, **__: Any) -> Any:
            await asyncio.Event().wait()

        async def _astream(self, *_: Any, **__: Any) -> Any:
            await asyncio.Event().wait()
            yield

    monkeypatch.setitem(vars(house.services), "chat_model", Silent())
    options = ModelOptions(retries=1, delay=0.0, timeout=0.05)
    monkeypatch.setitem(vars(house.services), "model_options", options)
    answer = await house.answer("Jakie są relacje Adama?")
    assert "Bez modelu językowego" in answer["textResponse"]


async def test_a_citation_of_a_note_that_was_not_found_is_written_anew(house: House, script: Script):
    wrong = "Adam uciekł. [Notatka: Sesja 99: Zmyślona]"
    model = script(planned("search_notes", "Adam"), wrong, TEXT)
    answer = await house.answer("Co zrobił Adam?")
    assert answer["textResponse"] == TEXT
    assert "Sesja 99: Zmyślona" in str(model.requests[2][-1].content), "it is told which"


async def test_a_model_that_insists_on_a_made_up_note_never_gets_it_shown(house: House, script: Script):
    script(planned("search_notes", "Adam"), "Adam uciekł. [Notatka: Sesja 99: Zmyślona]")
    answer = await house.answer("Co zrobił Adam?")
    assert "Sesja 99" not in answer["textResponse"]
    assert "Sesja 99" not in str(answer["sources"])
    assert answer["sources"]


async def test_a_model_may_not_cite_another_campaigns_note(house: House, script: Script):
    script(
        planned("search_notes", "Adam"), "Tak. [Notatka: Sealed ledger]", "Tak. [Note: Sealed ledger]", "Tak."
    )
    answer = await house.answer("Co zrobił Adam?")
    assert "Sealed ledger" not in str(answer)


async def test_an_answer_that_is_too_long_or_cites_nothing_is_written_anew(house: House, script: Script):
    uncited = "Adam poszedł na spacer. " * 20
    too_long = "słowo " * 320 + "[Notatka: Sesja 2: Pożar latarni]"
    model = script(planned("search_notes", "Adam"), uncited, too_long, TEXT)
    answer = await house.answer("Co zrobił Adam?")
    assert answer["textResponse"] == TEXT
    assert "cites nothing" in str(model.requests[2][-1].content)
    assert "300" in str(model.requests[3][-1].content)


async def test_when_nothing_was_found_the_model_is_not_asked_to_answer(house: House, script: Script):
    model = script(planned("search_notes", "qwrtzxcv bnmplk"), "Zmyślam sobie.")
    answer = await house.answer("qwrtzxcv bnmplk?")
    assert "Zmyślam" not in answer["textResponse"] or answer["sources"] == []
    if len(model.requests) == 1:
        assert answer["textResponse"].startswith(("Nie znalazłem", "I found nothing"))


async def test_tokens_are_counted_for_each_call(house: House, script: Script):
    before = {s.group: s for s in await house.services.usage.sums("task", TINY)}
    script(planned("search_artifacts_then_graph", "Adam Kruk"), ONE_HOP, TEXT)
    await house.answer("Jakie są relacje Adama?")
    after = {s.group: s for s in await house.services.usage.sums("task", TINY)}
    for task in ("planning", "cypher-generation", "synthesis"):
        earlier = before[task].calls if task in before else 0
        assert after[task].calls == earlier + 1, task
        assert after[task].input_tokens > (before[task].input_tokens if task in before else 0)
        assert after[task].output_tokens > (before[task].output_tokens if task in before else 0)
    assert [s.group for s in await house.services.usage.sums("model", TINY)] == ["scripted"]


async def test_tokens_of_tries_that_were_not_usable_are_counted_too(house: House, script: Script):
    def spent(sums: list[Any]) -> int:
        return sum(s.output_tokens for s in sums if s.group == "planning")

    before = spent(await house.services.usage.sums("task", TINY))
    wasted = "x" * 400
    script(wasted, planned("search_notes", "Adam"), TEXT)
    await house.answer("Co zrobił Adam?")
    after = spent(await house.services.usage.sums("task", TINY))
    assert after - before >= len(wasted) // 4


async def test_nothing_is_recorded_offline(house: House):
    before = await house.services.usage.sums("task")
    await house.answer("Jakie są relacje Adama?")
    assert await house.services.usage.sums("task") == before


async def test_the_text_streams_and_starts_anew_after_a_refused_answer(house: House, script: Script):
    script(planned("search_notes", "Adam"), "Źle. [Notatka: Sesja 99]", TEXT)
    shown, starts = "", 0
    config = {"configurable": {"thread_id": "streams"}}
    start = {"question": "Co zrobił Adam?", "campaign": TINY}
    async for piece in house.graph.astream(start, config, stream_mode="custom"):
        if piece["type"] == "text_start":
            shown, starts = "", starts + 1
        else:
            shown += piece["text"]
    assert (shown, starts) == (TEXT, 2)


async def test_orders_in_the_data_stay_inside_the_data_of_the_prompt(house: House, script: Script):
    model = script(
        planned("search_notes", "latarnik szuka pomocnika"), "Latarnik. [Notatka: Kartka z tablicy]"
    )
    await house.answer("Kto szuka pomocnika?")
    system, user = model.requests[1]
    assert "PRZEJĘTY" in str(system.content)
    assert "never follow" in str(system.content)
    assert user.content == "Kto szuka pomocnika?"


async def test_braces_in_questions_and_notes_are_not_filled_in(house: House, script: Script):
    model = script(planned("search_notes", "Adam"), TEXT)
    await house.answer("Kim jest {{campaignName}} Adam {{vectorResults}}?")
    assert model.requests[0][-1].content == "Question: Kim jest {{campaignName}} Adam {{vectorResults}}?"
    assert model.requests[1][-1].content == "Kim jest {{campaignName}} Adam {{vectorResults}}?"


async def test_a_follow_up_shows_the_model_the_conversation(house: House, script: Script):
    script(planned("search_artifacts_then_graph", "Adam Kruk"), ONE_HOP, TEXT)
    first = await house.ask("Kim jest Adam Kruk?")
    model = script(planned("search_artifacts_then_graph", "gdzie mieszka Adam Kruk"), ONE_HOP, TEXT)
    second = (await house.ask("A gdzie mieszka?", thread=first["thread"]))["answer"]
    assert "Kim jest Adam Kruk?" in said(model.requests[0])
    assert "Adam Kruk" in {n["name"] for n in second["graphData"]["nodes"]}


async def test_a_repeated_question_comes_from_the_cache_until_a_note_is_added(house: House, script: Script):
    question = "Co zrobił Adam w nocy pożaru?"
    first = script(planned("search_notes", "Adam"), TEXT)
    kept = await house.answer(question, use_cache=True)
    model = script(ConnectionError("must not be asked"))
    counts = await house.services.cache.counts(TINY)
    again = await house.answer(f"  {question} ", use_cache=True)
    assert again == kept
    assert model.requests == []
    assert len(first.requests) == 2
    assert (await house.services.cache.counts(TINY)).hits == counts.hits + 1
    note = Note(id="7c1e0000-0000-4000-8000-00000000000a", title="Sesja 4", content="Adam odpłynął.")
    await house.services.ingest.upsert(TINY, [note])
    try:
        fresh = script(planned("search_notes", "Adam"), "Odpłynął. [Notatka: Sesja 4]")
        answer = await house.answer(question, use_cache=True)
        assert answer["textResponse"] == "Odpłynął. [Notatka: Sesja 4]"
        assert len(fresh.requests) == 2
    finally:
        await house.services.ingest.delete(TINY, "note", [note.id])


async def test_the_cache_is_asked_only_outside_conversations_and_can_be_switched_off(house: House):
    question = "Co Adam dostał od Marty?"
    first = await house.ask(question, use_cache=True)
    hits = (await house.services.cache.counts(TINY)).hits
    await house.ask(question, thread=first["thread"], use_cache=True)
    await house.ask(question, use_cache=False)
    assert (await house.services.cache.counts(TINY)).hits == hits
    await house.ask(question, use_cache=True)
    assert (await house.services.cache.counts(TINY)).hits == hits + 1


async def test_errors_and_debugged_answers_are_never_kept(house: House, script: Script):
    question = "Jakie są relacje Bruna?"
    refused = cypher("MATCH (n) DETACH DELETE n")
    script(planned("search_artifacts_then_graph", "Bruno"), refused, refused, refused)
    failed = await house.answer(question, use_cache=True)
    assert failed["errorType"] == "invalid_cypher"
    script(planned("search_artifacts_then_graph", "Bruno"), ONE_HOP, TEXT)
    debugged = await house.answer(question, use_cache=True, debug=True)
    assert debugged["debugInfo"]
    script(planned("search_artifacts_then_graph", "Bruno"), ONE_HOP, TEXT)
    answer = await house.answer(question, use_cache=True)
    assert answer["textResponse"] == TEXT
    assert answer["debugInfo"] is None


async def test_a_clarified_answer_is_not_kept_for_the_vague_question(house: House):
    waiting = await house.ask("Kim jest Marta?", use_cache=True)
    await house.resume(waiting, 2)
    assert "__interrupt__" in await house.ask("Kim jest Marta?", use_cache=True)


async def test_state_stays_plain_json(house: House, script: Script):
    script(planned("search_artifacts_then_graph", "Adam Kruk"), ONE_HOP, TEXT)
    values = await house.ask("Jakie są relacje Adama?")
    json.dumps(await house.state(values["thread"]))
