"""What benchmarks share: figures beside their goals, a loaded data folder, a real server process and what it costs."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Empty, Queue
from statistics import median, quantiles

import psutil
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "samples"
LOADED = ROOT / ".data" / "bench"
"""Where the samples are loaded once for all benchmarks; they work on copies."""
READY = "Pausepoint ready on "
console = Console(width=100)


@dataclass(frozen=True)
class Figure:
    """One measured number; with a goal, it should stay below it (or, for a count of errors, at 0)."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without one."""
        if self.goal is None:
            return None
        return self.value < self.goal or self.value == self.goal == 0


def show(title: str, figures: Sequence[Figure]) -> None:
    """Print a table."""
    table = Table("measured", "value", "goal", "", title=title, title_justify="left", min_width=90)
    table.columns[1].justify = table.columns[2].justify = "right"
    for each in figures:
        goal = "" if each.goal is None else f"< {each.goal:g} {each.unit}" if each.goal else "0"
        verdict = {True: "met", False: "MISSED", None: ""}[each.met]
        said = "  ".join(part for part in (verdict, each.note) if part)
        table.add_row(each.name, f"{_number(each.value)} {each.unit}".strip(), goal, said)
    console.print(table)


def show_json(tables: dict[str, Sequence[Figure]]) -> None:
    """Print tables as one JSON object."""
    found = {title: [{**asdict(f), "met": f.met} for f in figures] for title, figures in tables.items()}
    print(json.dumps(found, ensure_ascii=False, indent=1))


def _number(value: float) -> str:
    return f"{value:.2f}" if value < 10 and value != int(value) else f"{value:,.0f}"


def p50(values: Iterable[float]) -> float:
    """The median."""
    return median(values)


def p95(values: Sequence[float]) -> float:
    """The 95th percentile; of few values the largest."""
    return quantiles(values, n=20)[-1] if len(values) >= 20 else max(values)


def environment(data: Path) -> dict[str, str]:
    """The environment of a measured process: offline, one thread for mathematics, its own data folder."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PAUSEPOINT_", "GRAPH_", "QDRANT_"))}
    return {**kept, "PAUSEPOINT_DATA": str(data), "OMP_NUM_THREADS": "1"}


@contextmanager
def loaded_copy(source: Path | None = None) -> Generator[Path]:
    """A data folder with both samples, to be measured on and thrown away.

    Args:
        source: A folder that is already loaded; without it the samples are loaded (once: about a minute each).
    """
    if source is None:
        load_samples()
    with tempfile.TemporaryDirectory(prefix="pausepoint-bench-") as folder:
        copy = Path(folder) / "data"
        shutil.copytree(source or LOADED, copy)
        yield copy


def load_samples() -> None:
    """Load every sample campaign into `LOADED`; what is there already is only looked at."""
    for campaign in sorted(path.parent for path in SAMPLES.glob("*/campaign.yaml")):
        command = [sys.executable, "-m", "pausepoint", "load", "campaign", str(campaign)]
        subprocess.run(command, cwd=ROOT, env=environment(LOADED), check=True, stdout=sys.stderr, timeout=900)


@dataclass(frozen=True)
class Running:
    """A server process that answers."""

    url: str
    start_seconds: float
    """From starting the process to its ready line."""
    start_cpu_seconds: float
    """Processor time until then; unlike the clock it does not depend on what else runs."""
    process: psutil.Process

    def tree(self) -> list[psutil.Process]:
        """The server and its children (the embedded graph)."""
        return [self.process, *self.process.children(recursive=True)]

    def memory(self) -> dict[str, float]:
        """Megabytes of the whole tree: rss, pss and uss."""
        found = [process.memory_full_info() for process in self.tree()]
        return {kind: sum(getattr(one, kind) for one in found) / 1e6 for kind in ("rss", "pss", "uss")}

    def cpu_ms(self) -> float:
        """Milliseconds of processor time the tree has taken so far."""
        return 1000 * _cpu_seconds(self.tree())


def _cpu_seconds(processes: Sequence[psutil.Process]) -> float:
    times = [process.cpu_times() for process in processes]
    return sum(one.user + one.system for one in times)


@contextmanager
def serving(data: Path, arguments: Sequence[str] = ("serve", "--port", "0")) -> Generator[Running]:
    """Start `pausepoint <arguments>` on a data folder, wait for its ready line, and stop it in the end."""
    command = [sys.executable, "-m", "pausepoint", *arguments]
    with tempfile.TemporaryFile("w+") as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment(data), stdout=subprocess.PIPE, stderr=errors, text=True
        )
        try:
            url = _url_of(process, 120)
            if url is None:
                errors.seek(0)
                raise RuntimeError(f"{' '.join(command)} did not become ready: {errors.read()[-2000:]}")
            seconds, found = time.perf_counter() - started, psutil.Process(process.pid)
            yield Running(url, seconds, _cpu_seconds([found, *found.children(recursive=True)]), found)
        finally:
            _stop(process)


def _url_of(process: "subprocess.Popen[str]", seconds: float) -> str | None:
    found: Queue[str | None] = Queue()

    def read() -> None:
        for line in process.stdout or ():
            if line.startswith(READY):
                found.put(line.removeprefix(READY).split()[0])
        found.put(None)

    threading.Thread(target=read, daemon=True).start()
    try:
        return found.get(timeout=seconds)
    except Empty:
        return None


def _stop(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
