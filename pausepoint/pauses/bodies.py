"""The bodies of the inbox's routes."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(min_length=1, max_length=256)]


class Body(BaseModel):
    """Base: what is not known is refused, as a typing error here would decide something."""

    model_config = ConfigDict(extra="forbid")


class AnswerBody(Body):
    """An answer."""

    answer: Any
    wait: bool = False
    """Wait for the run's end and return what the thread then holds and asks."""


class CheckBody(Body):
    """An answer to be checked only."""

    answer: Any


class AssignBody(Body):
    """Who shall answer; null: nobody in particular."""

    assignee: Name | None


class SnoozeBody(Body):
    """Until when it is out of sight: a time, or seconds from now; neither: it comes back."""

    until: Name | None = None
    seconds: Annotated[float, Field(gt=0, le=366 * 24 * 3600)] | None = None


class DraftBody(Body):
    """A half-filled form; null forgets it."""

    values: Any


class CancelBody(Body):
    """Why nobody needs to answer any more."""

    reason: Annotated[str, Field(max_length=1000)] | None = None


class MigrateBody(Body):
    """The node of the changed graph to go on with."""

    node: Name
