"""The bundled embeddings: what they find, and what they do with hostile texts."""

import asyncio
import threading

import numpy as np
import pytest

from pausepoint.models.embeddings import engines
from pausepoint.models.embeddings.bundled import BundledEmbedder
from pausepoint.models.embeddings.clean import CHUNK, MAX_QUERY, chunks, clean
from pausepoint.models.embeddings.engines import Engine, bundled_engines
from pausepoint.models.embeddings.open import open_embedder
from pausepoint.models.embeddings.port import EmbeddingError
from pausepoint.settings import Settings

SETTINGS = Settings(_env_file=None, embeddings="bundled")


@pytest.fixture(scope="module")
def embedder():
    return open_embedder(SETTINGS)


def counting(calls: list[list[str]], dimensions: int = 4) -> Engine:
    """An engine without a model: a letter's code in the first place."""

    def encode(texts, question):
        calls.append(list(texts))
        return np.array(
            [[ord((text or " ")[0]), 1.0, *([0.0] * (dimensions - 2))] for text in texts], np.float32
        )

    return Engine("fake", "json", dimensions, lambda: encode)


@pytest.fixture
def fake(monkeypatch):
    calls: list[list[str]] = []
    monkeypatch.setattr("pausepoint.models.embeddings.bundled.mean_of", lambda _: np.zeros(4, np.float32))
    return BundledEmbedder([counting(calls)]), calls


PASSAGES = [
    "Karczmarz z Brzegu pożyczył rycerzowi konia i nigdy go nie odzyskał.",
    "Customers may send purchases back within a month and get their money.",
    "El faro se apagó la noche de la tormenta y un barco encalló.",
    "Die Steuererklärung muss bis Ende Juli abgegeben werden.",
]


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("Who lent someone a horse?", 0),
        ("Kto użyczył wierzchowca?", 0),
        ("Czy mogę oddać kupioną rzecz?", 1),
        ("What is the refund policy?", 1),
        ("Why did the ship run aground?", 2),
        ("Kiedy trzeba złożyć zeznanie podatkowe?", 3),
    ],
)
async def test_a_question_finds_its_passage_without_shared_words_and_across_languages(
    embedder, question, best
):
    passages = await embedder.embed_passages(PASSAGES)
    (query,) = await embedder.embed_queries([question])
    assert int(np.argmax(passages @ query)) == best


HOSTILE = ["", " ", "\0", "a\0b", "\ud800", "🐢" * 500, "a" * 5000, "‮abc", "\n\t\r", "ąę" * 10, "<script>"]


async def test_every_row_is_finite_of_unit_length_whatever_the_text(embedder):
    for embed in (embedder.embed_queries, embedder.embed_passages):
        rows = await embed(HOSTILE)
        assert rows.shape == (len(HOSTILE), embedder.dimensions)
        assert rows.dtype == np.float32
        assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-3)
        assert (await embed([])).shape == (0, embedder.dimensions)


async def test_a_text_means_the_same_alone_and_in_a_batch(embedder):
    texts = [f"The {n}th lantern was lit" for n in range(7)]
    together = await embedder.embed_passages(texts)
    alone = np.concatenate([await embedder.embed_passages([text]) for text in texts])
    assert together == pytest.approx(alone, abs=1e-3)


async def test_what_follows_a_nul_is_not_lost(embedder):
    cut, spaced = await embedder.embed_passages(["Adam\0met the queen", "Adam met the queen"])
    assert cut @ spaced == pytest.approx(1.0, abs=1e-3)


def test_many_threads_and_loops_at_once(embedder):
    texts = [f"pytanie {n}" for n in range(6)]
    expected = asyncio.run(embedder.embed_queries(texts))
    results: list[np.ndarray] = []

    def run() -> None:
        results.append(asyncio.run(embedder.embed_queries(texts[::-1]))[::-1])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.array_equal(result, expected) for result in results)


async def test_the_name_tells_the_models(embedder):
    assert (embedder.name, embedder.dimensions) == ("bundled-e5+use-2", 896)


async def test_a_question_asked_again_or_at_once_is_embedded_once(fake):
    embedder, calls = fake
    await asyncio.gather(*(embedder.embed_queries(["Adam?"]) for _ in range(5)))
    await embedder.embed_queries(["Adam?", "Eve?"])
    assert sorted(calls) == [["Adam?"], ["Eve?"]]


async def test_one_who_gives_up_does_not_spoil_it_for_the_others(fake):
    embedder, calls = fake
    first = asyncio.create_task(embedder.embed_queries(["Adam?"]))
    second = asyncio.create_task(embedder.embed_queries(["Adam?"]))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).shape == (1, 4)
    assert (await embedder.embed_queries(["Adam?"])).shape == (1, 4)
    assert calls == [["Adam?"]]


async def test_a_long_passage_is_embedded_in_pieces_and_a_huge_one_cut(fake):
    embedder, calls = fake
    rows = await embedder.embed_passages(["short", "word " * 1000, "x" * 200_000])
    assert rows.shape == (3, 4)
    pieces = [piece for call in calls for piece in call]
    assert max(map(len, pieces)) <= CHUNK
    assert len(pieces) == 1 + 3 + 8


async def test_a_failed_question_is_tried_again():
    attempts = []

    def load():
        attempts.append(1)
        if len(attempts) == 1:
            raise OSError("no room")
        return counting([], 384).load()

    embedder = BundledEmbedder([Engine("e5", "json", 384, load)])
    with pytest.raises(EmbeddingError, match="no room"):
        await embedder.embed_queries(["a"])
    assert (await embedder.embed_queries(["a"])).shape == (1, 384)


def test_one_missing_package_leaves_the_other_with_another_name(monkeypatch):
    monkeypatch.setattr(engines, "_has_avx2", lambda: False)
    embedder = BundledEmbedder()
    assert (embedder.name, embedder.dimensions) == ("bundled-use-2", 512)


def test_no_package_at_all_says_what_to_do():
    nowhere = Engine("none", "no_such_package_here", 1, dict)
    with pytest.raises(EmbeddingError, match="no_such_package_here"):
        BundledEmbedder([nowhere])


def test_every_engine_ships_a_mean_of_its_length():
    for engine in bundled_engines():
        mean = engines.mean_of(engine.name)
        assert mean.shape == (engine.dimensions,)
        assert 0 < np.linalg.norm(mean) < 1


def test_an_unknown_provider_is_named():
    with pytest.raises(EmbeddingError, match="'openia:x'"):
        open_embedder(Settings(_env_file=None, embeddings="openia:x"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", ""), ("  a ", "a"), ("a\0b", "a b"), ("\ud800x", "?x"), ("x" * (MAX_QUERY + 5), "x" * MAX_QUERY)],
)
def test_clean(text, expected):
    assert clean(text, MAX_QUERY) == expected


def test_chunks_cut_at_spaces_and_lose_no_word():
    text = " ".join(f"w{n}" for n in range(2000))
    assert " ".join(chunks(text)) == text
    assert chunks("") == [""]
    assert "".join(chunks("x" * 4500)) == "x" * 4500
