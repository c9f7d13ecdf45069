"""Who makes a request: the user that an authentication handler found, as handlers and graphs see it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from pausepoint.server.errors import ApiError


class ServedUser:
    """A user with attributes and, as the SDK's `BaseUser` asks, access by key."""

    __slots__ = ("_data",)

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Keep the user's data; `identity` must be there."""
        self._data = dict(data)

    @classmethod
    def of(cls, data: Mapping[str, Any] | None) -> "ServedUser | None":
        """The user in stored data; None stays None."""
        return None if data is None else cls(data)

    @classmethod
    def from_handler(cls, found: Any) -> "ServedUser":
        """What an authentication handler returned, as a user.

        Raises:
            ApiError: It names nobody.
        """
        if isinstance(found, str):
            return cls({"identity": found, "permissions": []})
        if isinstance(found, Mapping):
            data = dict(cast("Mapping[str, Any]", found))
        else:
            names = ("identity", "display_name", "permissions", "is_authenticated", "kind")
            data = {name: getattr(found, name) for name in names if hasattr(found, name)}
        if not isinstance(data.get("identity"), str) or not data["identity"]:
            raise ApiError(401, "The authentication handler returned no identity.")
        data["permissions"] = list(data.get("permissions") or [])
        return cls(data)

    @property
    def identity(self) -> str:
        """The user's unique name."""
        return self._data["identity"]

    @property
    def display_name(self) -> str:
        """The name to show."""
        return self._data.get("display_name") or self.identity

    @property
    def is_authenticated(self) -> bool:
        """Whether the user is known."""
        return bool(self._data.get("is_authenticated", True))

    @property
    def permissions(self) -> Sequence[str]:
        """What the user may do."""
        return self._data.get("permissions") or []

    @property
    def data(self) -> dict[str, Any]:
        """All that is known."""
        return dict(self._data)

    def model_dump(self) -> dict[str, Any]:
        """The data, for JSON."""
        return self.data

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._data[name]
        except KeyError:
            raise AttributeError(name) from None

    def __getitem__(self, key: str) -> Any:
        return self._data[key] if key in self._data else getattr(self, key)

    def __contains__(self, key: object) -> bool:
        return key in self._data

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def get(self, key: str, default: Any = None) -> Any:
        """Like a dict's `get`."""
        return self._data.get(key, default)
