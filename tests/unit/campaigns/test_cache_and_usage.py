"""The answer cache and the usage rows on a real database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pausepoint.campaigns.cache import AnswerCache
from pausepoint.campaigns.model import Campaign
from pausepoint.campaigns.store import CampaignStore
from pausepoint.campaigns.usage import Usage, UsageStore
from pausepoint.storage.database import Database

UUID = "0a1b2c3d-0000-4000-8000-000000000001"


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with await Database.open(tmp_path / "pausepoint.sqlite") as database:
        await CampaignStore(database).put(Campaign(uuid=UUID, name="One"))
        yield database


async def test_an_answer_holds_for_its_time(database: Database):
    now = [1000.0]
    cache = AnswerCache(database, 300, lambda: now[0])
    revision = (await cache.get(UUID, "Who?")).revision
    assert await cache.put(UUID, "Who?", {"text": "Adam"}, revision)
    now[0] += 299
    assert (await cache.get(UUID, "  Who?\n")).answer == {"text": "Adam"}
    assert (await cache.get(UUID, "who?")).answer is None
    now[0] += 2
    assert (await cache.get(UUID, "Who?")).answer is None
    assert (await cache.counts(UUID)).hits == 1
    assert (await cache.counts()).misses == 3


async def test_zero_seconds_switch_it_off(database: Database):
    cache = AnswerCache(database, 0)
    revision = (await cache.get(UUID, "Who?")).revision
    assert not await cache.put(UUID, "Who?", {}, revision)
    assert (await cache.get(UUID, "Who?")).answer is None


async def test_an_answer_of_an_older_campaign_is_not_kept(database: Database):
    cache = AnswerCache(database)
    revision = (await cache.get(UUID, "Who?")).revision
    await CampaignStore(database).put(Campaign(uuid=UUID, name="One, renamed"))
    assert not await cache.put(UUID, "Who?", {"text": "old"}, revision)


async def test_it_keeps_the_newest_thousand(database: Database):
    now = [0.0]
    cache = AnswerCache(database, 300_000, lambda: now[0])
    revision = (await cache.get(UUID, "?")).revision
    for number in range(1010):
        now[0] += 1
        await cache.put(UUID, f"question {number}", {"n": number}, revision)
    assert (await cache.get(UUID, "question 9")).answer is None
    assert (await cache.get(UUID, "question 10")).answer == {"n": 10}


async def test_usage_is_summed_by_what_is_asked(database: Database):
    usage = UsageStore(database)
    await usage.record([])
    await usage.record(
        [
            Usage("r1", UUID, "search_notes", "planning", "gpt", 100, 10, 0.01),
            Usage("r1", UUID, "search_notes", "synthesis", "gpt", 200, 50, 0.02),
            Usage("r2", "other", "combined_search", "planning", "llama", 5, 1),
        ]
    )
    (notes, combined) = await usage.sums("action")
    assert (notes.group, notes.calls, notes.input_tokens, notes.output_tokens) == ("search_notes", 2, 300, 60)
    assert notes.cost == pytest.approx(0.03)
    assert combined.group == "combined_search"
    assert [row.group for row in await usage.sums("task", UUID)] == ["synthesis", "planning"]
    assert [row.calls for row in await usage.sums("run_id", UUID)] == [2]
