"""Whatever stands in a YAML file: it is read or named with a line inside the file, quickly, and nothing else happens."""

from pathlib import Path
from tempfile import TemporaryDirectory

from folders import ARTIFACTS, RELATIONS, write_campaign
from hypothesis import given, settings
from hypothesis import strategies as st

from pausepoint.campaigns.folder import read_folder
from pausepoint.campaigns.yamlfile import YamlFault, parse

MARKS = [
    "- ",
    ": ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    "'",
    '"',
    "&a ",
    "*a",
    "!!python/object:os.system ",
    "<<: ",
    "~",
    "# ",
]
SPACES = ["  ", "\n", "\t", "|\n", ">-\n", "---\n", "...\n", "\x85", "\u2028"]
TEXTS = ["name", "é", "%YAML 9.9\n", "\ufeff", "\x07", "\ud800"]
pieces = st.sampled_from(MARKS + SPACES + TEXTS)


@given(st.lists(pieces, max_size=60).map("".join))
@settings(max_examples=400, deadline=None)
def test_any_text_is_a_tree_or_a_fault_with_a_line(text: str):
    try:
        parse(text)
    except YamlFault as fault:
        assert fault.reason
        assert 1 <= fault.line <= len(text.splitlines()) + 2


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_cut_or_dented_file_never_stops_the_rest(data: st.DataObject):
    text = ARTIFACTS + RELATIONS
    at = data.draw(st.integers(0, len(text)))
    junk = data.draw(st.lists(pieces, max_size=5).map("".join)).encode("utf-8", "surrogatepass")
    with TemporaryDirectory() as name:
        root = write_campaign(Path(name))
        broken = text[:at].encode() + junk + text[at:].encode()
        (root / "artifacts.yaml").write_bytes(broken)
        source = read_folder(root)
        lines = broken.decode("utf-8", "replace").splitlines()
    assert len(source.notes) == 2
    for problem in source.problems:
        assert problem.reason
        assert problem.line is None or problem.line <= len(lines) + 1 or problem.file != "artifacts.yaml"


@given(st.integers(0, 200), st.sampled_from(["[", "{a: ", "- ", "? "]))
@settings(max_examples=40, deadline=None)
def test_nesting_is_bounded(depth: int, opening: str):
    try:
        parse(opening * depth + "x")
    except YamlFault as fault:
        assert fault.line == 1 or depth
