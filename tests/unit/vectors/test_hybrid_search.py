"""Hybrid search over a small collection: what is found first, and that the index follows the store."""

import asyncio
import uuid

import numpy as np
import pytest

from pausepoint.vectors.embedded import EmbeddedVectors
from pausepoint.vectors.errors import DimensionMismatch, InvalidFilter
from pausepoint.vectors.hybrid import HybridIndex
from pausepoint.vectors.lexical import LexicalIndex, content_words, words_of
from pausepoint.vectors.matching import matches
from pausepoint.vectors.port import Point

POINTS = {
    "adam": {
        "type": "artifact",
        "name": "Adam Nowak",
        "aliases": ["Szary"],
        "text": "Adam Nowak, Szary. Kowal z Brzegu.",
    },
    "adela": {
        "type": "artifact",
        "name": "Adela",
        "aliases": [],
        "text": "Adela. Siostra, która zna Adama Nowaka.",
    },
    "hand": {"type": "artifact", "name": "The White Hand", "text": "The White Hand. A guild of lenders."},
    "pans": {
        "type": "artifact",
        "name": "The White Pans",
        "text": "The White Pans. Salt works run by many a hand.",
    },
    "fire": {
        "type": "note",
        "title": "Pożar",
        "text": "Pożar\nW nocy spłonął młyn we Wrocławiu. Adam uciekł.",
    },
    "feast": {"type": "note", "title": "Uczta", "text": "Uczta\nKról zaprosił Krystynę i podał pieczeń."},
    "owes": {
        "type": "relation",
        "source": "Adam Nowak",
        "target": "The White Hand",
        "label": "OWES_MONEY_TO",
        "text": "Adam Nowak owes money to The White Hand.",
    },
}


class FakeEmbedder:
    """Meaning is whether a text is about fire; counts the questions it embedded."""

    name, dimensions = "fake", 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed_queries(self, texts):
        self.asked += texts
        return await self.embed_passages(texts)

    async def embed_passages(self, texts):
        return np.array(
            [[1.0, 0.0] if "ogień" in t or "spłonął" in t else [0.8, 0.6] for t in texts], np.float32
        )

    async def warm(self):
        pass


def identity(key: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, key))


async def put(store, embedder, key, payload):
    (vector,) = await embedder.embed_passages([payload["text"]])
    await store.upsert("c", [Point(identity(key), vector.tolist(), {**payload, "key": key})])


@pytest.fixture
async def world(tmp_path):
    store, embedder = await EmbeddedVectors.open(tmp_path), FakeEmbedder()
    await store.ensure("c", 2, indexed=["type"])
    for key, payload in POINTS.items():
        await put(store, embedder, key, payload)
    yield store, embedder, HybridIndex(store, embedder)
    await store.close()


def keys(found):
    return [each.payload["key"] for each in found]


@pytest.mark.parametrize(
    ("question", "kind", "first"),
    [
        ("Kim jest Adam?", "artifact", "adam"),
        ("Co wiadomo o Adamie Nowaku?", "artifact", "adam"),
        ("kim jest adma nowka", "artifact", "adam"),
        ("Czy Szarego ktoś widział?", "artifact", "adam"),
        ("Kim jest Adela?", "artifact", "adela"),
        ("Who is the White Hand?", "artifact", "hand"),
        ("Who runs the white pans", "artifact", "pans"),
        ("Who are the whit hand", "artifact", "hand"),
        ("Gdzie był ogień?", "note", "fire"),
        ("wroclaw", "note", "fire"),
        ("KRYSTYNIE", "note", "feast"),
        ("Krysytna", "note", "feast"),
        ("who owes whom money?", "relation", "owes"),
    ],
)
async def test_the_right_point_comes_first(world, question, kind, first):
    _, _, index = world
    assert keys(await index.search("c", question, types=[kind]))[0] == first


async def test_score_is_cosine_plus_coverage_squared_in_falling_order(world):
    _, _, index = world
    found = await index.search("c", "Adam Nowak owes money", limit=99)
    assert len(found) == len(POINTS)
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    for each in found:
        assert 0 <= each.coverage <= 1.0001
        assert each.score == pytest.approx(each.cosine + each.coverage**2, abs=1e-5)


async def test_all_types_in_one_pass_are_what_single_searches_find(world):
    _, embedder, index = world
    limits = {"note": 2, "artifact": 3, "relation": 1, "nothing": 4}
    together = await index.search_types("c", "Adam", limits)
    assert len(embedder.asked) == 1
    assert {kind: len(found) for kind, found in together.items()} == {
        "note": 2,
        "artifact": 3,
        "relation": 1,
        "nothing": 0,
    }
    for kind, limit in limits.items():
        assert together[kind] == await index.search("c", "Adam", where={"type": kind}, limit=limit)


async def test_filters_narrow(world):
    _, _, index = world
    assert keys(await index.search("c", "Adam", where={"key": ["feast", "hand"]}, types=["note"])) == [
        "feast"
    ]
    assert await index.search("c", "Adam", types=[]) == []
    with pytest.raises(InvalidFilter):
        await index.search("c", "Adam", where={"key": 1.5})


async def test_the_index_follows_every_change(world):
    store, embedder, index = world
    assert "feast" in keys(await index.search("c", "Krystyna", limit=1))
    await store.delete("c", [identity("feast")])
    assert "feast" not in keys(await index.search("c", "Krystyna", limit=99))
    await put(store, embedder, "pans", {**POINTS["pans"], "name": "Krystyna", "text": "Krystyna"})
    assert keys(await index.search("c", "Krystyna", limit=1)) == ["pans"]
    await store.drop("c")
    assert await index.search("c", "Krystyna") == []


async def test_many_questions_while_points_come_and_go(world):
    store, embedder, index = world

    async def write(n):
        await put(store, embedder, f"x{n}", {"type": "note", "title": f"Nota {n}", "text": "Adam"})
        await store.delete("c", [identity(f"x{n - 1}")])

    async def ask(n):
        return keys(await index.search("c", f"Adam Nowak {n}", types=["artifact"], limit=1))

    answers = await asyncio.gather(*(ask(n) for n in range(20)), *(write(n) for n in range(1, 6)))
    assert answers[:20] == [["adam"]] * 20
    assert "x5" in keys(await index.search("c", "Nota 5", types=["note"]))


@pytest.mark.parametrize("question", ["", " ", "\n\t"])
async def test_an_empty_question_finds_nothing(world, question):
    _, _, index = world
    assert await index.search("c", question) == []


@pytest.mark.parametrize(
    "question",
    ["kto gdzie kiedy", "???", "\0", "\ud800", "🐢🐢", "a" * 100_000, "adam " * 10_000, "^$.*", "1 2 3"],
)
async def test_odd_questions_are_answered_by_meaning(world, question):
    _, _, index = world
    found = await index.search("c", question, limit=3)
    assert len(found) == 3
    assert all(np.isfinite(each.score) for each in found)


async def test_an_unknown_collection_finds_nothing(world):
    _, _, index = world
    assert await index.search("elsewhere", "Adam") == []
    assert await index.search_types("elsewhere", "Adam", {"note": 3}) == {"note": []}


async def test_another_models_vectors_are_refused(world):
    _, embedder, index = world
    embedder.embed_passages = lambda texts: asyncio.sleep(0, np.ones((len(texts), 3), np.float32))
    with pytest.raises(DimensionMismatch):
        await index.search("c", "Adam")


async def test_found_payloads_are_the_callers_own(world):
    _, _, index = world
    (found,) = await index.search("c", "Adam Nowak", types=["artifact"], limit=1)
    found.payload.clear()
    assert keys(await index.search("c", "Adam Nowak", types=["artifact"], limit=1)) == ["adam"]


async def test_warm_indexes_ahead(world):
    store, _, index = world
    await index.warm("c")
    scrolled = []
    scroll = store.scroll
    store.scroll = lambda *args, **kwargs: scrolled.append(args) or scroll(*args, **kwargs)
    await index.search("c", "Adam")
    assert scrolled == []


@pytest.mark.parametrize(
    ("payload", "conditions", "expected"),
    [
        ({"a": 1}, {"a": True}, False),
        ({"a": True}, {"a": 1}, False),
        ({"a": ["x", "y"]}, {"a": "y"}, True),
        ({"a": ["x", "y"]}, {"a": ["z", "x"]}, True),
        ({"a": None}, {"a": "None"}, False),
        ({}, {"a": []}, False),
        ({}, {}, True),
    ],
)
def test_matches(payload, conditions, expected):
    assert matches(payload, conditions) is expected


def test_words_in_a_name_count_more_than_in_the_text():
    index = LexicalIndex([words_of({"text": "about the lantern"}), words_of({"name": "Lantern", "text": ""})])
    text, name = index.coverage("lantern")
    assert 0 < text < name == pytest.approx(1.0)


def test_an_empty_index_covers_nothing():
    assert LexicalIndex([]).coverage("Adam").tolist() == []


def test_function_words_say_nothing():
    assert content_words("Jakie są relacje Adama? What is it?") == ["relacje", "adama"]
