"""Attachments: files on disk under their SHA-256, stored once, referred to by id from answers, never inside a checkpoint.

An attachment belongs to who uploaded it. It stays while a thread uses it (copies of a thread use it, too), and is
collected when none has for a day.
"""

import hashlib
import os
import sqlite3
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import anyio

from pausepoint.pauses.check import FieldError
from pausepoint.pauses.messages import message
from pausepoint.pauses.sniff import sniff
from pausepoint.server.clock import later, now
from pausepoint.server.errors import ApiError, Invalid
from pausepoint.storage.database import Database

FORMAT = "attachment"
"""`format` of a string field that names an attachment; `x-attachment` may limit `types` and `max_bytes`."""
UNUSED_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class Rules:
    """What may be uploaded."""

    max_bytes: int = 20 * 1024 * 1024
    types: tuple[str, ...] = (
        "image/jpeg",
        "image/png",
        "image/webp",
        "image/gif",
        "application/pdf",
        "text/plain",
        "text/markdown",
        "text/csv",
        "application/json",
    )


class Attachments:
    """The files of a data folder."""

    def __init__(self, folder: Path, database: Database, rules: Rules | None = None) -> None:
        """Keep files under `folder`."""
        self.folder = folder
        self.rules = rules or Rules()
        self._database = database

    async def add(
        self, chunks: AsyncIterator[bytes], *, name: str, declared: str | None, owner: str
    ) -> dict[str, Any]:
        """Store an upload as it comes in.

        Args:
            chunks: The bytes.
            name: The file's name, for people; it never becomes a path.
            declared: The type the client says it is; what is inside counts.
            owner: Who uploads.

        Raises:
            ApiError: 413 too large.
            Invalid: Empty, of a type that is not allowed, or not what it claims.
        """
        await anyio.to_thread.run_sync(lambda: self.folder.mkdir(parents=True, exist_ok=True))
        temporary = self.folder / f"incoming-{uuid.uuid4().hex}"
        try:
            sha256, size, head = await self._receive(chunks, temporary)
            found = self._type(head, declared, name, size)
            path = self.path(sha256)
            await anyio.to_thread.run_sync(_move, temporary, path)
        finally:
            await anyio.to_thread.run_sync(lambda: temporary.unlink(missing_ok=True))
        shown = {
            "attachment_id": str(uuid.uuid4()),
            "owner": owner,
            "sha256": sha256,
            "size": size,
            "type": found,
            "name": clean_name(name),
            "created_at": now(),
        }
        await self._database.write(
            lambda conn: (
                conn.execute(
                    "INSERT INTO attachments VALUES (?, ?, ?, ?, ?, ?, ?)", list(shown.values())
                ).rowcount
            )
        )
        return shown

    async def _receive(self, chunks: AsyncIterator[bytes], path: Path) -> tuple[str, int, bytes]:
        digest, size, head = hashlib.sha256(), 0, b""
        async with await anyio.open_file(path, "wb") as file:
            async for chunk in chunks:
                size += len(chunk)
                if size > self.rules.max_bytes:
                    raise ApiError(
                        413, f"The attachment is larger than {self.rules.max_bytes} bytes, the limit."
                    )
                digest.update(chunk)
                head = head if len(head) >= 4096 else (head + chunk)[:4096]
                await file.write(chunk)
            await file.flush()
            await anyio.to_thread.run_sync(os.fsync, file.wrapped.fileno())
        return digest.hexdigest(), size, head

    def _type(self, head: bytes, declared: str | None, name: str, size: int) -> str:
        if size == 0:
            raise Invalid("The attachment is empty.")
        found = sniff(head, declared, name)
        if found not in self.rules.types:
            raise Invalid(f"The attachment is {found}; allowed are {', '.join(self.rules.types)}.")
        claimed = (declared or "").split(";")[0].strip().lower()
        binary = claimed.startswith("image/") or claimed == "application/pdf"
        if binary and claimed != found:
            raise Invalid(f"The attachment says that it is {claimed}, but it is {found}.")
        return found

    def path(self, sha256: str) -> Path:
        """Where a content lies."""
        return self.folder / sha256[:2] / sha256

    async def collect(self) -> int:
        """Remove what no thread has used for a day; returns how many uploads went."""
        gone = await self._database.write(lambda conn: _forget_unused(conn))
        for sha256, shared in gone:
            if not shared:
                await anyio.to_thread.run_sync(_remove, self.path(sha256))
        await anyio.to_thread.run_sync(self._sweep, await self._database.read(_known_contents))
        return len(gone)

    def _sweep(self, known: set[str]) -> None:
        """Remove what a crash left between the file and its row."""
        limit = time.time() - UNUSED_SECONDS
        for path in self.folder.glob("**/*") if self.folder.exists() else ():
            if path.is_file() and path.name not in known and path.stat().st_mtime < limit:
                path.unlink(missing_ok=True)


def _known_contents(conn: sqlite3.Connection) -> set[str]:
    return {row[0] for row in conn.execute("SELECT DISTINCT sha256 FROM attachments")}


def get(conn: sqlite3.Connection, attachment_id: str) -> sqlite3.Row | None:
    """An attachment's row."""
    return conn.execute("SELECT * FROM attachments WHERE attachment_id = ?", (attachment_id,)).fetchone()


def threads_of(conn: sqlite3.Connection, attachment_id: str) -> list[str]:
    """The threads that use an attachment."""
    found = conn.execute("SELECT thread_id FROM attachment_uses WHERE attachment_id = ?", (attachment_id,))
    return [row[0] for row in found]


def check(
    conn: sqlite3.Connection, answer: Any, schema: Any, owner: str, language: str
) -> tuple[list[FieldError], list[dict[str, Any]]]:
    """Look at every attachment an answer refers to: is it there, the answering person's own, and of the right kind?

    Returns:
        What is wrong, and the attachments with their hashes.
    """
    errors: list[FieldError] = []
    found: list[dict[str, Any]] = []
    for path, key, rule in references(answer, schema):
        row = get(conn, key)
        if row is None or row["owner"] != owner:
            errors.append(FieldError(path, "attachment", message("attachment", language, value=key)))
            continue
        problem = _misfit(row, rule, language)
        if problem is not None:
            errors.append(FieldError(path, *problem))
        else:
            found.append({name: row[name] for name in ("attachment_id", "sha256", "size", "type", "name")})
    return errors, found


def _misfit(row: sqlite3.Row, rule: Mapping[str, Any], language: str) -> tuple[str, str] | None:
    types: list[str] = rule.get("types") or []
    if types and row["type"] not in types:
        return "attachment_type", message(
            "attachment_type", language, type=row["type"], options=", ".join(types)
        )
    limit = rule.get("max_bytes")
    if limit is not None and row["size"] > limit:
        return "attachment_size", message("attachment_size", language, size=row["size"], limit=limit)
    return None


def keep(conn: sqlite3.Connection, used: Any, thread_id: str) -> None:
    """Tie attachments to the thread whose answer names them."""
    conn.executemany(
        "INSERT OR IGNORE INTO attachment_uses VALUES (?, ?)",
        [(found["attachment_id"], thread_id) for found in used],
    )


def references(
    answer: Any, schema: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], str, dict[str, Any]]]:
    """Every place of an answer that names an attachment: path, id, rule."""
    if not isinstance(schema, dict):
        return
    rules = cast("dict[str, Any]", schema)
    if rules.get("format") == FORMAT and isinstance(answer, str) and answer:
        yield path, answer, rules.get("x-attachment") or {}
    elif isinstance(answer, dict):
        properties: dict[str, Any] = rules.get("properties") or {}
        for name, value in cast("dict[str, Any]", answer).items():
            yield from references(value, properties.get(name), (*path, name))
    elif isinstance(answer, list):
        for number, value in enumerate(cast("list[Any]", answer)):
            yield from references(value, rules.get("items"), (*path, number))


def clean_name(name: str) -> str:
    """A file's name without anything that a path, a header or a terminal could trip over."""
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(c for c in last if c.isprintable() and c not in '"<>|:*?')
    return kept.strip(". ")[:200] or "attachment"


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source.replace(target)
    for folder in (target.parent, target.parent.parent):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _forget_unused(conn: sqlite3.Connection) -> list[tuple[str, bool]]:
    unused = conn.execute(
        "DELETE FROM attachments WHERE created_at < ? AND NOT EXISTS"
        " (SELECT 1 FROM attachment_uses u WHERE u.attachment_id = attachments.attachment_id) RETURNING sha256",
        (later(-UNUSED_SECONDS),),
    ).fetchall()
    return [
        (row[0], conn.execute("SELECT 1 FROM attachments WHERE sha256 = ?", (row[0],)).fetchone() is not None)
        for row in unused
    ]
