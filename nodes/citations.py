"""Checking citations: each must name a note that was really found for the question."""

import re

from prompts.synthesis import CITATION
from state.assistant import Evidence, GraphData, Source


def citable_titles(
    evidence: list[Evidence], graph: GraphData | None, titles: dict[str, str]
) -> dict[str, str]:
    """Titles (as they may be cited) to note ids, of all notes behind the evidence and the graph."""
    notes = [n for e in evidence for n in e["note_ids"]]
    if graph:
        notes += [n for item in (*graph["nodes"], *graph["edges"]) for n in item["noteIds"]]
    found: dict[str, str] = {}
    for note in notes:
        if note in titles:
            found.setdefault(titles[note], note)
    return found


def verified(text: str, allowed: dict[str, str]) -> tuple[str, list[Source], list[str]]:
    """The text without citations of notes that were not found, the cited notes in order, and what was removed."""
    sources: dict[str, Source] = {}
    wrong: list[str] = []

    def check(match: re.Match[str]) -> str:
        title = match.group(1).strip()
        if title not in allowed:
            wrong.append(title)
            return ""
        sources.setdefault(title, {"noteId": allowed[title], "noteTitle": title})
        return match.group(0)

    return CITATION.sub(check, text), list(sources.values()), wrong
