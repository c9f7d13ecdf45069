"""Texts made fit for the models: no NUL, no lone surrogates, bounded length."""

MAX_QUERY = 2_000
MAX_PASSAGE = 16_000
CHUNK = 2_000


def clean(text: str, limit: int) -> str:
    """The text up to `limit` characters, in valid Unicode and without NUL (which the models cut at)."""
    return text[:limit].encode("utf-8", "replace").decode("utf-8").replace("\0", " ").strip()


def chunks(text: str) -> list[str]:
    """Pieces of at most `CHUNK` characters, cut at a space where there is one; one empty piece for no text."""
    pieces: list[str] = []
    while len(text) > CHUNK:
        cut = text.rfind(" ", CHUNK // 2, CHUNK)
        cut = cut if cut > 0 else CHUNK
        pieces.append(text[:cut].strip())
        text = text[cut:].strip()
    return [*pieces, text]
