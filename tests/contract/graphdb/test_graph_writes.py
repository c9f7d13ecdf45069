"""Writes are whole or not at all, and the reader's login cannot make any."""

import asyncio

import pytest
from graph_place import Place

from pausepoint.graphdb import delete_campaign, ensure_label, identifier
from pausepoint.graphdb.errors import QueryError
from pausepoint.graphdb.schema import InvalidName

HOSTILE = [
    "CREATE (:{0} {{id: 'evil'}})",
    "MERGE (:{0} {{id: 'evil'}})",
    "MATCH (n:{0}) SET n.name = 'evil'",
    "MATCH (n:{0}) SET n += {{name: 'evil'}} RETURN n",
    "MATCH (n:{0}) SET n:Evil",
    "MATCH (n:{0}) REMOVE n.name",
    "MATCH (n:{0}) DELETE n",
    "MATCH (n:{0}) DETACH DELETE n",
    "MATCH (a:{0} {{id: 'n1'}}), (b:{0} {{id: 'n2'}}) CREATE (a)-[:EVIL]->(b)",
    "FOREACH (x IN [1] | CREATE (:{0}))",
    "CALL {{ CREATE (:{0}) RETURN 1 AS one }} RETURN one",
    "MATCH (n:{0}) CALL {{ WITH n SET n.name = 'evil' RETURN 1 AS one }} RETURN one",
    "UNWIND [1, 2] AS x MERGE (n:{0} {{id: 'n1'}}) ON MATCH SET n.name = 'evil' RETURN n",
    "MATCH (n:{0}) WITH n AS m SET m.name = 'evil' RETURN m LIMIT 1",
    "/* MATCH */ CrEaTe (:{0})",
    "MATCH (n:{0}) // comment\nDETACH\u00a0DELETE n",
    "\uff23REATE (:{0})",
    "\\u0043REATE (:{0})",
    "MATCH (n:{0}) \\u0053ET n.name = 'evil'",
    "RETURN 1 AS x UNION CREATE (:{0}) RETURN 1 AS x",
    "RETURN 1; CREATE (:{0})",
    "EXPLAIN RETURN 1; CREATE (:{0})",
    "PROFILE CREATE (:{0})",
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "LOAD CSV FROM 'http://127.0.0.1:1/x' AS line CREATE (:{0})",
    "CREATE INDEX evil IF NOT EXISTS FOR (n:{0}) ON (n.name)",
    "DROP INDEX {0}_id",
    "CREATE CONSTRAINT evil IF NOT EXISTS FOR (n:{0}) REQUIRE n.name IS UNIQUE",
    "CREATE USER evil SET PASSWORD 'evilevil'",
    "ALTER USER reader SET PASSWORD 'evilevil'",
    "DROP DATABASE graph",
    "CALL db.createLabel('Evil')",
    "CALL apoc.cypher.runWrite('CREATE (:{0})', {{}}) YIELD value RETURN value",
    "CALL apoc.create.node(['{0}'], {{}}) YIELD node RETURN node",
    "{{sql}} DELETE FROM {0}",
    "DELETE FROM {0}",
]


@pytest.mark.parametrize("query", HOSTILE)
async def test_the_reader_cannot_write(place: Place, query: str) -> None:
    await place.add(3)
    before = await snapshot(place)
    with pytest.raises(QueryError):
        await place.graph.read(query.format(place.label))
    assert await snapshot(place) == before


async def test_the_reader_cannot_write_behind_a_cut_off_result(place: Place) -> None:
    await place.add(50)
    before = await snapshot(place)
    with pytest.raises(QueryError):
        await place.graph.read(f"MATCH (n:{place.label}) SET n.name = 'evil' RETURN n.name", max_rows=2)
    assert await snapshot(place) == before


async def snapshot(place: Place) -> list[tuple[str, str]]:
    result = await place.graph.read(
        f"MATCH (n:{place.label}) OPTIONAL MATCH (n)-[r]-() "
        "RETURN n.id AS id, n.name AS name, labels(n) AS labels, count(r) AS edges ORDER BY id"
    )
    return [(row["id"], row["name"], row["labels"], row["edges"]) for row in result.rows]


async def test_a_refused_write_says_that_it_is_no_use_to_try_again(place: Place) -> None:
    with pytest.raises(QueryError, match="only read") as refused:
        await place.graph.read(f"CREATE (:{place.label})")
    assert not refused.value.repairable


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://127.0.0.1:1/x"])
async def test_the_writer_cannot_load_files_either(place: Place, url: str) -> None:
    if place.engine != "embedded":
        pytest.skip("a server's own configuration decides")
    with pytest.raises(QueryError):
        await place.graph.write(f"LOAD CSV FROM '{url}' AS line RETURN line")


async def test_a_write_returns_its_rows(place: Place) -> None:
    rows = await place.graph.write(
        f"MERGE (n:{place.label} {{id: $id}}) SET n.campaignUuid = $c RETURN n.id AS id",
        {"id": "żółw", "c": place.campaign},
    )
    assert rows == [{"id": "żółw"}]


async def test_the_time_limit_of_reads_is_not_one_of_writes(place: Place) -> None:
    """It is 2 seconds here, and merging into a node with many relationships takes long."""
    await place.add(2500)
    await place.graph.write(
        f"MATCH (a:{place.label} {{id: 'n1'}}), (b:{place.label}) MERGE (a)-[:KNOWS]->(b)"
    )
    found = await place.graph.read(f"MATCH (:{place.label} {{id: 'n1'}})-[r]->() RETURN count(r) AS total")
    assert found.rows == [{"total": 2500}]


async def test_statements_are_all_kept_or_none(place: Place) -> None:
    make = f"CREATE (:{place.label} {{id: $id, campaignUuid: $c}})"
    with pytest.raises(QueryError):
        await place.graph.write_all(
            [
                (make, {"id": "1", "c": place.campaign}),
                (make, {"id": "2", "c": place.campaign}),
                ("OH NO", {}),
            ]
        )
    assert await place.count() == 0
    await place.graph.write_all([(make, {"id": str(i), "c": place.campaign}) for i in range(3)])
    assert await place.count() == 3


async def test_a_statement_that_fails_half_way_leaves_nothing(place: Place) -> None:
    with pytest.raises(QueryError):
        await place.graph.write(
            f"UNWIND [1, 2, 0] AS x CREATE (:{place.label} {{id: x, campaignUuid: $c, part: 10 / x}})",
            {"c": place.campaign},
        )
    assert await place.count() == 0


async def test_writers_at_once_all_count(place: Place) -> None:
    await place.graph.write(
        f"CREATE (:{place.label} {{id: 'sum', n: 0, campaignUuid: $c}})", {"c": place.campaign}
    )
    more = f"MATCH (x:{place.label} {{id: 'sum'}}) SET x.n = x.n + 1"
    await asyncio.gather(*(place.graph.write(more) for _ in range(20)))
    result = await place.graph.read(f"MATCH (x:{place.label} {{id: 'sum'}}) RETURN x.n AS n")
    assert result.rows == [{"n": 20}]


async def test_a_campaign_is_deleted_whole_and_alone(place: Place) -> None:
    await place.add(2500)
    await place.graph.write(
        f"MATCH (a:{place.label} {{id: 'n1'}}), (b:{place.label}) CREATE (a)-[:KNOWS]->(b)"
    )
    await place.graph.write(f"CREATE (:{place.label} {{id: 'other', campaignUuid: 'another'}})")
    assert await delete_campaign(place.graph, place.campaign, label=place.label) == 2500
    assert await place.count() == 1
    assert await delete_campaign(place.graph, "another") == 1
    assert await delete_campaign(place.graph, "another") == 0


async def test_a_label_is_prepared_as_often_as_you_like(place: Place) -> None:
    for _ in range(2):
        await ensure_label(place.graph, place.label, properties=("id", "name"))
    await place.add(3)
    assert await place.count() == 3


@pytest.mark.parametrize(
    "name", ["Postać", "Żółta Wieża", "a b", "1a", "", "A`) DETACH DELETE (n", "x" * 121, "a\n"]
)
async def test_labels_that_are_no_identifier_are_refused(place: Place, name: str) -> None:
    with pytest.raises(InvalidName):
        await ensure_label(place.graph, name)
    with pytest.raises(InvalidName):
        await delete_campaign(place.graph, place.campaign, label=name)
    with pytest.raises(InvalidName):
        identifier(name)
