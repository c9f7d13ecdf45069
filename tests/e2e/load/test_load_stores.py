"""A folder loaded into the real stores: what is there afterwards, and what a second, changed or pruned load does."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from folders import ARTIFACTS, CAMPAIGN, RELATIONS, put, write_campaign
from stores import HashEmbedder, everything, load, opened

from pausepoint.campaigns.folder import read_folder
from pausepoint.campaigns.model import Relation
from pausepoint.campaigns.render import MissingArtifact
from pausepoint.campaigns.store import UnknownCampaign
from pausepoint.storage.folder import DataFolderHeld


async def test_everything_of_a_folder_is_in_the_three_stores(tmp_path: Path):
    folder = write_campaign(tmp_path / "campaign")
    async with opened(tmp_path / "data") as services:
        report = await load(services, folder)
        assert {kind: counts.added for kind, counts in report.kinds.items()} == {
            "note": 2,
            "artifact": 3,
            "relation": 2,
        }
        row = await services.campaigns.find("próba SOLI")
        assert row.graph_label == "Proba_soli_0a1b2c3d"
        held = (await everything(services))[row.uuid]
        source = read_folder(folder)
        assert sorted(held["notes"], key=lambda n: n.id) == sorted(source.notes, key=lambda n: n.id)
        types = [payload["type"] for payload in held["points"].values()]
        assert sorted(types) == ["artifact"] * 3 + ["note"] * 2 + ["relation"] * 2
        assert len(held["nodes"]) == 3
        found = await services.graph.read(
            "MATCH (a:Proba_soli_0a1b2c3d_Artifact {name: 'Adam Flisak'})-[r:JEST_BRATEM]->(b)"
            " RETURN b.name AS name, r.label AS label, r.reasoning AS why, size(a.note_ids) AS notes, a.createdAt AS at"
        )
        assert found.rows[0]["name"] == "Hanna"
        assert found.rows[0]["label"] == "jest bratem"
        assert found.rows[0]["why"] == "Mówi o niej siostra."
        assert found.rows[0]["notes"] == 2
        assert found.rows[0]["at"].startswith("2024-01-05T00:00")


async def test_loading_twice_changes_and_embeds_nothing(tmp_path: Path):
    folder = write_campaign(tmp_path / "campaign")
    async with opened(tmp_path / "data") as services:
        await load(services, folder)
        before, row = await everything(services), (await services.campaigns.all())[0]
    embedder = HashEmbedder()
    async with opened(tmp_path / "data", embedder) as services:
        report = await load(services, folder)
        assert (report.changes, embedder.texts) == (0, 0)
        assert [counts.unchanged for counts in report.kinds.values()] == [2, 3, 2]
        assert await everything(services) == before
        assert (await services.campaigns.all())[0] == row


async def test_only_what_changed_is_written_and_stale_passages_go(tmp_path: Path):
    long = "Zdanie o soli i o rzece. " * 60
    folder = put(write_campaign(tmp_path / "campaign"), "notes/03.md", f"# Długa\n\n{long}").parents[1]
    embedder = HashEmbedder()
    async with opened(tmp_path / "data", embedder) as services:
        await load(services, folder)
        embedder.texts = 0
        put(folder, "notes/03.md", "# Długa\n\nKrótka.")
        report = await load(services, folder)
        assert (report.kinds["note"].changed, report.changes, embedder.texts) == (1, 1, 1)
        held = next(iter((await everything(services)).values()))
        assert sum(payload.get("title") == "Długa" for payload in held["points"].values()) == 1


async def test_a_renamed_artifact_is_renamed_in_its_relations(tmp_path: Path):
    folder = write_campaign(tmp_path / "campaign")
    async with opened(tmp_path / "data") as services:
        await load(services, folder)
        write_campaign(folder, artifacts=ARTIFACTS.replace("name: Adam Flisak", "name: Adam Solny"))
        report = await load(services, folder)
        assert report.kinds["artifact"].changed == 1
        held = next(iter((await everything(services)).values()))
        sources = {p["source"] for p in held["points"].values() if p["type"] == "relation"}
        assert sources == {"Adam Solny", "Hanna"}


async def test_a_relation_that_turns_or_changes_its_label_stays_one(tmp_path: Path):
    first = RELATIONS + "- {id: r, source: adam, target: Hanna, label: zna}\n"
    folder = write_campaign(tmp_path / "campaign", relations=first)
    async with opened(tmp_path / "data") as services:
        await load(services, folder)
        write_campaign(
            folder,
            relations=first.replace(
                "source: adam, target: Hanna, label: zna", "source: Hanna, target: adam, label: LUBI"
            ),
        )
        assert (await load(services, folder)).kinds["relation"].changed == 1
        held = next(iter((await everything(services)).values()))
        assert sorted(edge["type"] for edge in held["edges"]) == ["JEST_BRATEM", "LUBI", "PRACUJE_W"]


async def test_what_is_gone_is_named_and_pruned_only_from_a_sound_folder(tmp_path: Path):
    folder = write_campaign(tmp_path / "campaign")
    async with opened(tmp_path / "data") as services:
        await load(services, folder)
        (folder / "notes" / "02-druga.md").unlink()
        smaller = ARTIFACTS[: ARTIFACTS.index("- name: Tawerna")]
        write_campaign(folder, artifacts=smaller, relations=RELATIONS[: RELATIONS.index("- from")])
        (folder / "notes" / "02-druga.md").unlink()
        report = await load(services, folder)
        assert report.kinds["note"].gone == ["Druga sesja"]
        assert report.kinds["relation"].gone == ["PRACUJE_W"]
        put(folder, "artifacts/broken.yaml", "- name: [")
        assert "nothing was removed" in str((await load(services, folder, prune=True)).prune_skipped)
        (folder / "artifacts" / "broken.yaml").unlink()
        report = await load(services, folder, prune=True)
        assert [counts.removed for counts in report.kinds.values()] == [1, 1, 1]
        pruned = await everything(services)
    async with opened(tmp_path / "fresh") as services:
        await load(services, folder)
        assert await everything(services) == pruned


async def test_lost_stores_are_made_anew(tmp_path: Path):
    folder = write_campaign(tmp_path / "campaign")
    async with opened(tmp_path / "data") as services:
        await load(services, folder)
        before = await everything(services)
        row = (await services.campaigns.all())[0]
        await services.vectors.drop(row.collection)
        await services.graph.write(f"MATCH (a:{row.graph_label}_Artifact {{name: 'Hanna'}}) DETACH DELETE a")
        report = await load(services, folder)
        assert report.changes == 0
        assert await everything(services) == before


async def test_another_embedding_model_replaces_every_vector(tmp_path: Path):
    folder = write_campaign(tmp_path / "campaign")
    async with opened(tmp_path / "data") as services:
        await load(services, folder)
        before = await everything(services)
    other = HashEmbedder("other", 16)
    async with opened(tmp_path / "data", other) as services:
        await load(services, folder)
        assert other.texts == 7
        assert await everything(services) == before
        assert (await services.campaigns.all())[0].embedding == "other:16"


async def test_a_server_mends_what_a_crash_or_another_model_left(tmp_path: Path):
    folder = write_campaign(tmp_path / "campaign")
    async with opened(tmp_path / "data") as services:
        uuid = (await load(services, folder)).campaign.uuid
        before = await everything(services)
        assert await services.ingest.heal() == []
        await services.campaigns.begin_change(uuid)
        collection = (await services.campaigns.find(uuid)).collection
        await services.vectors.delete(collection, list(before[uuid]["points"])[:3])
        assert await services.ingest.heal() == [uuid]
        assert await everything(services) == before
    async with opened(tmp_path / "data", HashEmbedder("other", 16)) as services:
        assert await services.ingest.heal() == [uuid]
        assert await everything(services) == before


async def test_answers_are_forgotten_when_the_campaign_changes(tmp_path: Path):
    folder = write_campaign(tmp_path / "campaign")
    async with opened(tmp_path / "data") as services:
        uuid = (await load(services, folder)).campaign.uuid
        missed = await services.cache.get(uuid, "Kto?")
        assert await services.cache.put(uuid, "Kto?", {"text": "Adam"}, missed.revision)
        assert (await services.cache.get(uuid, " Kto? ")).answer == {"text": "Adam"}
        put(folder, "notes/03.md", "Nowa notatka.")
        await load(services, folder)
        again = await services.cache.get(uuid, "Kto?")
        assert again.answer is None
        assert not await services.cache.put(uuid, "Kto?", {"text": "old"}, missed.revision)
        counts = await services.cache.counts(uuid)
        assert (counts.hits, counts.misses, round(counts.rate, 2)) == (1, 2, 0.33)


async def test_campaigns_of_one_name_stay_apart_and_one_can_be_dropped(tmp_path: Path):
    one = write_campaign(tmp_path / "one")
    two = write_campaign(tmp_path / "two", campaign=CAMPAIGN.replace("000000000001", "000000000002"))
    async with opened(tmp_path / "data") as services:
        await load(services, one)
        alone = await everything(services)
        uuid = (await load(services, two)).campaign.uuid
        assert {len(held["nodes"]) for held in (await everything(services)).values()} == {3}
        with pytest.raises(UnknownCampaign, match="2 campaigns are named"):
            await services.campaigns.find("Próba soli")
        await services.ingest.drop(uuid)
        assert await everything(services) == alone


async def test_a_relation_to_a_missing_artifact_writes_nothing(tmp_path: Path):
    async with opened(tmp_path / "data") as services:
        source = read_folder(write_campaign(tmp_path / "campaign"))
        await load(services, tmp_path / "campaign")
        before = await everything(services)
        good = source.relations[0].model_copy(update={"id": "1" * 8, "label": "zna"})
        bad = Relation(id="x", source=source.artifacts[0].id, target="nobody", label="zna")
        with pytest.raises(MissingArtifact, match="relation 1: target"):
            await services.ingest.upsert(source.campaign.uuid, [good, bad])
        assert await everything(services) == before


async def test_a_second_process_is_told_who_holds_the_folder(tmp_path: Path):
    import asyncio
    import sys

    async with opened(tmp_path / "data"):
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "pausepoint", "load", "campaign", str(write_campaign(tmp_path / "c")),
            env={**__import__("os").environ, "PAUSEPOINT_DATA": str(tmp_path / "data")},
            stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await child.communicate()
    assert child.returncode == 1
    assert out == b""
    assert err.startswith(b"error: The data folder")
    assert b"is in use by process" in err
    assert err.count(b"\n") == 1
    assert DataFolderHeld.__name__.encode() not in err


async def test_a_full_disk_is_said_and_the_next_load_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from pausepoint.errors import PausepointError

    folder = write_campaign(tmp_path / "campaign")
    async with opened(tmp_path / "data") as services:
        upsert, left = services.vectors.upsert, [1]

        async def full(*args: Any) -> None:
            left[0] -= 1
            free = (
                shutil.disk_usage(tmp_path)._replace(free=0) if left[0] < 0 else shutil.disk_usage(tmp_path)
            )
            with monkeypatch.context() as patch:
                patch.setattr("pausepoint.vectors.embedded.shutil.disk_usage", lambda _: free)
                await upsert(*args)

        with monkeypatch.context() as patch:
            patch.setattr(services.vectors, "upsert", full)
            with pytest.raises(PausepointError, match="free"):
                await load(services, folder)
        uuid = (await services.campaigns.all())[0].uuid
        counts = await services.campaigns.counts(uuid)
        assert (counts.notes, counts.artifacts) == (2, 0)
        await load(services, folder)
        held = await everything(services)
    async with opened(tmp_path / "fresh") as services:
        await load(services, folder)
        assert await everything(services) == held
