"""`questions.yaml`: labelled questions on a campaign, read strictly."""

from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pausepoint.errors import PausepointError

Action = Literal[
    "search_notes",
    "search_artifacts_then_graph",
    "search_relations_then_graph",
    "combined_search",
    "clarification_needed",
    "out_of_scope",
]


class BadQuestions(PausepointError):
    """The file of labelled questions cannot be used."""


class Question(BaseModel):
    """One labelled question.

    `actions` are all that a fair judge accepts; `evidence` are note titles, any of which is right as the first
    source; `entities` are artifact names expected in the graph or the text. The last two may be empty.
    """

    model_config = ConfigDict(extra="ignore")

    id: str = ""
    question: str = Field(min_length=1)
    language: str = ""
    actions: list[Action] = Field(min_length=1)
    evidence: list[str] = []
    entities: list[str] = []
    tags: list[str] = []


class QuestionFile(BaseModel):
    """The whole file; `campaign` is the UUID or the exact name."""

    model_config = ConfigDict(extra="ignore")

    campaign: str
    questions: list[Question] = Field(min_length=1)


def read_questions(path: Path) -> QuestionFile:
    """Read and check a file.

    Raises:
        BadQuestions: it is missing, is no YAML, or an entry is not of the format; names the entry.
    """
    try:
        raw = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        raise BadQuestions(f"{path}: cannot be read ({error.strerror}).") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadQuestions(f"{path}: is no YAML: {' '.join(str(error).split())}") from error
    try:
        file = QuestionFile.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "file"
        raise BadQuestions(
            f"{path}: {where}: {first['msg']} (got {first['input']!r}); see docs/formats.md."
        ) from error
    numbered = [q if q.id else q.model_copy(update={"id": f"q{n}"}) for n, q in enumerate(file.questions, 1)]
    return file.model_copy(update={"questions": numbered})
