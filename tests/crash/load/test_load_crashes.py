"""A load that is killed or stopped anywhere, then done again, leaves what an undisturbed load leaves."""

import asyncio
import os
import random
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest
from folders import ARTIFACTS, RELATIONS, big_campaign, put, write_campaign
from stores import everything, load, opened

HERE = Path(__file__).parent
MORE = ARTIFACTS.replace("name: Hanna", "name: Hanna Flisak\n  aliases: [Hanna]").replace(
    "Zwiadowca", "Dawny zwiadowca"
)


def first_folder(root: Path) -> Path:
    write_campaign(root)
    return put(root, "notes/03.md", "# Kronika\n\n" + "Woda opada powoli. " * 90).parents[1]


def second_folder(root: Path) -> Path:
    """The first one changed in every way: shorter, longer, renamed, turned, gone, new."""
    turned = RELATIONS.replace("source: adam\n  target: Hanna", "source: Hanna\n  target: adam")
    write_campaign(root, artifacts=MORE, relations=turned.split("- from")[0])
    (root / "notes" / "02-druga.md").unlink()
    put(root, "notes/03.md", "# Kronika\n\nWoda opadła.")
    put(root, "notes/04.md", "# Nowa\n\n" + "Hanna pisze list. " * 60)
    return root


async def killed(data: Path, folder: Path, step: int, *extra: str) -> bool:
    """Load in a process that dies before its nth call to a store; tells whether it got that far."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, str(HERE / "load_and_die.py"), str(data), str(folder), str(step), *extra,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, err = await child.communicate()
    assert child.returncode in (0, -signal.SIGKILL), err.decode()
    return child.returncode != 0


async def undisturbed(root: Path, folder: Path) -> dict[str, Any]:
    async with opened(root) as services:
        await load(services, folder)
        return await everything(services)


async def crashed_load_equals_undisturbed(root: Path, first_step: int, second_step: int) -> bool:
    """Kill the first load, then the load of the changed folder, then let one finish; tells whether both died."""
    one, two = first_folder(root / "one"), second_folder(root / "two")
    died = await killed(root / "data", one, first_step)
    died &= await killed(root / "data", two, second_step, "prune")
    async with opened(root / "data") as services:
        await load(services, two, prune=True)
        held = await everything(services)
        again = await load(services, two, prune=True)
    assert held == await undisturbed(root / "fresh", two)
    assert again.changes == 0
    return died


@pytest.mark.parametrize(("first", "second"), [(5, 9), (8, 13), (11, 17), (14, 22)])
async def test_killed_at_a_step_of_both_loads(tmp_path: Path, first: int, second: int):
    assert await crashed_load_equals_undisturbed(tmp_path, first, second)


@pytest.mark.soak
async def test_killed_at_every_step(tmp_path: Path):
    steps = range(1, 40)
    rng = random.Random(7)
    deaths = [await crashed_load_equals_undisturbed(tmp_path / str(n), n, rng.randint(2, 30)) for n in steps]
    assert sum(deaths) > 10


async def stopped_by(send: signal.Signals, data: Path, folder: Path) -> tuple[int | None, str]:
    """Run the command until its first batch is written, send the signal, and tell how it ended."""
    env = {**os.environ, "PAUSEPOINT_DATA": str(data), "OMP_NUM_THREADS": "1"}
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pausepoint", "load", "campaign", str(folder),
        env=env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        # Where the tests themselves run in the background, Ctrl-C is switched off and would be inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    while child.returncode is None and written(data) == 0:
        await asyncio.sleep(0.01)
    child.send_signal(send)
    _, err = await child.communicate()
    return child.returncode, err.decode()


def written(data: Path) -> int:
    try:
        with sqlite3.connect(f"file:{data}/pausepoint.sqlite?mode=ro", uri=True) as conn:
            return conn.execute("SELECT count(*) FROM campaign_items").fetchone()[0]
    except sqlite3.Error:
        return 0


async def test_ctrl_c_says_what_is_kept_and_the_next_load_goes_on(tmp_path: Path):
    folder = big_campaign(tmp_path / "big", notes=96, artifacts=40)
    code, said = await stopped_by(signal.SIGINT, tmp_path / "data", folder)
    assert code == 130
    assert said.startswith("stopped; kept: ")
    assert f"Go on with: pausepoint load campaign {folder}" in said
    assert "Traceback" not in said
    kept = written(tmp_path / "data")
    assert 0 < kept < 176
    await same_as_undisturbed(tmp_path, folder, kept)


async def test_sigkill_under_way_loses_nothing_that_was_written(tmp_path: Path):
    folder = big_campaign(tmp_path / "big", notes=96, artifacts=40)
    code, _ = await stopped_by(signal.SIGKILL, tmp_path / "data", folder)
    assert code == -signal.SIGKILL
    kept = written(tmp_path / "data")
    assert 0 < kept < 176
    await same_as_undisturbed(tmp_path, folder, kept)


async def same_as_undisturbed(root: Path, folder: Path, kept: int) -> None:
    """What the killed command wrote stays: its vectors are of the real model, so only the count can be looked at."""
    from pausepoint.services import open_services
    from pausepoint.settings import Settings

    services = await open_services(Settings(data=root / "data"))
    try:
        report = await load(services, folder)
        held = await everything(services)
    finally:
        await services.close()
    assert sum(counts.unchanged for counts in report.kinds.values()) >= kept
    assert held == await undisturbed(root / "fresh", folder)
