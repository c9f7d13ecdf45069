"""Text of notes and names on a terminal: readable, without the characters that would steer it."""

import re
import sys

_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """The text with control characters and reversals of direction replaced; line ends and tabs stay.

    Args:
        text: From a campaign or a model, that is from anybody.
    """
    return _STEERING.sub("\ufffd", text.replace("\r\n", "\n"))


def forgive_encoding() -> None:
    """A terminal that cannot show a letter shows a question mark instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="replace")
