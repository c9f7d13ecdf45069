"""The embedded engine's process: reads its configuration from stdin, serves Bolt on loopback until stdin ends.

It imports nothing of this project; it reports one line of JSON on stdout, its ports or why it failed.
"""

import base64
import ctypes
import http.client
import json
import os
import shutil
import signal
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

_PDEATHSIG = 1
_NO_FILES = (
    "-Darcadedb.opencypher.loadCsv.allowFileUrls=false -Darcadedb.opencypher.loadCsv.allowRemoteUrls=false"
)
_CONCURRENT = 64
"""Queries that run at once; the project's own gate is narrower, so that time limits start when work does."""
_PROPERTIES = (
    "-Darcadedb.opencypher.loadCsv.allowFileUrls=false "
    "-Darcadedb.opencypher.loadCsv.allowRemoteUrls=false "
    f"-Darcadedb.queryMaxConcurrent={_CONCURRENT}"
)
_KEPT_LOGS = 4


def main() -> None:
    """Run until stdin ends or SIGTERM comes."""
    line = sys.stdin.readline()
    if not line:
        return
    config: dict[str, Any] = json.loads(line)
    _die_with(config["parent"])
    report = _claim_stdout()
    try:
        server, ports = _serve(config)
    except BaseException as error:
        report({"error": (str(error).splitlines() or [repr(error)])[0][:500]})
        os._exit(1)
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda _signal, _frame: ended.set())
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    report(ports)
    ended.wait()
    # A query that cannot be stopped must not keep the process.
    threading.Timer(4, os._exit, (0,)).start()
    with suppress(Exception):
        server.stop()
    os._exit(0)


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # It died before the line above.
            os._exit(0)


def _claim_stdout() -> Any:
    """Keep stdout for the report; whatever the engine prints goes to the log."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def report(values: dict[str, Any]) -> None:
        with suppress(OSError):
            print(json.dumps(values), file=out, flush=True)

    return report


def _serve(config: dict[str, Any]) -> tuple[Any, dict[str, int]]:
    folder = Path(config["folder"])
    os.umask(0o077)
    os.chdir(folder)
    _configure(folder, config["time_limit_ms"])
    _tidy(folder / "log")
    _discard_unfinished(folder / "databases" / config["database"])
    _refuse_damage(folder / "databases" / config["database"] / "schema.json")
    engine = _load(config["heap"])
    ports = {"bolt": _free_port(), "http": _free_port()}
    server = engine.create_server(
        root_path=str(folder),
        root_password=config["writer"],
        config={
            "host": "127.0.0.1",
            "http_port": ports["http"],
            # "production" hides the text of every error.
            "mode": "development",
            "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
            "bolt_host": "127.0.0.1",
            "bolt_port": ports["bolt"],
            "bolt_defaultDatabase": config["database"],
        },
    )
    server.start()
    _open_database(server, folder, config)
    _create_reader(ports["http"], config)
    return server, ports


def _configure(folder: Path, time_limit_ms: int) -> None:
    """Write who may do what anew at every start; old logins are forgotten with their passwords.

    The reader's time limit is its group's, so that it does not stop a long write.
    """
    settings = folder / "config"
    settings.mkdir(exist_ok=True)
    (settings / "server-users.jsonl").unlink(missing_ok=True)
    everything = ["createRecord", "readRecord", "updateRecord", "deleteRecord"]
    groups = {
        "admin": _group(["updateSecurity", "updateSchema", "updateDatabaseSettings"], everything, -1),
        "reader": _group([], ["readRecord"], time_limit_ms),
        "*": _group([], [], -1),
    }
    rules = {"version": 2, "databases": {"*": {"groups": groups}}}
    (settings / "server-groups.json").write_text(json.dumps(rules), encoding="utf-8")


def _group(access: list[str], records: list[str], time_limit_ms: int) -> dict[str, Any]:
    return {
        "resultSetLimit": -1,
        "readTimeout": time_limit_ms,
        "access": access,
        "types": {"*": {"access": records}},
    }


def _tidy(logs: Path) -> None:
    """The engine starts an event log at every start and never removes one."""
    if logs.is_dir():
        for old in sorted(logs.glob("*.jsonl"), key=lambda p: p.stat().st_mtime)[:-_KEPT_LOGS]:
            old.unlink(missing_ok=True)


def _load(heap: str) -> Any:
    """The native engine, or the same engine on a Java runtime where there is no native wheel."""
    os.environ["ARCADEDB_NATIVE_ISOLATE_ARGS"] = f"-Xmx{heap} {_PROPERTIES}"
    # Only for analysis; it would cost 15 MB and half of the import.
    sys.modules["numpy"] = None  # type: ignore[assignment]
    try:
        import arcadedb  # type: ignore[import-untyped]
    except ImportError:
        del sys.modules["numpy"]
        import arcadedb_embedded as arcadedb  # type: ignore[import-not-found,no-redef]
        from arcadedb_embedded.jvm import start_jvm  # type: ignore[import-not-found]

        start_jvm(heap_size=heap, jvm_args=f"-XX:+UseSerialGC {_PROPERTIES}")
    return arcadedb


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _open_database(server: Any, folder: Path, config: dict[str, Any]) -> None:
    name = config["database"]
    if not (folder / "databases" / name).is_dir():
        server.create_database(name)
    database = server.get_database(name)
    settings = {"arcadedb.command.timeout": config["write_limit_ms"], "arcadedb.txWalFlush": 1}
    for key, value in settings.items():
        database.command("sql", f"ALTER DATABASE `{key}` {value}")


def _discard_unfinished(database: Path) -> None:
    """A kill while the database was made leaves a folder without schema, which will not open."""
    if database.is_dir() and not any([*database.glob("schema*.json"), *database.glob("*.bucket")]):
        shutil.rmtree(database)


def _refuse_damage(schema: Path) -> None:
    """With a schema it cannot read the engine would start empty, and keep that."""
    if schema.exists():
        try:
            json.loads(schema.read_bytes())
        except ValueError as error:
            raise RuntimeError(f"{schema.name} is damaged ({error})") from error


def _create_reader(port: int, config: dict[str, Any]) -> None:
    user = {"name": "reader", "password": config["reader"], "databases": {config["database"]: ["reader"]}}
    login = base64.b64encode(f"root:{config['writer']}".encode()).decode()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(
        "POST",
        "/api/v1/server",
        json.dumps({"command": "create user " + json.dumps(user)}),
        {"Content-Type": "application/json", "Authorization": f"Basic {login}"},
    )
    reply = connection.getresponse()
    if reply.status != 200:
        raise RuntimeError(f"the reader's login was refused: {reply.status} {reply.read(300)!r}")
    connection.close()


if __name__ == "__main__":
    main()
