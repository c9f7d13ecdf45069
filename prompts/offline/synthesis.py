"""Offline answers: the found sentences and relations themselves, each with the note it stands in.

Nothing is made up, so nothing reads like prose: a heading line, the facts, their sources.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from pausepoint.vectors.text import fold
from prompts.offline.cues import ABOUT, DETAILS, FUNCTION_WORDS, RELATIONS, SUBGRAPH, WHO_IS
from state.assistant import Edge, Evidence, GraphData

MAX_WORDS = 280
NEIGHBOUR, SUBSTANCE, FULL = 0.35, 0.5, 16
"""Weight of a neighbouring sentence's words, of a sentence's length, and the words of a full sentence."""
_CITATION_MARK = re.compile(r"\[(?=\s*(?:Notatka|Note|Notiz|Nota)\s*:)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?…])[\"”»']?\s+(?=[\"„«'(\[]?[A-ZĄĆĘŁŃÓŚŹŻÄÖÜÁÉÍÑ¿¡—])|\n{1,}")
_MARKUP = re.compile(r"^\s*(?:#+\s*|[-*>]\s+|\d+\.\s+)|[*_`]{1,3}")

_TEXT = {
    "pl": {
        "unknown": "W notatkach tej kampanii nie występuje: {names}.",
        "empty": "Nie znalazłem w kampanii niczego, co odpowiada na to pytanie. Spróbuj podać imię postaci, nazwę "
        "miejsca albo wydarzenie, na przykład: „Kim jest …?” albo „Co się stało podczas …?”.",
        "relations": "Relacje",
        "notes": "W notatkach",
        "offline": "(Bez modelu językowego: zdania i relacje z danych kampanii.)",
    },
    "en": {
        "unknown": "The notes of this campaign never mention: {names}.",
        "empty": "I found nothing in the campaign that answers this. Try naming a character, a place or an event, "
        "for example: “Who is …?” or “What happened at …?”.",
        "relations": "Relations",
        "notes": "From the notes",
        "offline": "(Without a language model: sentences and relations from the campaign's data.)",
    },
    "de": {
        "unknown": "In den Notizen dieser Kampagne kommt nicht vor: {names}.",
        "empty": "Dazu steht nichts in der Kampagne. Nenne eine Figur, einen Ort oder ein Ereignis.",
        "relations": "Beziehungen",
        "notes": "Aus den Notizen",
        "offline": "(Ohne Sprachmodell: Sätze und Beziehungen aus den Daten der Kampagne.)",
    },
    "es": {
        "unknown": "Las notas de esta campaña nunca mencionan: {names}.",
        "empty": "No encontré nada en la campaña que responda a esto. Nombra un personaje, un lugar o un suceso.",
        "relations": "Relaciones",
        "notes": "De las notas",
        "offline": "(Sin modelo de lenguaje: frases y relaciones de los datos de la campaña.)",
    },
}


def inert(text: str) -> str:
    """Text from the data in which nothing looks like a citation: only we cite."""
    return _CITATION_MARK.sub("(", text)


def extractive_answer(
    *,
    question: str,
    language: str,
    cite: str,
    action: str,
    scope: str,
    evidence: list[Evidence],
    graph: GraphData | None,
    titles: dict[str, str],
    focus: list[str],
    unknown: list[str],
) -> str:
    """The answer as Markdown text of at most 300 words, every line ending in its citations.

    Args:
        question: as asked.
        language: ISO 639-1 code; texts exist in pl, en, de and es.
        cite: the word citations start with, for example Note.
        action: what was done to find the data.
        scope: how far the graph reaches.
        evidence: found chunks, best first.
        graph: the subgraph, if any.
        titles: note titles by id.
        focus: artifact ids the question is about.
        unknown: names in the question that the campaign does not know.
    """
    words = _TEXT.get(language, _TEXT["en"])
    writer = _Writer(cite, titles)
    about = [
        e for e in evidence if e["type"] == "artifact" and (not focus or e["payload"]["artifact_id"] in focus)
    ]
    room = 3 if action in ("search_notes", "combined_search") else 1
    parts = {
        "artifact": ("", (_artifact_line(e, writer) for e in about[:3])),
        "relation": (words["relations"], _relation_lines(question, graph, evidence, focus, writer)),
        "note": (words["notes"], _note_lines(question, evidence, writer, room)),
    }
    for part in _order(question, action, evidence):
        title, lines = parts[part]
        writer.section(title, lines, bare=action == "search_notes")
    if not writer.lines:
        strange = words["unknown"].format(names=", ".join(unknown)) if unknown else ""
        return f"{strange} {words['empty']}".strip()
    return "\n".join([*writer.lines, "", words["offline"]])


def _order(question: str, action: str, evidence: list[Evidence]) -> list[str]:
    """The kinds of evidence as they suit the action, the one that leads with the best note first."""
    kinds = {
        "search_notes": ["note"],
        "combined_search": ["note", "artifact", "relation"],
        "search_relations_then_graph": ["relation", "artifact", "note"],
    }.get(action, ["artifact", "relation", "note"])
    if action == "search_artifacts_then_graph" and not _asks_in_general(question):
        kinds = ["relation", "artifact", "note"]
    first = {k: next((e for e in evidence if e["type"] == k), None) for k in kinds}
    best = next((e["note_ids"][0] for e in evidence if e["type"] == "note"), None)
    leads = next((k for k in kinds if (e := first[k]) and e["note_ids"][:1] == [best]), kinds[0])
    return [leads, *(k for k in kinds if k != leads)]


def _asks_in_general(question: str) -> bool:
    """Who or what something is, or all there is about it: its own description answers first."""
    text = " ".join(re.findall(r"[\w']+", fold(question)))
    return (
        any(cue.search(text) for cue in (WHO_IS, ABOUT, RELATIONS, SUBGRAPH, DETAILS))
        or len(text.split()) <= 2
    )


class _Writer:
    """Collects cited lines until the answer is full."""

    def __init__(self, cite: str, titles: dict[str, str]) -> None:
        self.cite, self.titles, self.lines, self.words = cite, titles, list[str](), 0

    def cited(self, text: str, note_ids: Iterable[str], most: int = 2) -> str | None:
        """The text with its sources, or None when nothing backs it."""
        known = islice((self.titles[n] for n in note_ids if n in self.titles), most)
        marks = " ".join(f"[{self.cite}: {title}]" for title in known)
        return f"{inert(text)} {marks}" if marks else None

    def add(self, lines: Iterable[str | None]) -> None:
        for line in lines:
            if line is None:
                continue
            count = len(line.split())
            if self.words + count > MAX_WORDS:
                return
            self.lines.append(line)
            self.words += count

    def section(self, title: str, lines: Iterable[str | None], *, bare: bool = False) -> None:
        before = len(self.lines)
        self.add(lines)
        if len(self.lines) > before and title and not bare:
            self.lines.insert(before, f"{title}:")
            self.words += len(title.split())


def _artifact_line(found: Evidence, writer: _Writer) -> str | None:
    about = found["payload"]
    text = f"**{about['name']}** ({about['artifact_type']}): {about.get('description') or '—'}"
    return writer.cited(text, found["note_ids"])


def _relation_lines(
    question: str, graph: GraphData | None, evidence: list[Evidence], focus: list[str], writer: _Writer
) -> Iterator[str | None]:
    if graph is None:
        for found in (e for e in evidence if e["type"] == "relation"):
            about = found["payload"]
            yield _relation(
                about["source"],
                about["label"],
                about["target"],
                about["description"],
                found["note_ids"],
                writer,
            )
        return
    names = {n["id"]: n["name"] for n in graph["nodes"]}
    asked = _stems(question)
    rank = {e["payload"]["relationship_id"]: i for i, e in enumerate(evidence) if e["type"] == "relation"}

    def order(edge: Edge) -> tuple[int, int, int]:
        touching = sum(end in focus for end in (edge["source"], edge["target"]))
        words = len(asked & _stems(f"{edge['label'].replace('_', ' ')} {edge['description']}"))
        return (-touching, rank.get(edge["id"], len(rank) + 1), -words)

    for edge in sorted(graph["edges"], key=order)[:14]:
        source, target = names.get(edge["source"], "?"), names.get(edge["target"], "?")
        yield _relation(source, edge["label"], target, edge["description"], edge["noteIds"], writer)


def _relation(
    source: str, label: str, target: str, description: str, notes: list[str], writer: _Writer
) -> str | None:
    told = f": {description}" if description else ""
    return writer.cited(f"- {source} → {label} → {target}{told}", notes)


def _note_lines(question: str, evidence: list[Evidence], writer: _Writer, most: int) -> Iterator[str | None]:
    asked = _stems(question)
    seen: set[str] = set()
    notes: dict[str, list[Evidence]] = {}
    for found in (e for e in evidence if e["type"] == "note"):
        notes.setdefault(found["note_ids"][0], []).append(found)
    for note_id, chunks in islice(notes.items(), most):
        sentences = [s for chunk in chunks[:2] for s in _sentences(chunk["text"])]
        for sentence in _best(sentences, asked, 3 if most == 1 or len(notes) == 1 else 2):
            if sentence not in seen:
                seen.add(sentence)
                yield writer.cited(f"- {sentence}", [note_id])


def _best(sentences: list[str], asked: set[str], most: int) -> list[str]:
    """The sentences that share most with the question, in their order of telling.

    A shared word counts more the fewer sentences have it; a neighbour's words count a little, and so does having
    something to say.
    """
    stems = [_stems(s) for s in sentences]
    spread = Counter(stem for each in stems for stem in each)
    shared = [sum(1 / spread[stem] ** 0.5 for stem in asked & each) for each in stems]
    near = [max(shared[max(0, i - 1) : i + 2], default=0.0) for i in range(len(sentences))]
    worth = [
        own + NEIGHBOUR * beside + SUBSTANCE * min(len(s.split()), FULL) / FULL
        for own, beside, s in zip(shared, near, sentences, strict=True)
    ]
    chosen = sorted(range(len(sentences)), key=lambda i: (-worth[i], i))[:most]
    return [sentences[i] for i in sorted(chosen)]


def _sentences(text: str) -> list[str]:
    parts = (_MARKUP.sub("", part).strip() for part in _SENTENCE.split(text))
    return [p for p in parts if len(p.split()) >= 4]


def _stems(text: str) -> set[str]:
    """Words cut to what inflection leaves alone."""
    words = re.findall(r"[^\W_]+", fold(text))
    return {w[:5] if len(w) > 5 else w[:4] for w in words if len(w) > 2 and w not in FUNCTION_WORDS}
