"""Which note comes first: by its passages, or with the relations and artifacts drawn from it (python -m bench.ranking)."""

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from nodes import ranking
from pausepoint.campaigns.folder import read_folder
from pausepoint.campaigns.load import load_campaign
from pausepoint.evaluation.questions import Question, read_questions
from pausepoint.services import Services, open_services
from pausepoint.settings import Settings

ROOT = Path(__file__).parents[1]
LOOKED_AT = {"note": 300, "artifact": 20, "relation": 400}
VARIANTS = {
    "passages alone": (0.0, 0.0),
    "with relations": (ranking.RELATION_SHARE, 0.0),
    "with artifacts": (0.0, ranking.ARTIFACT_SHARE),
    "with both": (ranking.RELATION_SHARE, ranking.ARTIFACT_SHARE),
}


async def first_note(services: Services, campaign: str, question: Question) -> str:
    view = await services.view(campaign)
    named = {c.id for m in view.lexicon.link(question.question) for c in m.candidates}
    found = await services.hybrid.search_types(services.collection(campaign), question.question, LOOKED_AT)
    relations = ranking.rank_relations(found["relation"], view, named)
    return view.titles[next(iter(ranking.rank_notes(question.question, found, relations, view)))]


async def measure(services: Services, folder: Path) -> dict[str, tuple[int, int]]:
    await load_campaign(read_folder(folder), services)
    file = read_questions(folder / "questions.yaml")
    asked = [q for q in file.questions if q.evidence]
    outcome: dict[str, tuple[int, int]] = {}
    kept = ranking.RELATION_SHARE, ranking.ARTIFACT_SHARE
    for name, (relation, artifact) in VARIANTS.items():
        ranking.RELATION_SHARE, ranking.ARTIFACT_SHARE = relation, artifact
        right = [await first_note(services, file.campaign, q) in q.evidence for q in asked]
        outcome[name] = (sum(right), len(right))
    ranking.RELATION_SHARE, ranking.ARTIFACT_SHARE = kept
    return outcome


async def main() -> None:
    folders = [Path(f) for f in sys.argv[1:]] or sorted(
        p.parent
        for p in [*ROOT.glob("samples/*/questions.yaml"), *ROOT.glob("tests/heldout/*/questions.yaml")]
    )
    print("first note right: " + ", ".join(VARIANTS))
    with TemporaryDirectory() as data:
        services = await open_services(Settings(data=Path(data)))
        try:
            for folder in folders:
                found = await measure(services, folder)
                cells = "  ".join(
                    f"{right}/{of} ({right / of:.0%})".rjust(13) for right, of in found.values()
                )
                print(f"{folder.name:16}{cells}")
        finally:
            await services.close()


if __name__ == "__main__":
    asyncio.run(main())
