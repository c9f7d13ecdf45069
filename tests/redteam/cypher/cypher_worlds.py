"""Graphs to run queries on: a tenant of its own, then strangers, unowned nodes and edges across."""

from cypher_corpus import rows

from pausepoint.graphdb.embedded import EmbeddedGraph
from pausepoint.graphdb.errors import GraphError

OWN, OTHER = "own-tenant", "other-tenant"

SMALL = """
CREATE (a:Campaign_Artifact {name: 'axe', kind: 1, score: 2.5, tags: ['a', 'b'], secret: 'mine', d: '2020-01-01'}),
 (b:Campaign_Tool {name: 'bow', kind: 2, score: 1, secret: 'mine too'}), (c:Campaign_Artifact {name: 'cup', kind: 3}),
 (d:Campaign_Tool {name: 'dye', kind: 4}), (a)-[:USES {weight: 1}]->(b), (b)-[:USES {weight: 2}]->(c),
 (c)-[:USES {weight: 3}]->(d), (a)-[:SIMILAR_TO]->(c), (c)-[:SIMILAR_TO]->(d), (:Campaign_Artifact {name: 'lone'})
"""
_STRANGERS = """
CREATE (x:Campaign_Artifact {name: 'xiphos', kind: 1, score: 'text', tags: 'none', secret: 'theirs', d: 'no date'}),
 (y:Campaign_Tool {name: 'bow', kind: 'two', secret: 'theirs'}), (z:Campaign_Vault {name: 'vault', secret: 'theirs'}),
 (x)-[:USES {weight: 'heavy'}]->(y), (y)-[:SIMILAR_TO]->(x), (z)-[:USES]->(x), (z)-[:GUARDS]->(y)
"""
_OWN = ("MATCH (n) WHERE n.campaignUuid IS NULL SET n.campaignUuid = $tenant",
        "MATCH ()-[r]->() WHERE r.campaignUuid IS NULL SET r.campaignUuid = $tenant")  # fmt: skip
_ACROSS = """
MATCH (a {{campaignUuid: $own}}) WITH a LIMIT 12
MATCH (b) WHERE b.campaignUuid IS NULL OR b.campaignUuid <> $own WITH a, collect(b)[..3] AS others UNWIND others AS b
CREATE (a)-[:`{type}` {properties}]->(b) CREATE (b)-[:`{type}` {properties}]->(a)
"""


async def fill(graph: EmbeddedGraph, tenant: str, *statements: str) -> None:
    """Run statements and give everything they made to a tenant; what the engine cannot do is left out."""
    for statement in statements:
        await try_write(graph, statement)
    for claim in _OWN:
        await graph.write(claim, {"tenant": tenant})


async def try_write(graph: EmbeddedGraph, statement: str, **params: str) -> None:
    try:
        await graph.write(statement, params)
    except GraphError:
        return


async def add_strangers(graph: EmbeddedGraph, *statements: str) -> None:
    """Add a second tenant, nodes of nobody, and edges between all of them with every kind of ownership."""
    await fill(graph, OTHER, _STRANGERS, *statements)
    await try_write(graph, _STRANGERS)
    types = [row["t"] for row in await graph.write("MATCH ()-[r]->() RETURN DISTINCT type(r) AS t")]
    for name in types:
        for properties in ("{campaignUuid: $own}", "{campaignUuid: $other}", "{weight: 'x'}"):
            text = _ACROSS.format(type=name, properties=properties)
            await try_write(graph, text, own=OWN, other=OTHER)
    await try_write(graph, "MATCH (a {campaignUuid: $own}) CREATE (a)-[:USES {weight: 'x'}]->(a)", own=OWN)


def tck_data(every: int = 3) -> list[str]:
    """The set-up queries of TCK scenarios."""
    created = [row["query"] for row in rows("tck_write") if "set-up" in row["why"]]
    return [query for query in created if query.startswith("CREATE")][::every]
