"""What every vector store does, whatever is behind it."""

import asyncio
import math
import uuid

import pytest

from pausepoint.vectors.errors import (
    DimensionMismatch,
    InvalidCollection,
    InvalidFilter,
    InvalidPoint,
    UnknownCollection,
)
from pausepoint.vectors.port import Point

ALICE, BOB, CAROL = (str(uuid.UUID(int=n)) for n in (1, 2, 3))


def people() -> list[Point]:
    return [
        Point(BOB, [0.0, 2.0], {"type": "artifact", "name": "Bob", "note_ids": ["n1", "n2"], "rank": 2}),
        Point(ALICE, [3.0, 0.0], {"type": "artifact", "name": "Alice", "note_ids": ["n1"], "rank": 1}),
        Point(CAROL, [1.0, 1.0], {"type": "note", "name": "Zażółć gęślą jaźń 🐢", "alive": True}),
    ]


@pytest.fixture
async def filled(store):
    await store.ensure("c", 2, indexed=["type"])
    await store.upsert("c", people())
    return store


def names(hits):
    return [hit.payload["name"] for hit in hits]


async def test_nearest_come_first_with_their_cosine_and_payload(filled):
    hits = await filled.search("c", [1.0, 0.0], limit=3)
    assert [hit.id for hit in hits] == [ALICE, CAROL, BOB]
    assert [hit.score for hit in hits] == pytest.approx([1.0, math.sqrt(0.5), 0.0], abs=1e-5)
    assert hits[1].payload == people()[2].payload


async def test_limit_and_no_payload(filled):
    hits = await filled.search("c", [1.0, 0.0], limit=2, with_payload=False)
    assert [(hit.id, hit.payload) for hit in hits] == [(ALICE, {}), (CAROL, {})]
    assert await filled.search("c", [1.0, 0.0], limit=0) == []


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (None, {"Alice", "Bob", "Zażółć gęślą jaźń 🐢"}),
        ({}, {"Alice", "Bob", "Zażółć gęślą jaźń 🐢"}),
        ({"type": "artifact"}, {"Alice", "Bob"}),
        ({"type": ["artifact", "note"], "rank": 2}, {"Bob"}),
        ({"note_ids": "n1"}, {"Alice", "Bob"}),
        ({"note_ids": ["n2", "n3"]}, {"Bob"}),
        ({"alive": True}, {"Zażółć gęślą jaźń 🐢"}),
        ({"alive": False}, set()),
        ({"name": "alice"}, set()),
        ({"type": []}, set()),
        ({"missing": "x"}, set()),
        ({"type": "note' OR 1=1"}, set()),
    ],
)
async def test_filters_hold_for_search_scroll_and_count(filled, where, expected):
    assert set(names(await filled.search("c", [1.0, 1.0], limit=9, where=where))) == expected
    assert set(names(await filled.scroll("c", where=where))) == expected
    assert await filled.count("c", where) == len(expected)


@pytest.mark.parametrize("bad", [1.5, None, {"a": 1}, [1, 2], ["a", 1]])
async def test_a_condition_that_cannot_match_is_named(filled, bad):
    with pytest.raises(InvalidFilter, match="rank"):
        await filled.scroll("c", where={"rank": bad})


async def test_scroll_is_ordered_by_id_and_complete(store):
    await store.ensure("c", 2)
    ids = [str(uuid.uuid4()) for _ in range(2500)]
    await store.upsert("c", [Point(each, [1.0, 0.0], {"n": n}) for n, each in enumerate(ids)])
    hits = await store.scroll("c")
    assert [hit.id for hit in hits] == sorted(ids)
    assert {hit.payload["n"] for hit in hits} == set(range(2500))


async def test_upsert_replaces_vector_and_payload(filled):
    await filled.upsert("c", [Point(BOB, [1.0, 0.0], {"name": "Robert"})])
    hits = await filled.search("c", [1.0, 0.0], limit=2)
    assert {hit.id: hit.payload for hit in hits}[BOB] == {"name": "Robert"}
    assert await filled.count("c") == 3


async def test_an_id_may_be_written_in_any_uuid_form(filled):
    await filled.upsert("c", [Point(BOB.replace("-", "").upper(), [1.0, 0.0], {"name": "Robert"})])
    assert await filled.count("c") == 3
    await filled.delete("c", ["{" + BOB + "}"])
    assert await filled.count("c") == 2


async def test_delete_ignores_unknown_ids(filled):
    await filled.delete("c", [ALICE, str(uuid.uuid4())])
    await filled.delete("c", [])
    assert names(await filled.scroll("c")) == ["Bob", "Zażółć gęślą jaźń 🐢"]


async def test_ensure_twice_keeps_the_points(filled):
    await filled.ensure("c", 2, indexed=["type", "name"])
    assert await filled.count("c", {"name": "Bob"}) == 1


async def test_other_dimensions_are_refused_and_named(filled):
    with pytest.raises(DimensionMismatch, match=r"'c' holds vectors of 2 dimensions, not 3"):
        await filled.ensure("c", 3)
    with pytest.raises(DimensionMismatch):
        await filled.search("c", [1.0, 2.0, 3.0])
    with pytest.raises(DimensionMismatch):
        await filled.upsert("c", [Point(ALICE, [1.0])])


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (Point("7", [1.0, 0.0]), "no UUID"),
        (Point("", [1.0, 0.0]), "no UUID"),
        (Point(CAROL, [float("nan"), 0.0]), "finite"),
        (Point(CAROL, [float("inf"), 0.0]), "finite"),
        (Point(CAROL, ["a", "b"]), "finite"),  # type: ignore[list-item]
        (Point(CAROL, [1.0, 0.0], {"text": "\ud800"}), "plain JSON"),
        (Point(CAROL, [1.0, 0.0], {"text": object()}), "plain JSON"),
        (Point(CAROL, [1.0, 0.0], {"n": 1 << 80}), "plain JSON"),
    ],
)
async def test_a_bad_point_is_named_and_none_of_its_batch_is_kept(store, bad, reason):
    await store.ensure("c", 2)
    with pytest.raises(InvalidPoint, match=reason):
        await store.upsert("c", [*people()[:2], bad])
    assert await store.count("c") == 0


async def test_payload_comes_back_as_it_was(store):
    payload = {
        "nul": "a\0b",
        "list": [1, 2.5, None, True, {"deep": ["x"]}],
        "empty": {},
        "big": "ż" * 100_000,
    }
    await store.ensure("c", 2)
    await store.upsert("c", [Point(ALICE, [0.0, 0.0], payload)])
    assert (await store.scroll("c"))[0].payload == payload


async def test_an_unknown_collection_reads_as_empty_and_refuses_writes(store):
    assert await store.search("nothing", [1.0]) == []
    assert await store.scroll("nothing") == []
    assert await store.count("nothing") == 0
    await store.delete("nothing", [ALICE])
    await store.drop("nothing")
    with pytest.raises(UnknownCollection, match="nothing"):
        await store.upsert("nothing", people())


@pytest.mark.parametrize("name", ["", "..", "../other", "a/b", ".hidden", "a" * 121, "a\0b", "żółw", "a b"])
async def test_a_name_that_could_leave_the_store_is_refused(store, name):
    with pytest.raises(InvalidCollection):
        await store.ensure(name, 2)
    with pytest.raises(InvalidCollection):
        await store.drop(name)


async def test_a_dropped_collection_can_be_made_again_with_other_dimensions(filled):
    await filled.drop("c")
    assert await filled.count("c") == 0
    await filled.ensure("c", 3)
    await filled.upsert("c", [Point(ALICE, [1.0, 2.0, 3.0])])
    assert await filled.count("c") == 1


async def test_collections_do_not_see_each_other(filled):
    await filled.ensure("d", 2)
    await filled.upsert("d", [Point(ALICE, [1.0, 0.0], {"name": "other"})])
    await filled.drop("c")
    assert names(await filled.scroll("d")) == ["other"]


async def test_version_changes_with_the_collection_only(filled):
    seen = [await filled.version("c")]
    for change in (
        filled.upsert("c", people()[:1]),
        filled.delete("c", [BOB]),
        filled.drop("c"),
        filled.ensure("c", 2),
    ):
        await change
        seen.append(await filled.version("c"))
    await filled.search("c", [1.0, 0.0])
    assert len(set(seen)) >= 4
    assert await filled.version("c") == seen[-1]


async def test_reads_and_writes_at_once(filled):
    async def write(n: int) -> None:
        points = [Point(str(uuid.uuid4()), [float(n), 1.0], {"name": f"{n}"}) for _ in range(20)]
        await filled.upsert("c", points)

    async def read() -> int:
        return len(await filled.search("c", [1.0, 0.0], limit=500))

    results = await asyncio.gather(*(write(n) for n in range(10)), *(read() for _ in range(20)))
    assert await filled.count("c") == 203
    assert all(3 <= found <= 203 for found in results[10:])
