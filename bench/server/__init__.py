"""Measures the server over a real socket; each figure is of one run of this command on the machine at hand."""


def main() -> None:
    """Measure and print."""
    from bench.server.__main__ import main as run

    run()
