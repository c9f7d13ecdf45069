"""Passages: nothing is lost, none is too long, they break where sentences do."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from pausepoint.campaigns.chunks import MAX_CHARS, MAX_WORDS, chunk

SENTENCES = [f"This is sentence number {n} of a note that goes on for a while." for n in range(40)]


def test_a_short_note_is_one_passage():
    assert chunk("  One. Two.\n\nThree. ") == ["One. Two.\n\nThree."]
    assert chunk(" \n ") == []


def test_a_long_note_is_cut_between_sentences_and_overlaps_by_one():
    parts = chunk(" ".join(SENTENCES))
    assert len(parts) > 3
    for part in parts:
        assert len(part.split()) <= MAX_WORDS
        assert part.startswith("This")
        assert part.endswith("while.")
    for before, after in pairwise(parts):
        last = before.rsplit("This", 1)[1]
        assert after.startswith("This" + last)
    lengths = [len(part.split()) for part in parts]
    assert min(lengths) > max(lengths) // 2


def test_a_sentence_without_an_end_is_cut_by_words():
    parts = chunk("word " * 1000)
    assert all(len(part.split()) <= MAX_WORDS for part in parts)
    assert sum(len(part.split()) for part in parts) == 1000


def test_text_without_spaces_is_cut_by_characters():
    parts = chunk("字" * 5000)
    assert "".join(parts) == "字" * 5000
    assert all(len(part) <= MAX_CHARS for part in parts)


@given(st.text(alphabet="ab .!?\n-*#", max_size=4000))
@settings(max_examples=80, deadline=None)
def test_no_word_is_lost(text: str):
    parts = chunk(text)
    assert all(part and len(part) <= MAX_CHARS and len(part.split()) <= MAX_WORDS for part in parts)
    position = 0
    for part in parts:  # passages stand in the text in order, with nothing but space between them
        at = text.index(part, max(0, position - MAX_CHARS))
        assert not text[position:at].strip() or at <= position
        position = max(position, at + len(part))
    assert not text[position:].strip()
