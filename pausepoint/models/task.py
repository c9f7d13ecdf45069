"""A model task and the one function that runs it: retries, timeout, structured output, tokens, offline answer.

The rule: a task always ends with a value of its type. What a model gets wrong is repaired by asking again, and
when no model is configured or all tries failed the task's own deterministic `offline` answers.
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import structlog
from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

Inputs = TypeVar("Inputs")
Output = TypeVar("Output", bound=BaseModel)
OnText = Callable[[str | None], None]
"""Receives pieces of text as they come; None means: forget what came, it starts anew."""

OFFLINE = "offline"
"""In place of a model's name: the task's own deterministic answer."""

log = structlog.get_logger(__name__)
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


@dataclass(frozen=True)
class Task(Generic[Inputs, Output]):
    """Everything asked of a model: `name` is also its name in a prompt registry."""

    name: str
    output: type[Output]
    system: str
    user: str
    variables: Callable[[Inputs], Mapping[str, str]]
    offline: Callable[[Inputs], Output]
    check: Callable[[Inputs, Output], str | None] | None = None
    """What is wrong with a model's value, if anything; it is asked again with that reason."""
    text_field: str | None = None
    """When set, the model writes plain text, streamed, into this field of `output`."""

    def render(self, inputs: Inputs) -> list["BaseMessage"]:
        """System and user message with every `{{variable}}` filled in; unknown ones stay as they are."""
        from langchain_core.messages import HumanMessage, SystemMessage

        values = self.variables(inputs)

        def fill(text: str) -> str:
            return _VARIABLE.sub(lambda m: values.get(m.group(1), m.group(0)), text)

        return [SystemMessage(fill(self.system)), HumanMessage(fill(self.user))]


@dataclass(frozen=True)
class ModelOptions:
    """How a model is called: tries after the first, seconds before the first retry (doubling), seconds a call."""

    retries: int = 2
    delay: float = 1.0
    timeout: float = 30.0


@dataclass(frozen=True)
class TaskResult(Generic[Output]):
    """A task's value with where it came from; `failures` tells why a model was not used.

    Tokens are those of every try that answered, also of tries that were not usable; `asked` is the model that
    took them.
    """

    value: Output
    model: str = OFFLINE
    input_tokens: int = 0
    output_tokens: int = 0
    failures: list[str] = field(default_factory=list[str])
    asked: str = OFFLINE


class _BadOutput(Exception):
    """The model answered, but not in the task's shape; the reason goes back to it."""


class _BrokenOff(Exception):
    """The stream ended without saying that it was complete: a lost connection, to be tried again."""


_SAY_WHY_THEY_END = {"openai-chat": "finish_reason", "chat-ollama": "done_reason"}
"""Clients of LangChain that raise nothing on a stream that breaks off, with what a complete one carries."""


@dataclass
class _Tokens:
    """What the tries of one task cost together."""

    asked: int = 0
    said: int = 0

    def add(self, reply: Any) -> None:
        usage = getattr(reply, "usage_metadata", None) or {}
        self.asked += usage.get("input_tokens", 0)
        self.said += usage.get("output_tokens", 0)


async def run_task(
    task: Task[Inputs, Output],
    inputs: Inputs,
    model: "BaseChatModel | None",
    options: ModelOptions | None = None,
    on_text: OnText | None = None,
) -> TaskResult[Output]:
    """Run a task on `model`, or offline without one or when every try failed.

    Args:
        task: what to ask.
        inputs: what the task's prompt and its offline answer are made of.
        model: the chat model, None for offline.
        options: retries and time limits.
        on_text: receives the text as it comes (tasks with a `text_field`).
    """
    if model is None:
        return TaskResult(task.offline(inputs))
    options = options or ModelOptions()
    messages = task.render(inputs)
    failures: list[str] = []
    tokens = _Tokens()
    name = str(getattr(model, "model_name", None) or getattr(model, "model", "model"))
    for attempt in range(options.retries + 1):
        try:
            async with asyncio.timeout(options.timeout):
                value = await _ask(task, model, messages, on_text, tokens)
            _checked(task, inputs, value)
        except _BadOutput as error:
            failures.append(str(error))
            messages = [*messages, *_correction(str(error))]
            continue
        except Exception as error:
            failures.append(f"{type(error).__name__}: {error}"[:300])
            if attempt < options.retries:
                await asyncio.sleep(options.delay * 2**attempt)
            continue
        return TaskResult(value, name, tokens.asked, tokens.said, failures, name)
    log.warning("task_offline", task=task.name, failures=failures)
    return TaskResult(task.offline(inputs), OFFLINE, tokens.asked, tokens.said, failures, name)


def _checked(task: Task[Inputs, Output], inputs: Inputs, value: Output) -> None:
    problem = task.check(inputs, value) if task.check else None
    if problem:
        raise _BadOutput(problem)


async def _ask(
    task: Task[Any, Output],
    model: "BaseChatModel",
    messages: list["BaseMessage"],
    on_text: OnText | None,
    tokens: _Tokens,
) -> Output:
    if task.text_field:
        text = await _stream(model, messages, on_text, tokens)
        return task.output.model_validate({task.text_field: text})
    reply = await _structured(task, model).ainvoke(messages)
    tokens.add(reply)
    return _parse(task, _text(reply))


def _structured(task: Task[Any, Output], model: "BaseChatModel") -> Any:
    """Ask providers that can for JSON by schema; others are told the shape by the prompt."""
    schema = task.output.model_json_schema()
    match model._llm_type:
        case "openai-chat":
            wanted = {"name": task.output.__name__, "schema": schema}
            return model.bind(response_format={"type": "json_schema", "json_schema": wanted})
        case "chat-ollama":
            return model.bind(format=schema)
        case _:
            return model


async def _stream(
    model: "BaseChatModel", messages: list["BaseMessage"], on_text: OnText | None, tokens: _Tokens
) -> str:
    whole: Any = None
    if on_text:
        on_text(None)
    async for chunk in model.astream(messages):
        whole = chunk if whole is None else whole + chunk
        piece = _text(chunk)
        if piece and on_text:
            on_text(piece)
    tokens.add(whole)
    text = _text(whole).strip() if whole is not None else ""
    ended = _ended(model, whole)
    if ended in ("length", "content_filter"):
        raise _BadOutput(f"the answer was cut off ({ended})")
    if not text:
        raise _BadOutput("the answer was empty")
    return text


def _ended(model: "BaseChatModel", whole: Any) -> str | None:
    """Why a stream ended, where the provider tells."""
    about = getattr(whole, "response_metadata", None) or {}
    wanted = _SAY_WHY_THEY_END.get(model._llm_type)
    if wanted and not about.get(wanted):
        raise _BrokenOff("the stream broke off")
    return about.get("finish_reason") or about.get("done_reason")


def _parse(task: Task[Any, Output], text: str) -> Output:
    body = text[text.find("{") : text.rfind("}") + 1]
    try:
        return task.output.model_validate(json.loads(body or text))
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5])
        raise _BadOutput(f"not the asked shape: {faults}") from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise _BadOutput(f"not JSON: {error}") from error


def _correction(reason: str) -> list["BaseMessage"]:
    from langchain_core.messages import HumanMessage

    return [HumanMessage(f"That was not usable ({reason}). Answer again, in exactly the asked form.")]


def _text(message: Any) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content if isinstance(part, dict))
