"""Where a command's log goes: stderr, warnings and worse, so that stdout holds nothing but its result."""

import logging
import sys


def log_to_stderr(level: int = logging.WARNING) -> None:
    """Set up logging for a command; `level` as in the module logging."""
    import structlog

    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(),
                exception_formatter=structlog.dev.plain_traceback,  # the pretty one shows every variable, keys too
            ),
        ],
    )
