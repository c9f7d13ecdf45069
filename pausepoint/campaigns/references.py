"""Finding the note or artifact that a text names: by id, by exact name, by name without case, by alias."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from pausepoint.campaigns.ids import clean, fold, item_id


class Ambiguous(Exception):
    """A name that several items bear."""

    def __init__(self, name: str, ids: Iterable[str]) -> None:
        self.ids = sorted(ids)
        super().__init__(f"{name!r} names {len(self.ids)} items: {', '.join(self.ids)}; use an id")


class References:
    """Ids, names and aliases of one kind of item in one campaign."""

    def __init__(self, campaign: str, kind: str) -> None:
        self.campaign = campaign
        self.kind = kind
        self.ids: set[str] = set()
        self.levels = tuple(defaultdict[str, set[str]](set) for _ in range(3))

    def add(self, item: str, name: str, others: Iterable[str] = ()) -> None:
        """Make an item known under its name and its other names."""
        self.ids.add(item)
        self.levels[0][clean(name)].add(item)
        self.levels[1][fold(name)].add(item)
        for other in others:
            self.levels[2][fold(other)].add(item)

    def find(self, text: str) -> str | None:
        """The id of the item that `text` means, None if there is none.

        Raises:
            Ambiguous: several items bear the name and none stands out.
        """
        bearers = self.levels[0].get(clean(text), set[str]())
        known = item_id(self.campaign, self.kind, text)
        # an id that was derived from a name does not make that name unambiguous
        if known in self.ids and not (known in bearers and len(bearers) > 1):
            return known
        forms: tuple[Callable[[str], str], ...] = (clean, fold, fold)
        for level, form in zip(self.levels, forms, strict=True):
            found = level.get(form(text), set[str]())
            if len(found) == 1:
                return next(iter(found))
            if found:
                raise Ambiguous(text, found)
        return None
