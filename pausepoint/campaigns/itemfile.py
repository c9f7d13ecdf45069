"""The items of an artifacts or relations file: a broken item or block of YAML costs only itself."""

from collections.abc import Iterator

from pausepoint.campaigns.fields import Problems
from pausepoint.campaigns.yamlfile import Mapping, Node, Scalar, Sequence, YamlFault, list_blocks, parse


def item_tables(text: str, file: str, kind: str, problems: Problems) -> Iterator[Mapping]:
    """The mappings of a file that holds a list, a mapping with such a list, or a single item.

    Args:
        text: the file's text.
        file: its name, for problems.
        kind: `artifacts` or `relations`, the key a wrapping mapping may use.
        problems: where the broken parts are named.
    """
    try:
        tree = parse(text)
    except YamlFault as fault:
        problems.add(file, fault.line, fault.reason)
        yield from _saved(text, file, problems)
        return
    if tree is None or (isinstance(tree, Scalar) and not (tree.text or "").strip()):
        problems.warn(file, 1, "the file is empty")
        return
    yield from _tables(tree, file, kind, problems)


def _tables(tree: Node, file: str, kind: str, problems: Problems) -> Iterator[Mapping]:
    if isinstance(tree, Mapping):
        inner = tree.entries.get(kind) or tree.entries.get("items")
        if isinstance(inner, Sequence):
            tree = inner
        elif len(tree.entries) > 1:
            yield tree
            return
    if not isinstance(tree, Sequence):
        problems.add(file, tree.line, f"a list of {kind} is expected")
        return
    for item in tree.items:
        if isinstance(item, Mapping):
            yield item
        else:
            problems.add(file, item.line, f"each of the {kind} must be a mapping of fields")


def _saved(text: str, file: str, problems: Problems) -> Iterator[Mapping]:
    """Items of a broken list that can be read on their own; the broken ones are named."""
    named = {problem.line for problem in problems.found if problem.file == file}
    for block, line in list_blocks(text):
        try:
            tree = parse(block, line)
        except YamlFault as fault:
            if fault.line not in named:
                problems.add(file, fault.line, fault.reason)
            continue
        if isinstance(tree, Sequence) and len(tree.items) == 1 and isinstance(tree.items[0], Mapping):
            yield tree.items[0]
