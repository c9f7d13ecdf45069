"""Names and keys: deterministic, safe to put into a query, apart from each other."""

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pausepoint.campaigns.ids import (
    artifact_label,
    as_uuid,
    campaign_uuid,
    collection_name,
    graph_label,
    item_id,
    point_id,
    relationship_type,
)

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@pytest.mark.parametrize(
    ("label", "made"),
    [
        ("OWES_MONEY_TO", "OWES_MONEY_TO"),
        ("mieszka w", "MIESZKA_W"),
        ("źle życzy", "ZLE_ZYCZY"),
        ("łączy", "LACZY"),
        ("is `]->() DELETE", "IS_DELETE"),
        ("3rd cousin", "R_3RD_COUSIN"),
        ("Artifact", "ARTIFACT_"),
    ],
)
def test_a_label_becomes_a_relationship_type(label: str, made: str):
    assert relationship_type(label) == made


def test_labels_without_a_latin_letter_stay_apart():
    kinds = {relationship_type(text) for text in ("знает", "любит", "…", "知道")}
    assert len(kinds) == 4


@given(st.text(max_size=200), st.uuids())
def test_every_name_is_an_identifier_and_no_type_is_a_label(text: str, uuid: UUID):
    label = artifact_label(graph_label(text, str(uuid)))
    kind = relationship_type(text)
    assert IDENTIFIER.fullmatch(label)
    assert IDENTIFIER.fullmatch(kind)
    assert kind.casefold() != label.casefold()
    assert label.endswith("_Artifact")


@given(st.text(alphabet=st.characters(), max_size=50))
def test_any_key_gives_one_uuid_for_each_kind_and_campaign(key: str):
    one, two = campaign_uuid("one"), campaign_uuid("two")
    made = {item_id(campaign, kind, key) for campaign in (one, two) for kind in ("note", "artifact")}
    assert all(as_uuid(each) == each for each in made)
    assert len(made) == (1 if as_uuid(key) else 4)


def test_a_uuid_is_kept_in_its_canonical_form():
    text = "6F1D0C52-8A3E-4B7F-9C45-2E9B71D4A8E3"
    assert item_id(campaign_uuid("x"), "note", text) == text.lower()
    assert collection_name(text.lower()) == "campaign_6f1d0c528a3e4b7f9c452e9b71d4a8e3"


def test_points_of_different_kinds_never_meet():
    key = campaign_uuid("x")
    assert (
        len(
            {
                point_id("note", key),
                point_id("note", key, 1),
                point_id("artifact", key),
                point_id("relation", key),
            }
        )
        == 4
    )
