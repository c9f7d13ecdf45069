"""Times as the API writes them: ISO 8601 in UTC with microseconds, so that they sort as text."""

from datetime import UTC, datetime, timedelta


def now() -> str:
    """The current time."""
    return stamp(datetime.now(UTC))


def later(seconds: float) -> str:
    """The time in some seconds from now."""
    return stamp(datetime.now(UTC) + timedelta(seconds=seconds))


def stamp(moment: datetime) -> str:
    """A time as text; a naive one is taken for UTC."""
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.isoformat(timespec="microseconds")


def seconds_until(text: str) -> float:
    """How long until a stored time; negative when it has passed."""
    return (datetime.fromisoformat(text) - datetime.now(UTC)).total_seconds()
