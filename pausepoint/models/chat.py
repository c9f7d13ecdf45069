"""Chat models by name (`provider:model`): openai, ollama, any OpenAI-compatible base URL."""

from importlib import import_module
from typing import TYPE_CHECKING

from pausepoint.errors import PausepointError
from pausepoint.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class UnknownModel(PausepointError):
    """The configured model's provider is not one we know."""


def open_chat_model(settings: Settings) -> "BaseChatModel | None":
    """The configured chat model, or None when none is configured (offline).

    `PAUSEPOINT_MODEL` is `openai:gpt-4o-mini`, `ollama:qwen2.5:7b`, or `python:package.module:factory` for a
    factory without arguments. Our own loop does the retries, so the clients' are off.

    Raises:
        UnknownModel: the name has no known provider.
    """
    if not settings.model:
        return None
    provider, _, name = settings.model.partition(":")
    if not name:
        raise UnknownModel(
            f"PAUSEPOINT_MODEL is {settings.model!r}; write provider:model, for example openai:gpt-4o-mini."
        )
    match provider:
        case "openai":
            return _openai(settings, name)
        case "ollama":
            return _ollama(settings, name)
        case "python":
            return _own(name)
        case _:
            raise UnknownModel(
                f"PAUSEPOINT_MODEL names the provider {provider!r}; known are openai, ollama and python."
            )


def _own(name: str) -> "BaseChatModel":
    module, _, factory = name.partition(":")
    try:
        made = getattr(import_module(module), factory)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownModel(
            f"PAUSEPOINT_MODEL names the factory {name!r}, which cannot be imported ({error}); write "
            "python:package.module:factory."
        ) from error
    return made()


def _openai(settings: Settings, name: str) -> "BaseChatModel":
    from langchain_openai import ChatOpenAI

    key = settings.model_api_key.get_secret_value()
    return ChatOpenAI(
        model=name,
        base_url=settings.model_base_url or None,
        api_key=(lambda: key) if key else (lambda: "unused") if settings.model_base_url else None,  # type: ignore[arg-type]
        timeout=settings.model_timeout,
        max_retries=0,
        stream_usage=True,
    )


def _ollama(settings: Settings, name: str) -> "BaseChatModel":
    from langchain_ollama import ChatOllama

    return ChatOllama(model=name, base_url=settings.model_base_url or None, temperature=0)
