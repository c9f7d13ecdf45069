"""A task always ends with a value of its type; prompts are filled in once and only with what they name."""

from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from pausepoint.models.scripted import ScriptedChatModel
from pausepoint.models.task import ModelOptions, Task, run_task

QUICK = ModelOptions(retries=2, delay=0.0, timeout=5.0)


class Value(BaseModel):
    """A task's value."""

    n: int


def numbers(check: Any = None) -> Task[str, Value]:
    return Task(
        name="numbers",
        output=Value,
        system="Say {{what}} and {{unknown}}.",
        user="{{ what }}",
        variables=lambda what: {"what": what},
        offline=lambda what: Value(n=len(what)),
        check=check,
    )


async def test_without_a_model_the_tasks_own_answer_stands():
    result = await run_task(numbers(), "four", None)
    assert (result.value.n, result.model, result.failures) == (4, "offline", [])


def test_variables_are_filled_in_once_and_unknown_ones_stay():
    system, user = numbers().render("{{unknown}} {{what}}")
    assert system.content == "Say {{unknown}} {{what}} and {{unknown}}."
    assert user.content == "{{unknown}} {{what}}"


async def test_what_a_check_finds_goes_back_to_the_model():
    def even(_: str, value: Value) -> str | None:
        return None if value.n % 2 == 0 else f"{value.n} is odd"

    model = ScriptedChatModel(replies=['{"n": 3}', '{"n": 4}'])
    result = await run_task(numbers(even), "x", model, QUICK)
    assert result.value.n == 4
    assert "3 is odd" in str(model.requests[1][-1].content)


async def test_failures_tell_why_no_model_answered():
    model = ScriptedChatModel(replies=["no", ValueError("broken"), '{"n": "many"}'])
    result = await run_task(numbers(), "x", model, QUICK)
    assert (result.value.n, result.model, result.asked) == (1, "offline", "scripted")
    assert "not JSON" in result.failures[0]
    assert "broken" in result.failures[1]
    assert "n: " in result.failures[2]
    assert result.output_tokens > 0, "what was tried in vain was paid for"


async def test_a_scripted_model_records_streams_and_repeats_its_last_reply():
    def echo(messages: list[BaseMessage]) -> str:
        return f"heard {messages[-1].content}"

    model = ScriptedChatModel(replies=["one two", echo])
    pieces = [str(chunk.content) async for chunk in model.astream("a")]
    assert [p for p in pieces if p] == ["one ", "two"]
    assert (await model.ainvoke("b")).content == "heard b"
    assert (await model.ainvoke("c")).content == "heard c"
    assert [str(r[-1].content) for r in model.requests] == ["a", "b", "c"]


async def test_a_scripted_model_without_replies_says_so():
    with pytest.raises(RuntimeError, match="no replies"):
        await ScriptedChatModel().ainvoke("x")
