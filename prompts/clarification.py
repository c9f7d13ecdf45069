"""What to ask back when a question is vague or fits several things, and how to read the person's answer."""

from typing import Any

from pausepoint.campaigns.lexicon import Mention
from pausepoint.vectors.text import fold
from state.assistant import MAX_QUESTION, Option

_TEXT = {
    "pl": {
        "which": "„{name}” pasuje do kilku rzeczy w tej kampanii. Którą masz na myśli?",
        "vague": "To pytanie jest dla mnie zbyt ogólne. O co chodzi?",
        "who": "Relacje konkretnej postaci, na przykład: Jakie są relacje {name}?",
        "events": "Co wydarzyło się ostatnio?",
        "overview": "Podsumuj najważniejsze wydarzenia kampanii.",
        "unknown": "Wybierz jedną z możliwości (numer lub tekst) albo napisz całe pytanie.",
        "long": "Odpowiedź ma {count} znaków; najwyżej {most}.",
    },
    "en": {
        "which": "“{name}” fits several things in this campaign. Which one do you mean?",
        "vague": "That question is too general for me. What is it about?",
        "who": "The relations of one character, for example: What are the relations of {name}?",
        "events": "What happened recently?",
        "overview": "Summarise the main events of the campaign.",
        "unknown": "Choose one of the options (number or text), or write the whole question.",
        "long": "The answer has {count} characters; at most {most}.",
    },
}


def question_back(
    question: str, language: str, mentions: list[Mention], message: str = "", drafts: list[str] | None = None
) -> tuple[str, list[Option]]:
    """The message and the options to choose from; a model's own wording wins where it gave one."""
    words = _TEXT.get(language, _TEXT["en"])
    several = next((m for m in mentions if m.ambiguous), None)
    if several is not None:
        options: list[Option] = [
            {"label": f"{c.name} ({c.type})", "artifact_id": c.id, "question": question}
            for c in several.candidates[:6]
        ]
        return message or words["which"].format(name=several.text), options
    suggestions = drafts or [words["events"], words["overview"]]
    return message or words["vague"], [
        {"label": text, "artifact_id": None, "question": text} for text in suggestions[:6]
    ]


def read_choice(answer: Any, options: list[Option], language: str) -> Option | str:
    """The chosen option, a free question as an option of its own, or what is wrong with the answer.

    Args:
        answer: a number (from 1), an option's label, free text, or {"choice": ...} / {"text": ...}.
        options: what was offered.
        language: of the error text.
    """
    words = _TEXT.get(language, _TEXT["en"])
    if isinstance(answer, dict):
        given = [answer[key] for key in ("text", "choice", "answer", "response", "args") if answer.get(key)]
        answer = given[0] if given else None
    if isinstance(answer, list) and len(answer) == 1:
        return read_choice(answer[0], options, language)
    if isinstance(answer, str) and answer.strip().isdecimal() and len(answer) < 4:
        answer = int(answer)
    if isinstance(answer, int) and not isinstance(answer, bool):
        return options[answer - 1] if 1 <= answer <= len(options) else words["unknown"]
    if not isinstance(answer, str) or not answer.strip():
        return words["unknown"]
    text = answer.strip()
    if len(text) > MAX_QUESTION:
        return words["long"].format(count=len(text), most=MAX_QUESTION)
    return next(
        (o for o in options if _same(text, o)), {"label": text, "artifact_id": None, "question": text}
    )


def _same(text: str, option: Option) -> bool:
    asked = fold(text)
    label = fold(option["label"])
    return asked in (label, label.split(" (")[0], option["artifact_id"] or "")
