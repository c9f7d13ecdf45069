"""Reads a project's langgraph.json: what it names is served, what is not supported is said at start."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import orjson

from pausepoint.server.errors import ConfigError

SUPPORTED = frozenset({"graphs", "dependencies", "env", "store", "checkpointer", "auth", "http"})
WITHOUT_EFFECT = frozenset(
    {
        "$schema",
        "python_version",
        "node_version",
        "pip_config_file",
        "pip_installer",
        "base_image",
        "image_distro",
        "dockerfile_lines",
        "api_version",
        "keep_pkg_tools",
    }
)
"""Keys for building images: a server that runs in place has no use for them and says nothing."""
HTTP_KEYS = frozenset({"app", "cors", "enable_custom_route_auth", "middleware_order"})
AUTH_KEYS = frozenset({"path", "disable_studio_auth"})
STORE_KEYS = frozenset({"path", "index", "ttl"})
CHECKPOINTER_KEYS = frozenset({"path", "ttl"})


@dataclass(frozen=True)
class Cors:
    """Which pages of other origins may call the server."""

    allow_origins: list[str] = field(default_factory=list[str])
    allow_origin_regex: str | None = None
    allow_methods: list[str] = field(default_factory=lambda: ["*"])
    allow_headers: list[str] = field(default_factory=lambda: ["*"])
    allow_credentials: bool = False
    expose_headers: list[str] = field(default_factory=list[str])
    max_age: int = 600


@dataclass(frozen=True)
class ProjectConfig:
    """A langgraph.json, read and checked; paths are absolute."""

    root: Path
    graphs: dict[str, str]
    """Graph id → `path/to/file.py:name` or `package.module:name`."""
    descriptions: dict[str, str] = field(default_factory=dict[str, str])
    dependencies: list[Path] = field(default_factory=list[Path])
    env: dict[str, str] = field(default_factory=dict[str, str])
    http_app: str | None = None
    cors: Cors | None = None
    auth: str | None = None
    custom_route_auth: bool = True
    checkpointer: str | None = None
    store: str | None = None
    store_index: dict[str, Any] | None = None
    thread_ttl: dict[str, Any] | None = None
    warnings: list[str] = field(default_factory=list[str])
    """One line for each key that is not supported."""

    def prepare(self) -> None:
        """Set the environment and the import path as the project asks; a real environment variable wins."""
        for name, value in self.env.items():
            os.environ.setdefault(name, value)
        for folder in reversed([self.root, *self.dependencies]):
            if str(folder) not in sys.path:
                sys.path.insert(0, str(folder))


def read_config(path: Path) -> ProjectConfig:
    """Read a langgraph.json.

    Args:
        path: The file.

    Raises:
        ConfigError: The file is missing, is no JSON, or a value has the wrong type.
    """
    path = path.expanduser().resolve()
    raw = _load(path)
    root = path.parent
    http = _section(raw, "http", path)
    auth = _section(raw, "auth", path)
    store = _section(raw, "store", path)
    checkpointer = _section(raw, "checkpointer", path)
    graphs, descriptions = _graphs(raw, path)
    return ProjectConfig(
        root=root,
        graphs=graphs,
        descriptions=descriptions,
        dependencies=_dependencies(raw, root),
        env=_env(raw.get("env"), root),
        http_app=http.get("app"),
        cors=_cors(http.get("cors"), path),
        auth=auth.get("path"),
        custom_route_auth=bool(http.get("enable_custom_route_auth", True)),
        checkpointer=checkpointer.get("path"),
        store=store.get("path"),
        store_index=store.get("index"),
        thread_ttl=checkpointer.get("ttl"),
        warnings=_unsupported(raw, http, auth, store, checkpointer),
    )


def _load(path: Path) -> dict[str, Any]:
    try:
        raw = orjson.loads(path.read_bytes())
    except OSError as error:
        raise ConfigError(
            f"Cannot read {str(path)!r}: {error.strerror}. Give another file with --config."
        ) from error
    except orjson.JSONDecodeError as error:
        raise ConfigError(f"{str(path)!r} is no valid JSON: {error}.") from error
    if not isinstance(raw, dict):
        raise ConfigError(f"{str(path)!r} must hold a JSON object, not {type(raw).__name__}.")
    return cast("dict[str, Any]", raw)


def _section(raw: Mapping[str, Any], key: str, path: Path) -> dict[str, Any]:
    value = raw.get(key)
    if value is None:
        return {}
    if isinstance(value, str) and key in ("checkpointer", "store"):
        return {"path": value}
    if not isinstance(value, dict):
        raise ConfigError(f"{key!r} in {str(path)!r} must be an object, not {value!r}.")
    return cast("dict[str, Any]", value)


def _graphs(raw: Mapping[str, Any], path: Path) -> tuple[dict[str, str], dict[str, str]]:
    value = raw.get("graphs")
    if not isinstance(value, dict) or not value:
        raise ConfigError(
            f"{str(path)!r} names no graphs. Add for example "
            '"graphs": {"agent": "./agent.py:graph"}; the value is file:variable.'
        )
    graphs: dict[str, str] = {}
    descriptions: dict[str, str] = {}
    for name, entry in cast("dict[str, Any]", value).items():
        target: Any = cast("dict[str, Any]", entry).get("path") if isinstance(entry, dict) else entry
        if not isinstance(target, str) or ":" not in target:
            raise ConfigError(
                f"The graph {name!r} in {str(path)!r} is {entry!r}; expected 'file.py:variable' "
                "or {'path': 'file.py:variable'}."
            )
        graphs[name] = target
        if isinstance(entry, dict) and "description" in entry:
            descriptions[name] = str(cast("dict[str, Any]", entry)["description"])
    return graphs, descriptions


def _dependencies(raw: Mapping[str, Any], root: Path) -> list[Path]:
    found: list[Path] = []
    for entry in raw.get("dependencies") or []:
        folder = (root / str(entry)).resolve()
        if str(entry).startswith(".") and folder.is_dir():
            found.append(folder)
            if (folder / "src").is_dir() and not (folder / "src" / "__init__.py").exists():
                found.append(folder / "src")
    return found


def _env(value: object, root: Path) -> dict[str, str]:
    if isinstance(value, dict):
        return {str(k): str(v) for k, v in cast("dict[Any, Any]", value).items()}
    if not isinstance(value, str) or not (root / value).is_file():
        return {}
    from dotenv import dotenv_values

    return {k: v for k, v in dotenv_values(root / value).items() if v is not None}


def _cors(value: object, path: Path) -> Cors | None:
    if value is None:
        return None
    known = Cors.__dataclass_fields__
    if not isinstance(value, dict) or not set(cast("dict[str, Any]", value)) <= set(known):
        raise ConfigError(f"'http.cors' in {str(path)!r} is {value!r}; known keys are {sorted(known)}.")
    return Cors(**cast("dict[str, Any]", value))


def _unsupported(
    raw: Mapping[str, Any],
    http: Mapping[str, Any],
    auth: Mapping[str, Any],
    store: Mapping[str, Any],
    checkpointer: Mapping[str, Any],
) -> list[str]:
    names = sorted(set(raw) - SUPPORTED - WITHOUT_EFFECT)
    names += sorted(f"http.{k}" for k in set(http) - HTTP_KEYS)
    names += sorted(f"auth.{k}" for k in set(auth) - AUTH_KEYS)
    names += sorted(f"store.{k}" for k in set(store) - STORE_KEYS)
    names += sorted(f"checkpointer.{k}" for k in set(checkpointer) - CHECKPOINTER_KEYS)
    return [f"langgraph.json: {name!r} is not supported here and has no effect." for name in names]
