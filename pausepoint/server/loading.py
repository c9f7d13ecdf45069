"""Finds the object that `file.py:name` or `package.module:name` means."""

import importlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from pausepoint.server.errors import ConfigError

_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def load_object(target: str, root: Path) -> Any:
    """Import the module of `target` and return the named object.

    Args:
        target: `./graphs/agent.py:graph` relative to `root`, or `package.module:graph`.
        root: The folder of langgraph.json.

    Raises:
        ConfigError: There is no such file, module or name.
        Exception: Whatever the module raises while it is imported.
    """
    place, _, name = target.rpartition(":")
    module = _module(place, root)
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise ConfigError(
                f"{place!r} has no {name!r}. Names in it: {', '.join(_public(module)) or 'none'}."
            ) from None
    return found


def _module(place: str, root: Path) -> ModuleType:
    if _MODULE.fullmatch(place):
        return importlib.import_module(place)
    file = (root / place).resolve()
    if not file.is_file():
        raise ConfigError(f"There is no file {str(file)!r} (named as {place!r} in langgraph.json).")
    return _from_package(file) or _from_file(file)


def _from_package(file: Path) -> ModuleType | None:
    """Import under the dotted name, so that the file is not loaded a second time when others import it."""
    for folder in sys.path:
        if not folder or not file.is_relative_to(folder):
            continue
        parts = file.relative_to(folder).with_suffix("").parts
        if not all(part.isidentifier() for part in parts):
            continue
        dotted = ".".join(parts)
        try:
            spec = importlib.util.find_spec(dotted)
        except (ImportError, ValueError):
            continue
        if spec and spec.origin and Path(spec.origin) == file:
            return importlib.import_module(dotted)
    return None


def _from_file(file: Path) -> ModuleType:
    name = f"pausepoint_project.{abs(hash(str(file))):x}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{str(file)!r} cannot be imported as a Python module.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _public(module: ModuleType) -> list[str]:
    return sorted(name for name in vars(module) if not name.startswith("_"))[:20]
