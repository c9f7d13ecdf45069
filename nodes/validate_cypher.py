"""Step `validate_cypher`: the first wall. Only reads inside the campaign pass; the tenant is written in by the guard."""

from pausepoint.cypher import CypherRefused, GuardRules, guard
from pausepoint.services import get_services
from state.assistant import AssistantState, Cypher


async def validate_cypher(state: AssistantState) -> AssistantState:
    """Replace the query by the guarded one, or keep the reason for its refusal."""
    services = await get_services()
    view = await services.view(state["campaign"])
    cypher: Cypher = state["cypher"]  # type: ignore[assignment]
    rules = GuardRules(
        labels=frozenset({f"{view.label}_Artifact"}), types=frozenset(view.relation_types) or None
    )
    try:
        guarded = guard(cypher["query"], rules, {**cypher["params"], "campaignUuid": view.campaign.uuid})
    except CypherRefused as refused:
        return {"cypher": {**cypher, "error": str(refused)}}
    return {"cypher": {**cypher, "query": guarded.cypher, "params": guarded.params, "error": None}}
