"""Loads a folder and SIGKILLs itself before the nth call to a store: python load_and_die.py DATA FOLDER N [prune]."""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "unit" / "campaigns"))

from stores import load, opened

STEPS = {
    "database": ("write",),
    "vectors": ("ensure", "upsert", "delete"),
    "graph": ("write", "write_all"),
}


async def main(data: Path, folder: Path, last: int, prune: bool) -> None:
    async with opened(data) as services:
        left = last

        def counted(call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
            async def step(*args: Any, **options: Any) -> Any:
                nonlocal left
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return await call(*args, **options)

            return step

        for store, names in STEPS.items():
            for name in names:
                target = getattr(services, store)
                setattr(target, name, counted(getattr(target, name)))
        await load(services, folder, prune=prune)
        print(last - left)


asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] == ["prune"]))
