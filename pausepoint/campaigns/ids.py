"""Names and keys derived from a campaign: UUIDs, graph label, relationship type, collection, content hash.

Everything here is a pure function of its input, so the same folder gives the same ids on every machine.
"""

import hashlib
import json
import re
import unicodedata
from typing import Any
from uuid import UUID, uuid5

_NAMESPACE = UUID("5b0d7c1e-3f0a-5c52-9c35-6f1a3b7f2d11")
_LETTERS = str.maketrans(
    {"ł": "l", "Ł": "L", "ß": "ss", "æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "þ": "th"}
)


def as_uuid(text: str) -> str | None:
    """The canonical form of a UUID, None for anything else."""
    try:
        return str(UUID(text)) if len(text) >= 32 else None
    except ValueError:
        return None


def campaign_uuid(name: str) -> str:
    """The uuid of a campaign that names none: the same for the same name."""
    return str(uuid5(_NAMESPACE, clean(name)))


def item_id(campaign: str, kind: str, key: str) -> str:
    """The id of an item: `key` itself when it is a UUID, else one derived from campaign, kind and key."""
    return as_uuid(key) or str(uuid5(UUID(campaign), f"{kind}:{clean(key)}"))


def point_id(kind: str, item: str, chunk: int = 0) -> str:
    """The vector point of an item (of a note's chunk); kinds never share a point."""
    return str(uuid5(_NAMESPACE, f"{kind}:{item}:{chunk}"))


def clean(text: str) -> str:
    """Text in one Unicode form with single spaces; lone surrogates (file names that are no UTF-8) are replaced."""
    text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return " ".join(unicodedata.normalize("NFC", text).split())


def fold(text: str) -> str:
    """`clean` without case, for comparing names."""
    return clean(text).casefold()


def ascii_words(text: str) -> str:
    """ASCII letters, digits and single underscores; empty when nothing of the text can be written so."""
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS)).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")


def graph_label(name: str, uuid: str) -> str:
    """The campaign's part of its node label: an identifier of the name and 8 hex digits of the uuid."""
    words = ascii_words(name)[:48].strip("_") or "Campaign"
    if words[0].isdigit():
        words = f"C_{words}"
    return f"{words}_{uuid.replace('-', '')[:8]}"


def artifact_label(label: str) -> str:
    """The node label of a campaign's artifacts."""
    return f"{label}_Artifact"


def relationship_type(label: str) -> str:
    """A relation's label as a relationship type: upper snake case, ASCII, never empty.

    A type must not share its name with a node label (the embedded engine forbids it); those end in `_Artifact`.
    """
    words = ascii_words(label).upper()[:64].strip("_")
    if not words:
        return "REL_" + hashlib.sha256(clean(label).encode()).hexdigest()[:8].upper()
    if words.endswith("ARTIFACT"):
        words += "_"
    return f"R_{words}" if words[0].isdigit() else words


def collection_name(uuid: str) -> str:
    """The vector collection of a campaign."""
    return "campaign_" + uuid.replace("-", "")


def content_hash(value: Any) -> str:
    """A hash of plain JSON that is the same for the same content."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
