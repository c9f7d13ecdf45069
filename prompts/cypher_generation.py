"""Task `assistant-cypher-generation`: a read-only Cypher query for what was found, with values as parameters."""

import json
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from pausepoint.models.task import Task
from prompts.offline.cypher import template_query
from state.assistant import Scope


class CypherDraft(BaseModel):
    """What the model gives back."""

    reasoning: str = Field(
        default="", description="Why the query is built this way, in one or two sentences."
    )
    cypher_query: str = Field(description="One read-only Cypher query; values only as the given parameters.")


@dataclass(frozen=True)
class CypherInputs:
    """Everything the query may be made of; `kind` tells what `focus` (ids) are."""

    question: str
    kind: str
    focus: list[str]
    focus_names: list[str]
    campaign_label: str
    scope: Scope
    relation_types: list[str] = field(default_factory=list[str])
    problem: str = ""
    previous: str = ""

    @property
    def params(self) -> dict[str, object]:
        """The parameters the application sets; the campaign's is set by the guard."""
        if self.kind == "relation":
            return {"relationshipIds": self.focus}
        return {"artifactId": self.focus[0], "artifactIds": self.focus}


SYSTEM = """You write Cypher for Neo4j. You only read.

The graph
- Nodes: (:{{campaignLabel}}_Artifact) with id, name, aliases (list), type (characters, locations, items, events or the campaign's own), campaignUuid, note_ids (list), description, createdAt.
- Relationships between them, of these types: {{relationTypes}}. Each has id, label, description, reasoning, note_ids (list), campaignUuid, createdAt.

Found for the question ({{kind}}): {{focusNames}}
Parameters you may use: {{parameters}} and $campaignUuid.

Scope: {{scope}}
- relationships: the artifact, its direct relationships and the nodes at their other ends (1 hop)
- full_subgraph: everything within 2 hops
- node_details: the artifact alone

Rules
1. Only MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY, LIMIT. Nothing that writes, no procedures, no LOAD CSV.
2. Values only as parameters, never as literals.
3. Every node and relationship is of this campaign: campaignUuid = $campaignUuid.
4. Return whole nodes and relationships, so that the graph can be drawn.

Example (relationships):
MATCH (a:{{campaignLabel}}_Artifact {id: $artifactId, campaignUuid: $campaignUuid})
OPTIONAL MATCH (a)-[r]-(b:{{campaignLabel}}_Artifact {campaignUuid: $campaignUuid})
RETURN a, collect(DISTINCT r) AS relationships, collect(DISTINCT b) AS connectedNodes

Answer with JSON only: {"reasoning": "...", "cypher_query": "..."}"""

USER = """Question: {{originalQuery}}
{{additionalInstructions}}
Write the query."""


def _variables(inputs: CypherInputs) -> dict[str, str]:
    again = (
        f"Your last query was refused.\nQuery: {inputs.previous}\nReason: {inputs.problem}\nMend it."
        if inputs.problem
        else ""
    )
    return {
        "campaignLabel": inputs.campaign_label,
        "relationTypes": ", ".join(inputs.relation_types) or "any",
        "kind": inputs.kind,
        "focusNames": json.dumps(inputs.focus_names, ensure_ascii=False),
        "parameters": ", ".join(f"${name}" for name in inputs.params),
        "scope": inputs.scope,
        "originalQuery": inputs.question,
        "additionalInstructions": again,
    }


def _offline(inputs: CypherInputs) -> CypherDraft:
    query, reasoning = template_query(inputs.campaign_label, inputs.kind, len(inputs.focus), inputs.scope)
    return CypherDraft(cypher_query=query, reasoning=reasoning)


TASK: Task[CypherInputs, CypherDraft] = Task(
    name="assistant-cypher-generation",
    output=CypherDraft,
    system=SYSTEM,
    user=USER,
    variables=_variables,
    offline=_offline,
)
