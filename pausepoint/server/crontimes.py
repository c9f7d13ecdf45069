"""When a cron is due next, in its own time zone."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from croniter import croniter

from pausepoint.server.clock import stamp
from pausepoint.server.errors import Invalid


def check(schedule: str, timezone: str | None, end_time: str | None) -> None:
    """Refuse what cannot be scheduled.

    Raises:
        Invalid: The schedule, the time zone or the end is none.
    """
    if not croniter.is_valid(schedule) or len(schedule.split()) > 6:
        raise Invalid(
            f"{schedule!r} is no cron schedule; five fields are expected, for example '0 9 * * 1-5'."
        )
    zone(timezone)
    if end_time is not None:
        moment(end_time)


def zone(name: str | None) -> ZoneInfo:
    """A time zone by its IANA name; None is UTC.

    Raises:
        Invalid: There is no such zone.
    """
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Invalid(f"{name!r} is no IANA time zone; an example is 'Europe/Warsaw'.") from None


def moment(text: str) -> datetime:
    """A time from text; without a zone it is UTC.

    Raises:
        Invalid: It is none.
    """
    try:
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Invalid(f"{text!r} is no ISO 8601 time.") from None


def next_time(
    schedule: str, timezone: str | None, end_time: str | None, after: datetime | None = None
) -> str | None:
    """The next due time in UTC, or None when there is none before the end.

    Args:
        schedule: Five (or six, with seconds) cron fields.
        timezone: IANA name; None is UTC. Daylight saving time is honoured.
        end_time: ISO 8601, or None.
        after: The time to look from; now when not given.
    """
    start = (after or datetime.now(UTC)).astimezone(zone(timezone))
    try:
        found: datetime = croniter(schedule, start).get_next(datetime)
    except (ValueError, KeyError, OverflowError) as error:
        raise Invalid(f"{schedule!r} is never due: {error}.") from None
    due = found.astimezone(UTC)
    if end_time is not None and due > moment(end_time):
        return None
    return stamp(due)
