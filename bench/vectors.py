"""Embeddings and search: latency, memory, upsert rate, and how well vectors, words and both find labelled evidence.

Run it alone with `python -m bench.vectors [campaign folder ...]`; folders need a questions.yaml.
"""

import asyncio
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

import psutil
import yaml
from rich.console import Console
from rich.table import Table

SAMPLES = Path(__file__).parent.parent / "samples"
console = Console(width=110)


@dataclass(frozen=True)
class Question:
    text: str
    evidence: frozenset[str]
    entities: frozenset[str]


def megabytes() -> float:
    return psutil.Process().memory_info().rss / 2**20


async def p50(work: Callable[[int], Awaitable[object]], times: int) -> float:
    """Median of a call in milliseconds."""
    taken: list[float] = []
    for n in range(times):
        start = time.perf_counter()
        await work(n)
        taken.append((time.perf_counter() - start) * 1000)
    return median(taken)


def read(folder: Path) -> tuple[dict[str, dict], list[Question]]:
    """The payloads that loading the campaign would write, by point id, and its labelled questions."""
    from pausepoint.campaigns.folder import read_folder
    from pausepoint.campaigns.records import artifact_record, note_record, relation_record

    parsed = read_folder(folder)
    names = {artifact.id: artifact.name for artifact in parsed.artifacts}
    records = [
        *(note_record("bench", note) for note in parsed.notes),
        *(artifact_record("bench", artifact, "") for artifact in parsed.artifacts),
        *(relation_record("bench", relation, names, "") for relation in parsed.relations),
    ]
    payloads = {key: payload for record in records for key, payload in record.payloads.items()}
    labelled = yaml.safe_load((folder / "questions.yaml").read_text(encoding="utf-8"))["questions"]
    questions = [
        Question(
            each["question"], frozenset(each.get("evidence") or ()), frozenset(each.get("entities") or ())
        )
        for each in labelled
    ]
    return payloads, questions


async def embedder_rows(table: Table) -> None:
    from pausepoint.models.embeddings.open import open_embedder
    from pausepoint.settings import Settings

    before = megabytes()
    embedder = open_embedder(Settings(embeddings="bundled"))
    start = time.perf_counter()
    await embedder.embed_queries(["Jakie są relacje Adama?"])
    table.add_row("first embedding, models loaded", f"{(time.perf_counter() - start) * 1000:.0f} ms")
    table.add_row("memory of the embedder", f"{megabytes() - before:.0f} MB")
    short = await p50(lambda n: embedder.embed_queries([f"Jakie są relacje Adama {n}?"]), 30)
    table.add_row("a short question, p50", f"{short:.1f} ms")
    again = await p50(lambda _: embedder.embed_queries(["Jakie są relacje Adama?"]), 30)
    table.add_row("a question asked before, p50", f"{again:.2f} ms")
    passage = " ".join(["Adam spotkał Krystynę w starym młynie nad rzeką."] * 10)
    texts = [f"{n} {passage}" for n in range(12)]
    start = time.perf_counter()
    await embedder.embed_passages(texts)
    table.add_row("passages of 80 words, each", f"{(time.perf_counter() - start) * 1000 / len(texts):.0f} ms")


async def store_rows(table: Table, points: int = 2000) -> None:
    import numpy as np

    from pausepoint.models.embeddings.open import open_embedder
    from pausepoint.settings import Settings
    from pausepoint.vectors.embedded import EmbeddedVectors
    from pausepoint.vectors.hybrid import HybridIndex
    from pausepoint.vectors.port import Point

    embedder = open_embedder(Settings(embeddings="bundled"))
    samples = [
        payload
        for folder in sorted(SAMPLES.glob("*/questions.yaml"))
        for payload in read(folder.parent)[0].values()
    ]
    random = np.random.default_rng(7)
    vectors = random.standard_normal((points, embedder.dimensions))
    with tempfile.TemporaryDirectory() as folder:
        store = await EmbeddedVectors.open(Path(folder))
        await store.ensure("c", embedder.dimensions, indexed=["type"])
        batch = [
            Point(
                str(uuid.uuid4()),
                vector.tolist(),
                samples[n % len(samples)] if samples else {"text": f"word{n}"},
            )
            for n, vector in enumerate(vectors)
        ]
        start = time.perf_counter()
        for n in range(0, points, 200):
            await store.upsert("c", batch[n : n + 200])
        table.add_row(
            f"upsert, on disk, of {points} points", f"{points / (time.perf_counter() - start):.0f} points/s"
        )
        used = sum(each.stat().st_blocks * 512 for each in Path(folder).rglob("*") if each.is_file())
        table.add_row(f"disk of {points} points", f"{used / 2**20:.0f} MB")
        question = vectors[5].tolist()
        nearest = await p50(lambda _: store.search("c", question, limit=10, where={"type": "note"}), 100)
        table.add_row("10 nearest with a filter, p50", f"{nearest:.2f} ms")
        index = HybridIndex(store, embedder)
        before, start = megabytes(), time.perf_counter()
        await index.warm("c")
        table.add_row("words of the collection indexed", f"{(time.perf_counter() - start) * 1000:.0f} ms")
        table.add_row("memory of the word index", f"{megabytes() - before:.0f} MB")
        await embedder.embed_queries([f"Kto zdradził Adama {n}?" for n in range(50)])
        hybrid = await p50(lambda n: index.search("c", f"Kto zdradził Adama {n}?", types=["note"]), 50)
        table.add_row("hybrid search without the embedding, p50", f"{hybrid:.1f} ms")
        start = time.perf_counter()
        await asyncio.gather(*(index.search("c", f"Kto spotkał Adama {n}?") for n in range(20)))
        table.add_row(
            "20 new questions at once, all answered", f"{(time.perf_counter() - start) * 1000:.0f} ms"
        )
        await store.close()


def rank_of(evidence: frozenset[str], titles: Sequence[str]) -> int | None:
    return next((n for n, title in enumerate(dict.fromkeys(titles), 1) if title in evidence), None)


async def quality_rows(table: Table, folder: Path) -> None:
    from pausepoint.models.embeddings.open import open_embedder
    from pausepoint.settings import Settings
    from pausepoint.vectors.embedded import EmbeddedVectors
    from pausepoint.vectors.hybrid import HybridIndex
    from pausepoint.vectors.port import Point

    embedder = open_embedder(Settings(embeddings="bundled"))
    payloads, questions = read(folder)
    vectors = await embedder.embed_passages([payload["text"] for payload in payloads.values()])
    with tempfile.TemporaryDirectory() as data:
        store = await EmbeddedVectors.open(Path(data))
        await store.ensure("c", embedder.dimensions, indexed=["type"])
        rows = zip(payloads.items(), vectors, strict=True)
        await store.upsert("c", [Point(key, vector.tolist(), payload) for (key, payload), vector in rows])
        index = HybridIndex(store, embedder)
        searched = [
            await index.search_types("c", each.text, {"note": 9999, "artifact": 9999}) for each in questions
        ]
        await store.close()
    # By id first, so that ties are not broken by what is compared.
    found = [{kind: sorted(hits, key=lambda hit: hit.id) for kind, hits in each.items()} for each in searched]
    for name, key in (
        ("vectors only", lambda each: each.cosine),
        ("words only", lambda each: each.coverage),
        ("hybrid", lambda each: each.score),
    ):
        ranks, recalls = [], []
        for question, each in zip(questions, found, strict=True):
            notes = [one.payload["title"] for one in sorted(each["note"], key=key, reverse=True)]
            names = [one.payload["name"] for one in sorted(each["artifact"], key=key, reverse=True)[:5]]
            if question.evidence:
                ranks.append(rank_of(question.evidence, notes) or 10**6)
            if question.entities:
                recalls.append(len(question.entities & set(names)) / len(question.entities))
        table.add_row(
            folder.name,
            name,
            f"{mean(1 / rank for rank in ranks):.3f}",
            f"{mean(rank == 1 for rank in ranks):.1%}",
            f"{mean(rank <= 3 for rank in ranks):.1%}",
            f"{mean(recalls):.1%}",
        )


async def main(folders: Sequence[Path] = ()) -> None:
    """Print both tables; without folders, over the samples."""
    speed = Table("embeddings and search", "measured")
    await embedder_rows(speed)
    await store_rows(speed)
    console.print(speed)
    quality = Table(
        "campaign", "search", "MRR", "right note first", "in first 3", "named artifacts in first 5"
    )
    for folder in folders or sorted(each.parent for each in SAMPLES.glob("*/questions.yaml")):
        await quality_rows(quality, folder)
    console.print(quality)


if __name__ == "__main__":
    asyncio.run(main([Path(each) for each in sys.argv[1:]]))
