"""Pausepoint: agents that stop, ask, and carry on."""

__version__ = "0.1.0"
