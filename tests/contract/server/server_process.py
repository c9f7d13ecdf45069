"""Starts the server as users do, in its own process, and talks to it over a real socket."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).parent / "project"
ROOT = Path(__file__).parents[3]


class Served:
    """A server in a child process; can be killed and started again on the same data."""

    def __init__(self, config: Path, data: Path, *options: str, env: dict[str, str] | None = None) -> None:
        self.config, self.data, self.options = config, data, options
        self.env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **(env or {})}
        self.url = ""
        self.process: subprocess.Popen[str] | None = None
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115

    def start(self) -> "Served":
        port = self.url.rpartition(":")[2] or "0"
        command = [
            sys.executable,
            "-m",
            "pausepoint.server.cli",
            "--config",
            str(self.config),
            "--port",
            port,
        ]
        command += ["--data", str(self.data), *self.options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log, text=True, env=self.env
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"ready on (http://\S+)", line)
        assert found, f"not ready: {line!r}\n{self.stderr()}"
        self.url = found.group(1)
        return self

    def stderr(self) -> str:
        self.log.seek(0)
        return self.log.read()

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        assert self.process is not None
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(30)
        finally:
            if self.process.stdout:
                self.process.stdout.close()

    def __enter__(self) -> "Served":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.log.close()
