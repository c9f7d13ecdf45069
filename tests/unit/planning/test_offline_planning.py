"""Offline planning on questions about a small made-up campaign, Polish and English."""

import pytest

from pausepoint.campaigns.lexicon import Lexicon, Named
from prompts.offline.planning import decide

NAMES = [
    Named("1", "Adam Brzoza", "characters", ("Adam",)),
    Named("2", "Ewa Sarna", "characters", ("Sarenka",)),
    Named("3", "Marta Wilk", "characters", ()),
    Named("4", "Marta Kowal", "characters", ()),
    Named("5", "Karczma Pod Dębem", "locations", ("Pod Dębem",)),
    Named("6", "Gildia Szeptów", "characters", ("szeptacze",)),
    Named("7", "Srebrny Klucz", "items", ()),
    Named("8", "Bitwa o Most", "events", ()),
    Named("9", "Captain Orla Finch", "characters", ("Orla",)),
    Named("10", "Gullhaven", "locations", ("Old Port",)),
    Named("11", "The Brass Lantern", "items", ()),
]
LEXICON = Lexicon.of(NAMES)
NOTES, ARTIFACTS, RELATIONS, COMBINED = (
    "search_notes",
    "search_artifacts_then_graph",
    "search_relations_then_graph",
    "combined_search",
)
CLARIFY, OUTSIDE = "clarification_needed", "out_of_scope"

CASES = [
    ("Jakie są relacje Adama?", {ARTIFACTS}),
    ("Kim jest Ewa Sarna?", {ARTIFACTS}),
    ("kim jest sarenka", {ARTIFACTS}),
    ("Opowiedz mi o Karczmie Pod Dębem", {ARTIFACTS}),
    ("Gdzie mieszka Ewa?", {ARTIFACTS, RELATIONS}),
    ("Co to jest Srebrny Klucz?", {ARTIFACTS}),
    ("Kto posiada srebrny klucz?", {ARTIFACTS, RELATIONS}),
    ("Co łączy Adama i Ewę?", {RELATIONS}),
    ("Czy Adam zna Ewę?", {RELATIONS}),
    ("Jaki jest stosunek Ewy do Gildii Szeptów?", {RELATIONS}),
    ("Kto walczył z Adamem?", {RELATIONS}),
    ("Kto jest wrogiem Gildii Szeptów?", {RELATIONS, ARTIFACTS}),
    ("Kto zdradził gildię?", {RELATIONS, NOTES}),
    ("Co się stało podczas bitwy o most?", {NOTES}),
    ("Dlaczego Adam opuścił karczmę?", {NOTES}),
    ("Jak doszło do pożaru?", {NOTES}),
    ("Kiedy Ewa znalazła klucz?", {NOTES}),
    ("Co wydarzyło się na ostatniej sesji?", {NOTES}),
    ("Porównaj Adama i Ewę", {COMBINED}),
    ("Podsumuj konflikt Adama z Gildią Szeptów i jego skutki", {COMBINED}),
    ("Opowiedz wszystko o sporze między Adamem a Gildią Szeptów i o jego konsekwencjach", {COMBINED}),
    ("Co z nim?", {CLARIFY}),
    ("Opowiedz coś", {CLARIFY}),
    ("Jakie są relacje?", {CLARIFY}),
    ("Kim jest Marta?", {CLARIFY}),
    ("A ona?", {CLARIFY}),
    ("Gdzie to jest?", {CLARIFY}),
    ("Jaka będzie jutro pogoda w Warszawie?", {OUTSIDE}),
    ("Napisz mi wiersz o wiośnie", {OUTSIDE}),
    ("Ile kości rzuca się na atak mieczem?", {OUTSIDE}),
    ("Jak ugotować rosół?", {OUTSIDE}),
    ("Kto jest prezydentem Francji?", {OUTSIDE}),
    ("Napisz w Pythonie funkcję sortującą", {OUTSIDE}),
    ("Jakie są zasady inicjatywy w walce?", {OUTSIDE}),
    ("Who is Captain Finch?", {ARTIFACTS}),
    ("What do we know about Gullhaven?", {ARTIFACTS}),
    ("Who lives in Gullhaven?", {ARTIFACTS, RELATIONS}),
    ("tell me about the brass lantern", {ARTIFACTS}),
    ("How are Orla and Adam connected?", {RELATIONS}),
    ("What is the relationship between Orla Finch and the Whisper Guild in Gullhaven?", {RELATIONS}),
    ("Who fought Orla?", {RELATIONS}),
    ("Does Orla know Ewa?", {RELATIONS}),
    ("What happened at Gullhaven?", {NOTES}),
    ("Why did Orla leave Gullhaven?", {NOTES}),
    ("How did the fire start?", {NOTES}),
    ("Compare Orla and Adam as leaders", {COMBINED}),
    ("Give me a summary of the feud between Orla and Adam", {COMBINED}),
    ("What about him?", {CLARIFY}),
    ("Tell me something", {CLARIFY}),
    ("Who is Marta?", {CLARIFY}),
    ("What are the relationships?", {CLARIFY}),
    ("Tell me more", {CLARIFY}),
    ("What's the weather like today?", {OUTSIDE}),
    ("How does grappling work in 5e?", {OUTSIDE}),
    ("Write a poem about the sea", {OUTSIDE}),
    ("What is the capital of Australia?", {OUTSIDE}),
    ("Give me a recipe for pancakes", {OUTSIDE}),
]


@pytest.mark.parametrize(("question", "accepted"), CASES, ids=[q for q, _ in CASES])
def test_the_action_is_one_a_fair_judge_accepts(question: str, accepted: set[str]) -> None:
    decision = decide(
        question=question,
        language="pl",
        mentions=LEXICON.link(question),
        coverage=0.6,
        has_history=False,
        may_clarify=True,
    )
    assert decision.action in accepted, decision.reasoning


def test_after_being_asked_the_person_is_not_asked_again() -> None:
    decision = decide(
        question="Kim jest Marta?",
        language="pl",
        mentions=LEXICON.link("Kim jest Marta?"),
        coverage=1.0,
        has_history=False,
        may_clarify=False,
    )
    assert decision.action == ARTIFACTS


def test_a_question_the_campaign_knows_nothing_of_is_out_of_scope() -> None:
    decision = decide(
        question="How tall is the Eiffel tower?",
        language="en",
        mentions=[],
        coverage=0.0,
        inside=0.1,
        has_history=False,
        may_clarify=True,
    )
    assert decision.action == OUTSIDE
