from collections import Counter
from pathlib import Path

import pytest
from server_process import Served

PROJECT = Path(__file__).parent / "project"


class Witnessed(Served):
    """A server whose nodes leave a trace outside of it."""

    def __init__(self, folder: Path) -> None:
        self.witness = folder / "witness"
        self.witness.touch()
        super().__init__(
            PROJECT / "langgraph.json",
            folder / "data",
            "--drain-seconds",
            "3",
            env={"WITNESS": str(self.witness)},
        )

    def restart(self, hold_at: str | None = None) -> None:
        self.env.pop("HOLD_AT", None)
        if hold_at:
            self.env["HOLD_AT"] = hold_at
        self.start()

    def seen(self, thread: str) -> Counter:
        lines = self.witness.read_text().splitlines()
        return Counter(line.partition(" ")[2] for line in lines if line.startswith(thread))


@pytest.fixture
def served(tmp_path):
    found = Witnessed(tmp_path)
    yield found
    if found.process is not None:
        found.stop()
    found.log.close()
