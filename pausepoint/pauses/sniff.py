"""What a file is, by its first bytes; what it calls itself decides only between kinds of text."""

import codecs

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ", "application/x-executable"),
    (b"\x1f\x8b", "application/gzip"),
)
_TEXTS = {".md": "text/markdown", ".csv": "text/csv", ".json": "application/json", ".txt": "text/plain"}
_MARKUP = (b"<!doctype html", b"<html", b"<script", b"<svg", b"<?xml")


def sniff(head: bytes, declared: str | None, name: str) -> str:
    """The type of a file.

    Args:
        head: Its first bytes, a few kilobytes.
        declared: What a client says it is.
        name: Its name.

    Returns:
        A media type; `application/octet-stream` when it is nothing known.
    """
    for signature, found in _SIGNATURES:
        if head.startswith(signature):
            return found
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if not _is_text(head):
        return "application/octet-stream"
    start = head.lstrip().lower()
    if start.startswith(_MARKUP):
        return "text/html"
    claimed = (declared or "").split(";")[0].strip().lower()
    if claimed in _TEXTS.values():
        return claimed
    return next((kind for ending, kind in _TEXTS.items() if name.lower().endswith(ending)), "text/plain")


def _is_text(head: bytes) -> bool:
    if b"\x00" in head:
        return False
    try:
        # The head may end within a character.
        codecs.getincrementaldecoder("utf-8")().decode(head, final=False)
    except UnicodeDecodeError:
        return False
    return True
