"""Guarded queries run: the same answer as the original where there is one tenant, and the same with others beside it."""

import pytest
from cypher_answers import PARAMS, SLOW, answer, comparable, guarded
from cypher_corpus import queries
from cypher_hostile import HOSTILE, PLAIN
from cypher_worlds import OWN, SMALL, add_strangers, fill, tck_data

MANY = 2900


async def differences(graph, names: list[str], data: list[str], *, originals: bool) -> list[str]:
    """Run queries on one tenant's graph, then again with strangers; return those whose answers differ."""
    await fill(graph, OWN, SMALL, *data)
    found, first = [], {}
    for query in names:
        text = comparable(query)
        allowed = guarded(text) if text is not None else None
        if text is None or allowed is None:
            continue
        first[query] = await answer(graph, *allowed)
        original = await answer(graph, text, PARAMS) if originals else first[query]
        if len(first[query].rows) > MANY:
            del first[query]
        elif original != first[query] and SLOW not in (original, first[query]):
            found.append(f"not the original's answer: {query} ran as {allowed[0]}: {original} {first[query]}")
    assert first
    await add_strangers(graph, *data)
    for query, before in first.items():
        if before == SLOW:
            continue
        after = await answer(graph, *guarded(comparable(query)))
        if after not in (before, SLOW):
            found.append(f"strangers are seen by {query}: {before} {after}")
    return found


async def test_plain_queries_answer_as_before_and_see_no_strangers(graph):
    assert await differences(graph, PLAIN, [], originals=True) == []


async def test_shortest_paths_are_those_of_the_tenant(graph):
    await fill(graph, OWN, SMALL)
    await add_strangers(graph)
    for kind, paths in (("shortestPath", 1), ("allShortestPaths", 2)):
        text = f"MATCH p = {kind}((a {{name: 'axe'}})-[*..4]->(d {{name: 'dye'}})) RETURN [n IN nodes(p) | n.name] AS names"
        found = await graph.read(*guarded(text))
        assert [row["names"] for row in found.rows] == [["axe", "cup", "dye"]] * paths


async def test_hostile_queries_see_no_strangers(graph):
    assert await differences(graph, HOSTILE, [], originals=False) == []


async def test_attacks_see_no_strangers(graph):
    names = [query for query in queries("attacks") + queries("harmless_tricky") if guarded(query)]
    assert await differences(graph, names, [], originals=False) == []


async def test_a_sample_of_tck_reads(graph):
    names = [query for query in queries("tck_read") if "MATCH" in query][::6]
    assert await differences(graph, names, tck_data(every=6), originals=True) == []


@pytest.mark.soak
@pytest.mark.timeout(1800)
async def test_all_tck_reads(graph):
    assert await differences(graph, queries("tck_read"), tck_data(), originals=True) == []
