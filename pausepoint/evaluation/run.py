"""Asking every labelled question and judging what came back: action, first source, names, citations."""

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from pausepoint.evaluation.questions import Question

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient

_CITATION = re.compile(r"\[(?:Notatka|Note|Notiz|Nota):\s*([^\]]+)\]")
_ENTITY_IN_GRAPH = ("search_artifacts_then_graph", "search_relations_then_graph", "combined_search")


@dataclass(frozen=True)
class Judged:
    """One question's outcome; None where there was nothing to judge."""

    id: str
    question: str
    action: str
    accepted: list[str]
    action_right: bool
    first_source: str | None
    evidence_right: bool | None
    entities_right: bool | None
    citations_valid: bool | None
    cypher_valid: bool | None
    milliseconds: float
    tags: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Share:
    """How many of how many; `share` 0 to 1, None of nothing."""

    right: int
    of: int

    @property
    def share(self) -> float | None:
        """The quotient."""
        return round(self.right / self.of, 4) if self.of else None


@dataclass(frozen=True)
class Report:
    """All outcomes with their sums."""

    campaign: str
    outcomes: list[Judged]

    def shares(self) -> dict[str, Share]:
        """The table's rows."""
        return {
            "actions": _share([o.action_right for o in self.outcomes]),
            "first source": _share([o.evidence_right for o in self.outcomes]),
            "entities": _share([o.entities_right for o in self.outcomes]),
            "valid citations": _share([o.citations_valid for o in self.outcomes]),
            "valid Cypher": _share([o.cypher_valid for o in self.outcomes]),
        }

    def latency(self) -> dict[str, float]:
        """Milliseconds of a question: median and 95th percentile."""
        times = sorted(o.milliseconds for o in self.outcomes)
        high = quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
        return {"p50": round(median(times), 1), "p95": round(high, 1)}

    def plain(self) -> dict[str, Any]:
        """The report as JSON values."""
        shares = {name: {**asdict(s), "share": s.share} for name, s in self.shares().items()}
        return {
            "campaign": self.campaign,
            "questions": len(self.outcomes),
            "shares": shares,
            "latency_ms": self.latency(),
            "outcomes": [asdict(o) for o in self.outcomes],
        }


async def evaluate(
    client: "LangGraphClient",
    campaign: str,
    questions: list[Question],
    titles: set[str],
    progress: Callable[[], None] = lambda: None,
    at_once: int = 1,
) -> Report:
    """Ask every question in a run of its own, without the answer cache.

    Args:
        client: of a server that has the `assistant` graph.
        campaign: UUID.
        questions: what to ask and what is right.
        titles: the campaign's note titles: a citation of anything else is invalid.
        progress: called after every question.
        at_once: questions under way at the same time.
    """
    gate = asyncio.Semaphore(at_once)

    async def one(question: Question) -> Judged:
        async with gate:
            started = time.perf_counter()
            values: Any = await client.runs.wait(
                None,
                "assistant",
                input={"question": question.question, "campaign": campaign},
                context={"use_cache": False, "campaign": campaign},
            )
            spent = (time.perf_counter() - started) * 1000
        progress()
        return judge(question, values, titles, spent)

    return Report(campaign, list(await asyncio.gather(*map(one, questions))))


def judge(question: Question, values: dict[str, Any], titles: set[str], milliseconds: float) -> Judged:
    """Hold one run's values against the labels."""
    answer: dict[str, Any] = values.get("answer") or {}
    action = _action(values, answer)
    sources = [s["noteTitle"] for s in answer.get("sources") or []]
    text = answer.get("textResponse") or ""
    cited = [title.strip() for title in _CITATION.findall(text)]
    searched = action not in ("clarification_needed", "out_of_scope")
    first = sources[0] if sources else None
    wanted = {_plain(t) for t in question.evidence}
    return Judged(
        id=question.id,
        question=question.question,
        action=action,
        accepted=list(question.actions),
        action_right=action in question.actions,
        first_source=first,
        evidence_right=(first is not None and _plain(first) in wanted) if wanted else None,
        entities_right=_entities(question, answer, text) if question.entities and searched else None,
        citations_valid=all(t in titles and t in sources for t in cited) if cited else None,
        cypher_valid=answer.get("errorType") != "invalid_cypher" if action in _ENTITY_IN_GRAPH else None,
        milliseconds=round(milliseconds, 1),
        tags=question.tags,
    )


def _action(values: dict[str, Any], answer: dict[str, Any]) -> str:
    if values.get("__interrupt__"):
        return "clarification_needed"
    if answer.get("responseType") == "out_of_scope":
        return "out_of_scope"
    known = (a for a in answer.get("executedActions") or [] if a not in ("planning", "cypher_query"))
    return next(known, answer.get("errorType") or "none")


def _entities(question: Question, answer: dict[str, Any], text: str) -> bool:
    names = {n["name"] for n in (answer.get("graphData") or {}).get("nodes", [])}
    return all(entity in names or entity in text for entity in question.entities)


def _plain(title: str) -> str:
    return " ".join(title.replace("[", "(").replace("]", ")").split())


def _share(outcomes: list[bool | None] | list[bool]) -> Share:
    judged = [o for o in outcomes if o is not None]
    return Share(sum(judged), len(judged))
