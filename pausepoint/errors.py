"""The base of all errors this project raises on purpose."""


class PausepointError(Exception):
    """Something a user can act on: what was wrong, with which value, what to do."""
