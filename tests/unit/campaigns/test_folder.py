"""Reading a campaign folder: what people write is understood, what is broken is named, the rest is kept."""

import os
from pathlib import Path
from uuid import UUID

import pytest
from folders import ARTIFACTS, CAMPAIGN, RELATIONS, put, write_campaign

from pausepoint.campaigns.files import CampaignFolderError
from pausepoint.campaigns.folder import ParsedFolder, folder_digest, read_folder


def errors(source: ParsedFolder) -> list[str]:
    return [str(problem) for problem in source.errors]


def warnings(source: ParsedFolder) -> list[str]:
    return [str(problem) for problem in source.problems if problem.severity == "warning"]


def test_a_sound_folder_is_read_without_a_problem(tmp_path: Path):
    source = read_folder(write_campaign(tmp_path))
    assert source.problems == []
    assert source.campaign.name == "Próba soli"
    assert {note.title for note in source.notes} == {"Pierwsza sesja", "Druga sesja"}
    adam, hanna, inn = source.artifacts
    assert [len(a.note_ids) for a in (adam, hanna, inn)] == [2, 1, 0]
    brother, works = source.relations
    assert (brother.source, brother.target, works.source, works.target) == (
        adam.id,
        hanna.id,
        hanna.id,
        inn.id,
    )
    everything = [*source.notes, *source.artifacts, *source.relations]
    assert all(UUID(item.id) for item in everything)


def test_the_same_folder_gives_the_same_ids_elsewhere(tmp_path: Path):
    one, two = (read_folder(write_campaign(tmp_path / name)) for name in "ab")
    assert (one.notes, one.artifacts, one.relations) == (two.notes, two.artifacts, two.relations)
    assert one.digest == two.digest == folder_digest(tmp_path / "a")


def test_any_changed_byte_changes_the_digest(tmp_path: Path):
    before = read_folder(write_campaign(tmp_path)).digest
    put(tmp_path, "notes/01-pierwsza.md", "Adam spotyka Ewę.")
    assert folder_digest(tmp_path) != before


def test_other_peoples_spellings_are_understood(tmp_path: Path):
    put(tmp_path, "campaign.yml", "\ufefftitle: Mine\r\nlang: English\r\n")
    put(
        tmp_path,
        "notes/deep/down/a.markdown",
        "\ufeff---\r\nuuid: a\r\nname: The A\r\ndate: 2024-02-03 10:00\r\n---\r\ntext",
    )
    put(
        tmp_path,
        "artifacts/people.yml",
        "artifacts:\n  - {title: No, category: character, noteIds: The A, alias: 1999}\n",
    )
    put(tmp_path, "artifacts/places.yaml", "name: Inn\nkind: Locations\nnote-ids: [a]\n")
    put(
        tmp_path,
        "relations/x.yaml",
        "items:\n- {from: 'no', to: inn, relation: lives in, why: said so, Note_Ids: [deep/down/a]}\n",
    )
    source = read_folder(tmp_path)
    assert errors(source) == []
    assert (source.campaign.name, source.campaign.language) == ("Mine", "en")
    (note,) = source.notes
    assert (note.title, note.created_at.isoformat()) == ("The A", "2024-02-03T10:00:00+00:00")
    person, place = source.artifacts
    assert (person.name, person.type, person.aliases, person.note_ids) == (
        "No",
        "characters",
        ("1999",),
        (note.id,),
    )
    assert (place.type, place.note_ids) == ("locations", (note.id,))
    (relation,) = source.relations
    assert (relation.source, relation.target, relation.reasoning) == (person.id, place.id, "said so")


def test_a_title_comes_from_the_heading_or_the_file_name(tmp_path: Path):
    write_campaign(tmp_path)
    put(tmp_path, "notes/kronika.md", "Bez nagłówka.")
    titles = [note.title for note in read_folder(tmp_path).notes]
    assert titles == ["Pierwsza sesja", "Druga sesja", "kronika"]


def test_a_note_may_begin_with_a_horizontal_rule(tmp_path: Path):
    put(write_campaign(tmp_path), "notes/03.md", "---\n\nOnce upon a time.\n\n---\n\nThe end.")
    source = read_folder(tmp_path)
    assert source.problems == []
    assert "The end." in source.notes[2].content


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("---\ntitle: [a\n---\ntext", "notes/x.md:3: front matter: no valid YAML"),
        ("---\ntitle: a\ntext without an end", "notes/x.md:1: the front matter is not closed"),
        ("---\ntitle: a\n---\n  \n", "notes/x.md:4: the note is empty"),
        ("", "notes/x.md:1: the note is empty"),
        ("ok\nb\xff".encode("latin-1"), "notes/x.md:2: byte 0xff is no valid UTF-8"),
        ("---\n? [a]\n: b\n---\ntext", "notes/x.md:2: front matter: a key must be plain text"),
        ("---\na: &x [*x]\n---\ntext", "notes/x.md:2: front matter: the alias *x refers to itself"),
        ("---\ntitle: {a: b}\n---\ntext", "notes/x.md:2: 'title' must be text, not a mapping"),
        (
            "---\nid: pierwsza\n---\ntext",
            "notes/x.md:2: the note id 'pierwsza' is already used in notes/01-pierwsza.md",
        ),
        (b"a" * 1_000_001, "notes/x.md: has 1,000,001 bytes"),
    ],
)
def test_a_broken_note_costs_only_itself(tmp_path: Path, broken: str | bytes, said: str):
    put(write_campaign(tmp_path), "notes/x.md", broken)
    source = read_folder(tmp_path)
    assert len(source.notes) == 2
    assert len(source.artifacts) == 3
    assert len(errors(source)) == 1
    assert [said in error for error in errors(source)] == [True]


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ("- type: characters\n", "artifacts.yaml:14: 'name' is missing"),
        ("- name: [a, b]\n", "artifacts.yaml:14: 'name' must be text"),
        ("- just text\n", "artifacts.yaml:14: each of the artifacts must be a mapping"),
        (
            "- {id: adam, name: Adam II, type: characters}\n",
            "artifacts.yaml:14: the artifact id 'adam' is already used at artifacts.yaml:1",
        ),
        (
            "- {name: Hanna, type: characters}\n",
            "artifacts.yaml:14: the artifact 'Hanna' already stands at artifacts.yaml:7",
        ),
        ("- {name: Ewa, description: 'open\n", "artifacts.yaml:14: no valid YAML"),
        ("- name: Ewa\n  ? {a: b}\n  : c\n", "artifacts.yaml:15: a key must be plain text"),
        ("- name: Ewa\n\ttype: x\n", "artifacts.yaml:15: no valid YAML"),
        ("- name: Ewa\n  description: *nope\n", "artifacts.yaml:15: the alias *nope is not defined"),
        ("- " + "[" * 500 + "\n", "artifacts.yaml:14: nested deeper than"),
    ],
)
def test_a_broken_artifact_costs_only_itself(tmp_path: Path, extra: str, said: str):
    source = read_folder(write_campaign(tmp_path, artifacts=ARTIFACTS + extra))
    assert [artifact.name for artifact in source.artifacts] == [
        "Adam Flisak",
        "Hanna",
        "Tawerna pod Węgorzem",
    ]
    assert len(source.relations) == 2
    assert [said in error for error in errors(source)] == [True]


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (
            "- {source: Ewa, target: Hanna, label: zna}\n",
            "relations.yaml:10: source: there is no artifact 'Ewa'",
        ),
        ("- {source: Hanna, label: zna}\n", "relations.yaml:10: 'target' is missing or empty"),
        ("- {source: Hanna, target: adam}\n", "relations.yaml:10: 'label' is missing or empty"),
        (
            "- {from: Hanna, to: Tawerna pod Węgorzem, label: PRACUJE_W}\n",
            "relations.yaml:10: the same relation already stands at relations.yaml:7",
        ),
    ],
)
def test_a_broken_relation_costs_only_itself(tmp_path: Path, extra: str, said: str):
    source = read_folder(write_campaign(tmp_path, relations=RELATIONS + extra))
    assert len(source.relations) == 2
    assert [e.startswith(said) for e in errors(source)] == [True]


def test_a_name_that_two_bear_needs_an_id_and_an_exact_name_beats_an_alias(tmp_path: Path):
    names = ["id: a1, name: Adam", "id: a2, name: Adam", "name: Ewa, aliases: [Flisak]", "name: Flisak"]
    artifacts = "".join(f"- {{{name}, type: characters}}\n" for name in names)
    relations = "- {source: Adam, target: Ewa, label: zna}\n- {source: a1, target: Flisak, label: zna}\n"
    source = read_folder(write_campaign(tmp_path, artifacts=artifacts, relations=relations))
    assert "relations.yaml:1: source: 'Adam' names 2 items" in errors(source)[0]
    (relation,) = source.relations
    assert relation.target == source.artifacts[3].id


def test_two_of_one_name_and_different_types_need_an_id_in_relations_too(tmp_path: Path):
    write_campaign(tmp_path)
    put(tmp_path, "artifacts/more.yaml", "- {name: Wir, type: characters}\n- {name: Wir, type: locations}\n")
    put(tmp_path, "relations/more.yaml", "- {source: adam, label: ZNA, target: Wir}\n")
    source = read_folder(tmp_path)
    assert [a.type for a in source.artifacts if a.name == "Wir"] == ["characters", "locations"]
    (said,) = errors(source)
    assert said.startswith("relations/more.yaml:1: target: 'Wir' names 2 items")
    wir = next(a.id for a in source.artifacts if a.type == "locations" and a.name == "Wir")
    put(tmp_path, "relations/more.yaml", f"- {{source: adam, label: ZNA, target: {wir}}}\n")
    assert errors(read_folder(tmp_path)) == []


@pytest.mark.parametrize("form", ["02-druga", "02-druga.md", "notes/02-druga.md", "Druga sesja"])
def test_a_note_is_found_by_its_title_or_file_name(tmp_path: Path, form: str):
    write_campaign(tmp_path)
    put(tmp_path, "artifacts/more.yaml", f"- {{name: Wir, type: locations, notes: [{form}]}}\n")
    source = read_folder(tmp_path)
    assert source.problems == []
    assert [len(a.note_ids) for a in source.artifacts if a.name == "Wir"] == [1]


def test_one_pair_may_bear_a_label_twice_when_it_is_told_differently(tmp_path: Path):
    twice = RELATIONS + "- {source: adam, target: Hanna, label: jest bratem, description: przyrodnim}\n"
    source = read_folder(write_campaign(tmp_path, relations=twice))
    assert source.problems == []
    assert len({relation.id for relation in source.relations}) == 3


def test_what_can_be_read_anyway_is_a_warning(tmp_path: Path):
    artifacts = (
        "- name: Smok\n  type: beasts\n  notes: [nie ma]\n  colour: red\n  name: Smok Wawelski\n- name: Nic\n"
    )
    write_campaign(
        tmp_path, artifacts=artifacts, relations=None, campaign=CAMPAIGN.replace("0a1b2c3d-", "moja-")
    )
    put(tmp_path, "notes/x.md", "---\ncreated: yesterday\n---\nA\0B")
    source = read_folder(tmp_path)
    assert errors(source) == []
    assert [(a.name, a.type) for a in source.artifacts] == [("Smok Wawelski", "beasts"), ("Nic", "other")]
    assert source.notes[2].content == "AB"
    said = "\n".join(warnings(source))
    for part in (
        "is no UUID",
        "no note 'nie ma'",
        "'beasts' is none of",
        "unknown key 'colour'",
        "'name' stands twice",
        "has no type",
        "'yesterday' is no date",
        "NUL",
    ):
        assert part in said


def test_an_alias_bomb_ends_as_a_problem_at_once(tmp_path: Path):
    levels = "\n".join(f"  l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, 12))
    put(write_campaign(tmp_path), "artifacts/bomb.yaml", f"x:\n  l0: &l0 [a, a]\n{levels}\n")
    source = read_folder(tmp_path)
    assert "aliases expand to more than the file could hold" in errors(source)[0]
    assert len(source.artifacts) == 3


def test_nothing_outside_the_folder_is_read(tmp_path: Path):
    root = write_campaign(tmp_path / "campaign")
    secret = put(tmp_path, "secret.md", "secret")
    put(tmp_path, "elsewhere/note.md", "secret")
    os.symlink(secret, root / "notes" / "linked.md")
    os.symlink(tmp_path / "elsewhere", root / "notes" / "folder")
    os.symlink(root / "notes" / "loop.md", root / "notes" / "loop.md")
    os.mkfifo(root / "notes" / "pipe.md")
    source = read_folder(root)
    assert not any("secret" in note.content for note in source.notes)
    said = "\n".join([*errors(source), *warnings(source)])
    assert "notes/linked.md: leads out of the campaign folder" in said
    assert "notes/folder: a symbolic link to a folder is not followed" in said
    assert "notes/pipe.md: is no regular file" in said
    assert "notes/loop.md" in said
    assert len(source.notes) == 2


def test_a_file_name_that_is_no_text_does_not_stop_the_rest(tmp_path: Path):
    root = write_campaign(tmp_path)
    (root / "notes" / os.fsdecode(b"bad\xff.md")).write_text("x")
    source = read_folder(root)
    assert len(source.notes) == 3
    str(source.notes).encode()


@pytest.mark.parametrize(
    ("campaign", "said"),
    [
        ("name: [", "campaign.yaml:2: no valid YAML"),
        ("description: no name", "campaign.yaml:1: 'name' is missing"),
        ("- a list", "campaign.yaml:1: a mapping"),
        ("name: a\n---\nname: b", "campaign.yaml:2: a second document begins"),
        ("", "campaign.yaml:1: a mapping"),
        ("name: " + "x" * 201, "campaign.yaml:1: 'name' has 201 characters"),
    ],
)
def test_a_broken_campaign_file_is_an_error_that_says_where(tmp_path: Path, campaign: str, said: str):
    with pytest.raises(CampaignFolderError, match=said.replace("[", r"\[")):
        read_folder(write_campaign(tmp_path, campaign=campaign))


def test_a_folder_that_is_no_campaign_is_refused(tmp_path: Path):
    with pytest.raises(CampaignFolderError, match="no campaign folder"):
        read_folder(tmp_path)
    with pytest.raises(CampaignFolderError, match="there is no campaign folder"):
        read_folder(tmp_path / "missing")


def test_notes_alone_make_a_campaign_named_after_its_folder(tmp_path: Path):
    put(tmp_path / "kronika", "notes/a.md", "text")
    source = read_folder(tmp_path / "kronika")
    assert source.campaign.name == "kronika"
    assert [c.id for c in source.campaign.categories] == ["characters", "locations", "items", "events"]


def test_the_samples_are_read_without_a_problem():
    folders = sorted(path.parent for path in Path("samples").glob("*/campaign.yaml"))
    assert len(folders) == 2
    assert [read_folder(folder).problems for folder in folders] == [[], []]
