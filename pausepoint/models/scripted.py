"""A chat model that says what it was told to: streams, records what it was asked, and can fail."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field

Reply = str | Exception | Callable[[list[BaseMessage]], str]


class ScriptedChatModel(BaseChatModel):
    """Replies in order (the last one for ever); an exception is raised, a function is called."""

    replies: Sequence[Any] = ()
    requests: list[list[BaseMessage]] = Field(default_factory=list[list[BaseMessage]])
    """Every conversation it was asked, in order."""
    model_name: str = "scripted"

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _next(self, messages: list[BaseMessage]) -> str:
        if not self.replies:
            raise RuntimeError("the scripted model has no replies")
        reply: Reply = self.replies[min(len(self.requests), len(self.replies) - 1)]
        self.requests.append(messages)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, str) else reply(messages)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text = self._next(messages)
        message = AIMessage(text, usage_metadata=_usage(messages, text))
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        text = self._next(messages)
        pieces = text.split(" ")
        for position, piece in enumerate(pieces):
            last = position == len(pieces) - 1
            yield ChatGenerationChunk(
                message=AIMessageChunk(
                    content=piece if last else piece + " ",
                    usage_metadata=_usage(messages, text) if last else None,
                )
            )

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(messages):
            if run_manager:
                await run_manager.on_llm_new_token(str(chunk.message.content), chunk=chunk)
            yield chunk


def _usage(messages: list[BaseMessage], text: str) -> Any:
    asked = sum(len(str(m.content)) for m in messages) // 4
    said = max(1, len(text) // 4)
    return {"input_tokens": asked, "output_tokens": said, "total_tokens": asked + said}
