"""Prints every benchmark table, each module in a process of its own: `python -m bench`, or one: `python -m bench assistant`.

A module that fails does not keep the others from running; the exit code is then 1.
"""

import argparse
import ast
import asyncio
import inspect
import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).parent
FIRST = ("assistant", "vectors", "graphdb", "checkpointer")
LONGEST_SECONDS = 900


def modules() -> list[str]:
    """Names below `bench` of every module with a `main`, the most asked for first."""
    paths = [*FOLDER.glob("[!_]*.py"), *FOLDER.glob("*/[!_]*.py"), *FOLDER.glob("*/__init__.py")]
    names = {_name(path) for path in paths if _has_main(path)}
    return sorted(names, key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name))


def _name(path: Path) -> str:
    parts = path.relative_to(FOLDER).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def _has_main(path: Path) -> bool:
    body = ast.parse(path.read_text("utf-8")).body
    return any(isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name == "main" for n in body)


def run_here(name: str, arguments: list[str]) -> None:
    """Run one module's `main` in this process; it finds its arguments where a script does."""
    sys.argv = [f"bench.{name}", *arguments]
    result = import_module(f"bench.{name}").main()
    if inspect.isawaitable(result):

        async def wait() -> None:
            await result

        asyncio.run(wait())


def run_apart(name: str) -> bool:
    """Run one module in a process of its own; tells whether it succeeded."""
    print(f"\n{'=' * 100}\n{name}\n{'=' * 100}", flush=True)
    started = time.monotonic()
    command = [sys.executable, "-m", "bench", name]
    with subprocess.Popen(command, cwd=FOLDER.parent, start_new_session=True) as process:
        try:
            code = process.wait(LONGEST_SECONDS)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            code = f"not done after {LONGEST_SECONDS} s"
    said = "" if code == 0 else f": FAILED ({code})"
    print(f"{name}: {time.monotonic() - started:.0f} s{said}", flush=True)
    return code == 0


def main() -> int:
    """Run what was asked for; 1 when something failed, 2 when it does not exist."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("name", nargs="?", help="run this one here; what follows is handed to it")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="may be repeated")
    options = parser.parse_args()
    known = modules()
    wanted = [options.name] if options.name else options.only or known
    if unknown := [name for name in wanted if name not in known]:
        print(f"There is no benchmark {unknown[0]!r}; there are: {', '.join(known)}.", file=sys.stderr)
        return 2
    if options.name:
        run_here(options.name, options.arguments)
        return 0
    failed = [name for name in wanted if not run_apart(name)]
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
