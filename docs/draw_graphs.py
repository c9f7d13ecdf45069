"""Write the drawings of the graphs into README.md, as generated from the code (`make graph`)."""

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def drawing() -> str:
    """The assistant's graph as a Mermaid block."""
    from graphs.assistant import graph

    return f"```mermaid\n{graph.get_graph().draw_mermaid().strip()}\n```"


def with_drawings(text: str) -> str:
    """The README's text with its drawing between the two marks renewed."""
    pattern = re.compile(
        r"(<!-- graph:assistant \(make graph\) -->\n).*?(<!-- /graph:assistant -->)", re.DOTALL
    )
    return pattern.sub(lambda m: f"{m[1]}{drawing()}\n{m[2]}", text)


if __name__ == "__main__":
    before = README.read_text("utf-8")
    after = with_drawings(before)
    README.write_text(after, "utf-8")
    sys.stdout.write("README.md renewed\n" if before != after else "README.md is up to date\n")
