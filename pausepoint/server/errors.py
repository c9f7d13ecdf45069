"""Errors that the HTTP API answers with: a status, a message, and what to do."""

from collections.abc import Mapping
from typing import Any

from pausepoint.errors import PausepointError


class ApiError(PausepointError):
    """A request that cannot be served as asked; raised anywhere below a route."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep what the answer needs.

        Args:
            status: The HTTP status.
            detail: What was wrong, with which value, what to do.
            headers: More response headers, for example Retry-After.
            extra: More members of the JSON answer.
        """
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
        self.extra = dict(extra or {})


class NotFound(ApiError):
    """There is no such thing, or the caller may not know of it."""

    def __init__(self, what: str, key: object) -> None:
        """Name what was looked for.

        Args:
            what: The kind, for example `Thread`.
            key: The id that was asked for.
        """
        super().__init__(404, f"{what} {str(key)!r} not found.")


class Conflict(ApiError):
    """The request contradicts the current state."""

    def __init__(self, detail: str, extra: Mapping[str, Any] | None = None) -> None:
        """Say what stands against it."""
        super().__init__(409, detail, extra=extra)


class Invalid(ApiError):
    """The request is understood but cannot be right."""

    def __init__(self, detail: str, extra: Mapping[str, Any] | None = None) -> None:
        """Say what is wrong with which value."""
        super().__init__(422, detail, extra=extra)


class TooMany(ApiError):
    """A limit is reached; later it may work."""

    def __init__(self, detail: str, retry_after: int = 1) -> None:
        """Say which limit, and when to come back (seconds)."""
        super().__init__(429, detail, headers={"Retry-After": str(retry_after)})


class ConfigError(PausepointError):
    """The project's langgraph.json cannot be served as it is."""
