"""Migrations apply once, together, after a backup; a newer file is refused."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pausepoint.storage.connection import open_writer
from pausepoint.storage.database import Database
from pausepoint.storage.errors import DatabaseTooNew, StorageError
from pausepoint.storage.migrate import known_migrations, migrate, statements

FIRST = {"0001_a": "CREATE TABLE a (x); INSERT INTO a VALUES ('one; two');"}
SECOND = FIRST | {"0002_b": "-- with a comment; and more\nCREATE TABLE b (y);\nINSERT INTO b SELECT x FROM a"}


def apply(path: Path, known: dict[str, str]) -> Path | None:
    with closing(open_writer(path)) as conn:
        return migrate(conn, path, known)


def tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as conn:
        return {row[0] for row in conn.execute("SELECT name FROM sqlite_master WHERE type='table'")}


def test_a_new_file_gets_everything_and_no_backup(tmp_path: Path) -> None:
    assert apply(tmp_path / "d", SECOND) is None
    assert apply(tmp_path / "d", SECOND) is None
    assert tables(tmp_path / "d") == {"a", "b", "migrations"}


def test_an_older_file_is_backed_up_and_brought_forward(tmp_path: Path) -> None:
    apply(tmp_path / "d", FIRST)

    backup = apply(tmp_path / "d", SECOND)

    assert backup is not None and backup.name.startswith("d.before-0002_b.")
    assert tables(backup) == {"a", "migrations"}
    with closing(sqlite3.connect(tmp_path / "d")) as conn:
        assert conn.execute("SELECT y FROM b").fetchall() == [("one; two",)]


def test_one_that_was_inserted_later_is_applied_too(tmp_path: Path) -> None:
    apply(tmp_path / "d", {"0001_a": "CREATE TABLE a (x)", "0003_c": "CREATE TABLE c (x)"})
    apply(tmp_path / "d", {"0001_a": "", "0002_b": "CREATE TABLE b (x)", "0003_c": ""})
    assert tables(tmp_path / "d") == {"a", "b", "c", "migrations"}


def test_a_failing_one_changes_nothing_and_says_where(tmp_path: Path) -> None:
    apply(tmp_path / "d", FIRST)
    broken = SECOND | {"0003_c": "CREATE TABLE c (z); INSERT INTO nowhere VALUES (1);"}

    with pytest.raises(StorageError, match=r"'0003_c'.*nowhere"):
        apply(tmp_path / "d", broken)

    assert tables(tmp_path / "d") == {"a", "migrations"}
    assert list(tmp_path.glob("*.bak*")) == []


def test_a_newer_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    apply(tmp_path / "d", SECOND)
    with pytest.raises(DatabaseTooNew, match=r"0002_b.*Upgrade"):
        apply(tmp_path / "d", FIRST)
    assert "b" in tables(tmp_path / "d")


def test_statements_are_split_where_sqlite_ends_them() -> None:
    script = "CREATE TABLE t (x); CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; SELECT ';'; END; -- end\n"
    found = list(statements(script))
    assert found[0] == "CREATE TABLE t (x);"
    assert found[1].endswith("END;")
    conn = sqlite3.connect(":memory:")
    for statement in found:
        conn.execute(statement)


async def test_the_packaged_ones_apply_to_a_new_file(tmp_path: Path) -> None:
    async with await Database.open(tmp_path / "d.sqlite") as database:
        applied = await database.read(
            lambda c: [r[0] for r in c.execute("SELECT name FROM migrations ORDER BY 1")]
        )
    assert applied == list(known_migrations())
    assert "0010_checkpoints" in applied
