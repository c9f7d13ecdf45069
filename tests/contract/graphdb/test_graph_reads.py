"""What a read returns, and what stops it."""

import asyncio
import json

import pytest
from graph_place import Place

from pausepoint.graphdb.bolt import BoltGraph
from pausepoint.graphdb.embedded import EmbeddedGraph
from pausepoint.graphdb.errors import TOO_LARGE, QueryError, QueryTimeout
from pausepoint.graphdb.port import GraphEdge, GraphNode

CARTESIAN = "MATCH (a:{0}), (b:{0}), (c:{0}) WHERE a.name + b.name = c.name RETURN count(*) AS total"
NESTED_REDUCE = "RETURN size([x IN range(1, 30000) | reduce(s = 0, y IN range(1, 100000) | s + y)]) AS total"


async def test_nodes_edges_and_paths_are_plain_values(place: Place) -> None:
    await place.graph.write(
        f"CREATE (:{place.label} {{id: 'a', campaignUuid: $c, tags: ['x', 'y']}})-[:ZNA_SIE {{since: 2001}}]->"
        f"(:{place.label} {{id: 'b', campaignUuid: $c}})",
        {"c": place.campaign},
    )
    result = await place.graph.read(
        f"MATCH p = (a:{place.label} {{id: 'a'}})-[r]->(b) RETURN a, r, b, p, {{inner: [a]}} AS nested"
    )
    row = result.rows[0]
    a, r, b = row["a"], row["r"], row["b"]
    assert result.keys == ("a", "r", "b", "p", "nested")
    assert isinstance(a, GraphNode) and a.labels == (place.label,) and a.properties["tags"] == ["x", "y"]
    assert isinstance(r, GraphEdge) and r.type == "ZNA_SIE" and r.properties == {"since": 2001}
    assert (r.start, r.end) == (a.element_id, b.element_id)
    assert row["p"] == [a, r, b]
    assert row["nested"] == {"inner": [a]}


async def test_paths_keep_the_direction_of_their_edges(place: Place) -> None:
    await place.graph.write(
        f"CREATE (:{place.label} {{id: 'a', campaignUuid: $c}})-[:TO]->(:{place.label} {{id: 'b', campaignUuid: $c}})",
        {"c": place.campaign},
    )
    result = await place.graph.read(f"MATCH p = (:{place.label} {{id: 'b'}})<-[]-() RETURN p")
    b, edge, a = result.rows[0]["p"]
    assert (b.properties["id"], a.properties["id"]) == ("b", "a")
    assert (edge.start, edge.end) == (a.element_id, b.element_id)


async def test_times_places_and_odd_numbers_are_json(place: Place) -> None:
    result = await place.graph.read(
        "RETURN datetime('2024-01-02T03:04:05Z') AS at, date('2024-02-29') AS day, duration('P2DT3H') AS long, "
        "localdatetime('2024-01-02T03:04:05') AS local, point({x: 1, y: 2}) AS spot, 0.0 / 0.0 AS nan, "
        "[1, 2.5, true, null, 'żółw'] AS list"
    )
    row = json.loads(json.dumps(result.rows[0]))
    assert row["at"].startswith("2024-01-02T03:04:05") and row["day"] == "2024-02-29"
    assert row["long"] == "P2DT3H" and row["local"].startswith("2024-01-02T03:04:05")
    assert row["spot"] == "POINT (1.0 2.0)" and row["nan"] is None
    assert row["list"] == [1, 2.5, True, None, "żółw"]


@pytest.mark.parametrize("key", ["Zażółć gęślą jaźń", "名前", "🐉", "a'); DROP", 'quote " \\ \n', "x" * 5000])
async def test_ids_of_any_text_are_found_again(place: Place, key: str) -> None:
    row = {"id": key, "campaign": place.campaign}
    await place.graph.write(f"MERGE (n:{place.label} {{id: $id}}) SET n.campaignUuid = $campaign", row)
    result = await place.graph.read(f"MATCH (n:{place.label} {{id: $id}}) RETURN n.id AS id", row)
    assert [r["id"] for r in result.rows] == [key]


async def test_no_rows_is_no_error(place: Place) -> None:
    result = await place.graph.read(f"MATCH (n:{place.label} {{id: 'nobody'}}) RETURN n.id AS id")
    assert result.rows == [] and not result.truncated
    assert result.keys in ((), ("id",))


async def test_rows_are_capped_and_said_to_be(place: Place) -> None:
    await place.add(20)
    query = f"MATCH (n:{place.label}) RETURN n.id AS id"
    exact = await place.graph.read(query, max_rows=20)
    capped = await place.graph.read(query, max_rows=7)
    assert (len(exact.rows), exact.truncated) == (20, False)
    assert (len(capped.rows), capped.truncated) == (7, True)


async def test_what_is_cut_off_is_not_computed(place: Place) -> None:
    await place.add(1500)
    query = f"MATCH (a:{place.label}), (b:{place.label}), (c:{place.label}) RETURN a.id + b.id + c.id AS x"
    result = await place.graph.read(query, max_rows=3, timeout=2)
    assert len(result.rows) == 3 and result.truncated
    assert await place.count() == 1500


async def test_bytes_are_capped(place: Place) -> None:
    result = await place.graph.read(
        "UNWIND range(1, 500) AS i RETURN reduce(s = '0123456789abcdef', j IN range(1, 12) | s + s) AS text",
    )
    assert result.truncated and 0 < len(result.rows) < 500
    assert sum(len(row["text"]) for row in result.rows) <= 8 << 20


async def test_one_huge_row_is_refused(place: Place) -> None:
    query = "RETURN reduce(s = '0123456789abcdef', j IN range(1, 20) | s + s) AS text"
    with pytest.raises(QueryError) as refused:
        await place.graph.read(query)
    assert refused.value.code == TOO_LARGE and refused.value.repairable


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n RETURN n",
        "RETURN nothing",
        "RETURN 1 +",
        "",
        "SELECT 1",
        "RETURN $missing",
        "CALL no.such()",
    ],
)
async def test_what_is_wrong_with_a_query_is_for_its_author(place: Place, query: str) -> None:
    with pytest.raises(QueryError) as refused:
        await place.graph.read(query)
    assert refused.value.message and refused.value.code in str(refused.value)
    if query:
        assert refused.value.repairable


async def test_a_cartesian_explosion_is_stopped(place: Place) -> None:
    await place.add(1500)
    with pytest.raises(QueryTimeout):
        await place.graph.read(CARTESIAN.format(place.label), timeout=1)
    assert await place.count() == 1500


async def test_a_query_that_cannot_be_stopped_harms_nobody_else(place: Place) -> None:
    await place.add(10)
    bad, *good = await asyncio.gather(
        place.graph.read(NESTED_REDUCE, timeout=0.5),
        *(steady_reads(place) for _ in range(4)),
        return_exceptions=True,
    )
    assert isinstance(bad, QueryTimeout)
    assert good == [10] * 4


async def steady_reads(place: Place) -> int:
    """Ask again and again for longer than the bad query is let run."""
    until = asyncio.get_running_loop().time() + 2
    while asyncio.get_running_loop().time() < until:
        total = await place.count()
        assert total == 10
        await asyncio.sleep(0.02)
    return 10


async def test_twenty_reads_at_once(place: Place) -> None:
    await place.add(20)
    query = f"MATCH (n:{place.label} {{id: $id}}) RETURN n.name AS name"
    results = await asyncio.gather(*(place.graph.read(query, {"id": f"n{i}"}) for i in range(1, 21)))
    assert [r.rows[0]["name"] for r in results] == [f"Name {i}" for i in range(1, 21)]


async def test_slow_reads_do_not_hold_up_quick_ones(place: Place) -> None:
    await place.add(1500)
    slow = [asyncio.create_task(place.graph.read(CARTESIAN.format(place.label), timeout=1)) for _ in range(6)]
    assert await place.count() == 1500
    assert not any(task.done() for task in slow)
    ends = await asyncio.gather(*slow, return_exceptions=True)
    assert all(isinstance(end, QueryTimeout) for end in ends)


async def test_both_engines_are_what_they_say(place: Place) -> None:
    assert isinstance(place.graph, EmbeddedGraph if place.engine == "embedded" else BoltGraph)
    await place.graph.ready()
