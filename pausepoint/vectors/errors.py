"""What can go wrong with vectors, each with the value at fault and the way out."""

from pathlib import Path

from pausepoint.errors import PausepointError


class VectorError(PausepointError):
    """Base of the errors of a vector store."""


class DimensionMismatch(VectorError):
    """Vectors of another length than the collection's."""

    def __init__(self, collection: str, expected: int, got: int) -> None:
        self.expected, self.got = expected, got
        super().__init__(
            f"collection {collection!r} holds vectors of {expected} dimensions, not {got}: "
            "use the embedding model it was loaded with, or drop it and load its texts again"
        )


class UnknownCollection(VectorError):
    """A write to a collection that was never made."""

    def __init__(self, collection: str) -> None:
        super().__init__(f"no vector collection {collection!r}: call ensure(collection, dimensions) first")


class InvalidCollection(VectorError):
    """A collection name that cannot be a folder's name."""

    def __init__(self, collection: str) -> None:
        super().__init__(
            f"{collection[:80]!r} is no collection name: use 1 to 120 letters, digits, '_' or '-', "
            "beginning with a letter or digit"
        )


class InvalidPoint(VectorError):
    """A point that cannot be kept: its id, its vector or its payload."""

    def __init__(self, point_id: str, reason: str) -> None:
        super().__init__(f"point {point_id[:80]!r}: {reason}")


class InvalidFilter(VectorError):
    """A payload condition of a type that cannot be matched."""

    def __init__(self, key: str, value: object) -> None:
        super().__init__(
            f"filter {key!r}: {value!r:.80} cannot be matched; use a string, an integer, "
            "a boolean or a list of strings"
        )


class VectorsHeld(VectorError):
    """Another process has the folder open."""

    def __init__(self, folder: Path, holder: str) -> None:
        super().__init__(
            f"vectors in {str(folder)!r} are in use by {holder or 'another process'}: "
            "stop it, ask it over HTTP, or set PAUSEPOINT_DATA to another folder"
        )


class VectorsClosed(VectorError):
    """The store was closed."""

    def __init__(self) -> None:
        super().__init__("the vector store is closed: open it again with open_vectors(settings)")


class DamagedCollection(VectorError):
    """Files that the engine cannot read."""

    def __init__(self, collection: str, folder: Path, reason: str) -> None:
        super().__init__(
            f"collection {collection!r} in {str(folder)!r} cannot be read ({reason:.200}): "
            "restore the folder from a backup, or drop the collection and load its texts again"
        )


class DiskFull(VectorError):
    """Too little room: the engine maps files, and a full disk would end the process."""

    def __init__(self, folder: Path, free: int, needed: int) -> None:
        super().__init__(
            f"{free >> 20} MB free in {str(folder)!r}, {needed >> 20} MB needed: "
            "nothing was written; make room and try again"
        )
