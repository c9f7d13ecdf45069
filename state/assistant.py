"""What flows through the assistant: plain JSON values, so that every checkpoint stays readable."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

# typing's own has no JSON schema before Python 3.12: Studio would show no form for the input.
from typing_extensions import TypedDict

Action = Literal[
    "search_notes",
    "search_artifacts_then_graph",
    "search_relations_then_graph",
    "combined_search",
    "clarification_needed",
    "out_of_scope",
]
Scope = Literal["relationships", "full_subgraph", "node_details"]
ResponseType = Literal["text", "graph", "text_and_graph", "error", "clarification_needed", "out_of_scope"]

MAX_QUESTION = 500
"""Characters a question may have."""
HISTORY = 12
"""Turns kept for follow-up questions."""


class Option(TypedDict):
    """One way to read an ambiguous question: what the person sees and what it stands for."""

    label: str
    artifact_id: str | None
    question: str


class Plan(TypedDict):
    """The planner's decision, with its reasons."""

    action: Action
    reasoning: str
    search_text: str
    scope: Scope
    focus: list[str]
    """Artifacts the question is about, by id."""
    named: list[str]
    """Every artifact that a name in the question may mean."""
    unknown: list[str]
    """Names in the question that the campaign does not know; set when it names nothing else."""
    options: list[Option]
    message: str
    model: str


class Evidence(TypedDict):
    """One found chunk: a piece of a note, an artifact or a relation, best first."""

    id: str
    type: Literal["note", "artifact", "relation"]
    score: float
    title: str
    text: str
    note_ids: list[str]
    payload: dict[str, Any]


class Cypher(TypedDict):
    """A generated query on its way through the guard; `error` sends it back to generation."""

    query: str
    params: dict[str, Any]
    reasoning: str
    attempt: int
    error: str | None
    source: Literal["template", "model"]


class Node(TypedDict):
    """A graph node as the seed's API shows it."""

    id: str
    name: str
    type: str
    description: str
    campaignUuid: str
    noteIds: list[str]


class Edge(TypedDict):
    """A graph edge as the seed's API shows it."""

    id: str
    source: str
    target: str
    label: str
    description: str
    reasoning: str
    noteIds: list[str]


class GraphData(TypedDict):
    """The subgraph of an answer."""

    nodes: list[Node]
    edges: list[Edge]


class Source(TypedDict):
    """A note the answer really cites."""

    noteId: str
    noteTitle: str


class Answer(TypedDict):
    """The answer object of the REST API, also what a run returns."""

    responseType: ResponseType
    errorType: str | None
    textResponse: str
    graphData: GraphData | None
    sources: list[Source]
    executedActions: list[str]
    debugInfo: dict[str, Any] | None


class ModelUse(TypedDict):
    """One model task of this question; tokens are 0 offline."""

    task: str
    model: str
    input_tokens: int
    output_tokens: int


class Turn(TypedDict):
    """One question with its answer, for follow-ups."""

    question: str
    answer: str
    focus: list[str]


def keep_last_turns(old: list[Turn] | None, new: list[Turn]) -> list[Turn]:
    """Append turns, keeping the last `HISTORY`."""
    return [*(old or []), *new][-HISTORY:]


class AssistantInput(TypedDict, total=False):
    """What a run starts with; `campaign` is its UUID or exact name (or comes from the run's context)."""

    question: str
    campaign: str


class AssistantOutput(TypedDict, total=False):
    """What a run ends with."""

    answer: Answer


class AssistantState(AssistantInput, AssistantOutput, total=False):
    """The whole state; everything but `history` belongs to the question at hand."""

    asked: str
    """The question as it was typed; `question` may be completed by a clarification or a follow-up."""
    language: str
    history: Annotated[list[Turn], keep_last_turns]
    plan: Plan | None
    clarification: Any
    clarification_errors: list[dict[str, str]]
    clarification_rounds: int
    evidence: list[Evidence]
    cypher: Cypher | None
    graph: GraphData | None
    actions: list[str]
    cached: bool
    revision: int
    """The campaign's revision the answer is made from."""
    usage: list[ModelUse]


@dataclass(frozen=True)
class AssistantContext:
    """Options of a run, set per assistant or per request."""

    campaign: str = field(default="", metadata={"description": "Campaign UUID or exact name."})
    debug: bool = field(default=False, metadata={"description": "Answers carry debugInfo."})
    use_cache: bool = field(
        default=True, metadata={"description": "Answer repeated questions from the cache."}
    )
    user: str = field(default="", metadata={"description": "Who asks; recorded with usage."})
