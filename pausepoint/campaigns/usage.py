"""What model calls cost: one row a call, summed per question, campaign, action or model."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from pausepoint.storage.database import Database

Grouping = Literal["run_id", "campaign_uuid", "action", "task", "model"]
_COLUMNS: dict[Grouping, str] = {
    "run_id": "run_id",
    "campaign_uuid": "campaign_uuid",
    "action": "action",
    "task": "task",
    "model": "model",
}


def _now() -> str:
    return datetime.now(UTC).isoformat()


@dataclass(frozen=True, slots=True)
class Usage:
    """One model call; `cost` in US dollars, `task` the step it served (planning, synthesis…)."""

    run_id: str
    campaign_uuid: str
    action: str
    task: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    at: str = field(default_factory=_now)


@dataclass(frozen=True, slots=True)
class UsageSum:
    """The calls of one group added up."""

    group: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float


class UsageStore:
    """The `model_usage` table."""

    def __init__(self, database: Database) -> None:
        """Use an open database."""
        self._database = database

    async def record(self, rows: Sequence[Usage]) -> None:
        """Keep the calls of a run."""
        values = [
            (
                u.run_id,
                u.campaign_uuid,
                u.action,
                u.task,
                u.model,
                u.input_tokens,
                u.output_tokens,
                u.cost,
                u.at,
            )
            for u in rows
        ]

        def work(conn: sqlite3.Connection) -> None:
            conn.executemany("INSERT INTO model_usage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)

        if values:
            await self._database.write(work, durable=False)

    async def sums(self, by: Grouping = "action", campaign: str | None = None) -> list[UsageSum]:
        """Sums per group, dearest first; of one campaign or of all."""
        column = _COLUMNS[by]

        def work(conn: sqlite3.Connection) -> list[UsageSum]:
            rows = conn.execute(
                f"SELECT {column}, count(*), sum(input_tokens), sum(output_tokens), sum(cost)"  # noqa: S608
                " FROM model_usage WHERE ?1 IS NULL OR campaign_uuid = ?1"
                " GROUP BY 1 ORDER BY 5 DESC, 1",
                (campaign,),
            )
            return [UsageSum(*row) for row in rows]

        return await self._database.read(work)
