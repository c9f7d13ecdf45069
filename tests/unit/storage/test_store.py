"""The store keeps items by namespace and key, finds them by filter and meaning, and forgets them in time."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from pausepoint.storage.database import Database
from pausepoint.storage.errors import StorageError
from pausepoint.storage.items import tables
from pausepoint.storage.store import SqliteStore


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with await Database.open(tmp_path / "s.sqlite") as opened:
        yield opened


@pytest.fixture
def store(database: Database) -> SqliteStore:
    return SqliteStore(database)


async def test_an_item_is_put_changed_and_deleted(store: SqliteStore) -> None:
    await store.aput(("users", "zoë"), "prefs", {"theme": "dark", "n": [1, {"a": None}]})
    first = await store.aget(("users", "zoë"), "prefs")
    await store.aput(("users", "zoë"), "prefs", {"theme": "light"})
    second = await store.aget(("users", "zoë"), "prefs")

    assert first.value == {"theme": "dark", "n": [1, {"a": None}]}
    assert second.value == {"theme": "light"}
    assert second.created_at == first.created_at < second.updated_at
    await store.adelete(("users", "zoë"), "prefs")
    assert await store.aget(("users", "zoë"), "prefs") is None


def test_the_sync_methods_do_the_same(tmp_path: Path) -> None:
    database = Database.open_sync(tmp_path / "s.sqlite")
    store = SqliteStore(database, index={"dims": 2, "embed": embed})
    store.put(("a",), "k", {"text": "cat"})
    assert store.get(("a",), "k").value == {"text": "cat"}
    assert store.search(("a",), query="cat")[0].score == pytest.approx(1)
    assert store.list_namespaces() == [("a",)]
    store.delete(("a",), "k")
    assert store.search(()) == []
    database.close_sync()


ITEMS: list[dict[str, Any]] = [
    {"n": 1, "s": "a", "flag": True, "deep": {"x": {"y": 1}}, "list": [1, 2]},
    {"n": 2, "s": "b", "flag": False, "deep": {"x": {"y": 2}}, "list": [1, 2, 3]},
    {"n": 3.5, "s": "o'neil %_", "none": None},
]
FILTERS: list[dict[str, Any]] = [
    {},
    {"n": 1},
    {"n": {"$gt": 1}},
    {"n": {"$gte": 2, "$lt": 3}},
    {"n": {"$lte": 2}},
    {"s": {"$ne": "a"}},
    {"s": {"$eq": "o'neil %_"}},
    {"flag": True},
    {"deep": {"x": {"y": 2}}},
    {"deep": {"x": {"y": {"$eq": 1}}}},
    {"list": [1, 2]},
    {"missing": None},
    {"s": "' OR 1=1 --"},
]


@pytest.mark.parametrize("wanted", FILTERS, ids=str)
async def test_filters_agree_with_the_store_of_langgraph(store: SqliteStore, wanted: dict[str, Any]) -> None:
    other = InMemoryStore()
    for at, value in enumerate(ITEMS):
        await store.aput(("f",), str(at), value)
        await other.aput(("f",), str(at), value)

    ours, theirs = await store.asearch(("f",), filter=wanted), await other.asearch(("f",), filter=wanted)
    assert sorted(i.key for i in ours) == sorted(i.key for i in theirs)


async def test_comparing_what_cannot_be_compared_finds_nothing(store: SqliteStore) -> None:
    await store.aput(("f",), "k", {"n": "text", "flag": True})

    assert await store.asearch(("f",), filter={"n": {"$gt": 1}}) == []
    assert await store.asearch(("f",), filter={"missing": {"$lt": 1}}) == []
    assert await store.asearch(("f",), filter={"flag": 1}) == []
    with pytest.raises(StorageError, match=r"\$regex"):
        await store.asearch(("f",), filter={"n": {"$regex": ".*"}})


async def test_a_prefix_finds_its_namespace_and_the_ones_below_only(store: SqliteStore) -> None:
    for namespace in [("a",), ("a", "b"), ("a", "b", "c"), ("ab",), ("a-b",), ("a/b",), ("b", "a")]:
        await store.aput(namespace, "k", {"at": list(namespace)})

    found = {i.namespace for i in await store.asearch(("a",))}
    assert found == {("a",), ("a", "b"), ("a", "b", "c")}
    assert len(await store.asearch((), limit=100)) == 7


async def test_pages_follow_each_other_the_last_changed_first(store: SqliteStore) -> None:
    for i in range(25):
        await store.aput(("p",), str(i), {"even": i % 2 == 0})

    pages = [await store.asearch(("p",), limit=10, offset=at) for at in (0, 10, 20)]
    assert [i.key for page in pages for i in page] == [str(i) for i in reversed(range(25))]
    assert [i.key for i in await store.asearch(("p",), filter={"even": True}, limit=2, offset=1)] == [
        "22",
        "20",
    ]


async def test_namespaces_are_listed_by_condition(store: SqliteStore) -> None:
    other = InMemoryStore()
    for namespace in [("a", "b", "c"), ("a", "b", "d"), ("a", "x"), ("z", "c"), ("z",)]:
        await store.aput(namespace, "k", {})
        await other.aput(namespace, "k", {})

    questions: list[dict[str, Any]] = [
        {},
        {"prefix": ("a",)},
        {"prefix": ("a", "*", "c")},
        {"suffix": ("c",)},
        {"prefix": ("a",), "suffix": ("d",)},
        {"max_depth": 2},
        {"max_depth": 1, "limit": 1, "offset": 1},
    ]
    for question in questions:
        assert await store.alist_namespaces(**question) == await other.alist_namespaces(**question)


async def test_a_batch_reads_before_it_writes(store: SqliteStore) -> None:
    await store.aput(("b",), "k", {"n": 1})

    results = await store.abatch(
        [
            PutOp(("b",), "k", {"n": 2}),
            GetOp(("b",), "k"),
            PutOp(("b",), "k", {"n": 3}),
            SearchOp(("b",)),
        ]
    )

    assert results[0] is None and results[2] is None
    assert results[1].value == {"n": 1}
    assert (await store.aget(("b",), "k")).value == {"n": 3}


async def test_a_batch_is_written_together_or_not_at_all(store: SqliteStore) -> None:
    with pytest.raises(StorageError, match="'bad'"):
        await store.abatch([PutOp(("b",), "good", {"n": 1}), PutOp(("b",), "bad", {"n": object()})])

    assert await store.asearch(("b",)) == []


@pytest.mark.parametrize("namespace", [(), ("a.b",), ("",), ("a\x00",)])
async def test_bad_namespaces_are_refused(store: SqliteStore, namespace: tuple[str, ...]) -> None:
    with pytest.raises(InvalidNamespaceError):
        await store.aput(namespace, "k", {})


async def test_half_a_surrogate_pair_is_refused_with_a_reason(store: SqliteStore) -> None:
    with pytest.raises(StorageError, match="surrogates not allowed"):
        await store.aput(("a",), "\ud800", {})
    with pytest.raises(StorageError, match="'k'"):
        await store.aput(("a",), "k", {"text": "\ud800"})


async def test_items_expire_and_reading_renews_them(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = tables.now()
    monkeypatch.setattr(tables, "now", lambda: at)
    await store.aput(("t",), "short", {}, ttl=1)
    await store.aput(("t",), "for ever", {})

    at += 50_000_000
    assert await store.aget(("t",), "short") is not None
    at += 50_000_000
    assert await store.aget(("t",), "short", refresh_ttl=False) is not None
    at += 20_000_000
    assert await store.aget(("t",), "short") is None
    assert [i.key for i in await store.asearch(("t",))] == ["for ever"]
    assert await store.sweep_ttl() == 1
    assert await store.sweep_ttl() == 0


async def test_an_item_put_again_after_it_expired_is_new(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = tables.now()
    monkeypatch.setattr(tables, "now", lambda: at)
    await store.aput(("t",), "k", {"old": True}, ttl=1)
    at += 90_000_000
    await store.aput(("t",), "k", {"new": True})

    found = await store.aget(("t",), "k")
    assert found.created_at == found.updated_at


def embed(texts: list[str]) -> list[list[float]]:
    return [[float(text.count("cat")), float(text.count("dog"))] for text in texts]


async def test_meaning_ranks_and_what_is_not_indexed_comes_last(database: Database) -> None:
    store = SqliteStore(database, index={"dims": 2, "embed": embed, "fields": ["text", "tags[*]"]})
    await store.aput(("m",), "cat", {"text": "cat cat", "good": True})
    await store.aput(("m",), "dog", {"text": "dog", "good": True})
    await store.aput(("m",), "both", {"text": "nothing", "tags": ["dog", "cat dog"]})
    await store.aput(("m",), "unindexed", {"text": "cat"}, index=False)
    await store.aput(("m",), "other field", {"note": "cat"}, index=["note"])
    await store.aput(("elsewhere",), "k", {"text": "cat"})

    found = await store.asearch(("m",), query="a cat")
    assert {i.key for i in found[:2]} == {"cat", "other field"}
    assert found[2].key == "both"
    assert found[2].score == pytest.approx(0.7071, abs=1e-4)
    assert [(i.key, i.score) for i in found[3:]] == [("dog", 0.0), ("unindexed", None)]
    assert [i.key for i in await store.asearch(("m",), query="a cat", filter={"good": True}, limit=1)] == [
        "cat"
    ]
    assert [i.key for i in await store.asearch(("m",), query="a cat", limit=1, offset=2)] == ["both"]


async def test_changing_and_deleting_an_item_changes_what_is_found(database: Database) -> None:
    store = SqliteStore(database, index={"dims": 2, "embed": embed})
    await store.aput(("m",), "k", {"text": "cat"})
    await store.aput(("m",), "k", {"text": "dog"})
    assert (await store.asearch(("m",), query="cat"))[0].score == pytest.approx(0)
    await store.adelete(("m",), "k")
    assert await database.read(lambda c: c.execute("SELECT count(*) FROM store_vectors").fetchone()[0]) == 0


async def test_wrong_dimensions_are_named(database: Database) -> None:
    store = SqliteStore(database, index={"dims": 3, "embed": embed})
    with pytest.raises(StorageError, match="2 dimensions"):
        await store.aput(("m",), "k", {"text": "cat"})


async def test_items_survive_reopening(tmp_path: Path) -> None:
    for turn in range(3):
        async with await Database.open(tmp_path / "s.sqlite") as database:
            store = SqliteStore(database)
            assert len(await store.asearch(("r",))) == turn
            await store.aput(("r",), str(turn), {})
