"""What a contract test gets: a graph, and names in it that no other test uses."""

from dataclasses import dataclass

from pausepoint.graphdb.port import GraphDatabase


@dataclass
class Place:
    """A graph with a label and a campaign that only this test uses."""

    graph: GraphDatabase
    engine: str
    label: str
    campaign: str

    async def add(self, count: int) -> None:
        await self.graph.write(
            f"UNWIND range(1, $count) AS i MERGE (n:{self.label} {{id: 'n' + toString(i)}}) "
            "SET n.name = 'Name ' + toString(i), n.campaignUuid = $campaign",
            {"count": count, "campaign": self.campaign},
        )

    async def count(self) -> int:
        result = await self.graph.read(f"MATCH (n:{self.label}) RETURN count(n) AS total")
        return result.rows[0]["total"]
