"""The Cypher guard: what it accepts of each corpus and why not the rest, how long it takes, and its slowest inputs.

Run it alone with `python -m bench.cypher`; it reads ../shared/data/cypher where that is present.
"""

import json
import random
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pausepoint.cypher import CypherRefused, GuardRules, guard

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "cypher"
TENANT = GuardRules()
OPEN = GuardRules(tenant_key=None, open_paths="lower")
CORPORA = [
    ("tck_read", TENANT, "tenant"),
    ("tck_read", OPEN, "no tenant"),
    ("text2cypher_read", TENANT, "tenant"),
    ("text2cypher_read", OPEN, "no tenant"),
    ("harmless_tricky", TENANT, "tenant"),
    ("neo4j_ls_tests", OPEN, "no tenant"),
    ("tck_write", TENANT, "tenant"),
    ("attacks", TENANT, "tenant"),
]
DEEP = [
    *"([{!1'`-",
    "{a:",
    "NOT ",
    "CASE WHEN ",
    "EXISTS {",
    "COUNT { MATCH (",
    "CALL {",
    "[x IN ",
    "reduce(a=",
]
DEEP += [
    "all(x IN ",
    "(a)-[",
    "$(",
    "n.",
    "IS :: LIST<",
    "x:(",
    "1+",
    "n.x AND ",
    "toLower(n.x) = 'a' AND ",
    "'a', ",
]
console = Console(width=120)


def rows(name: str) -> list[dict]:
    path = DATA / f"{name}.jsonl"
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )


def measure(query: str, rules: GuardRules) -> tuple[float, str]:
    """Milliseconds of one check and the rule that refused it, empty when accepted."""
    start = time.perf_counter()
    try:
        guard(query, rules)
        rule = ""
    except CypherRefused as refused:
        rule = refused.rule
    return (time.perf_counter() - start) * 1000, rule


def by_class(corpus: list[dict]) -> str:
    kinds: Counter[str] = Counter()
    for row in corpus:
        if measure(row["query"], TENANT)[1] == "":
            kinds["contained" if row.get("contain_ok") or row.get("soft") else f"ACCEPTED {row['cls']}"] += 1
    return ", ".join(f"{name} {count}" for name, count in kinds.items())


def acceptance() -> None:
    table = Table(title="Cypher guard: acceptance and latency")
    for column in ("corpus", "rules", "accepted", "p50 ms", "p99 ms", "refused by rule"):
        table.add_column(column)
    for name, rules, label in CORPORA:
        found = rows(name)
        if not found:
            console.print(f"{name}.jsonl is not here")
            continue
        measured = [measure(row["query"], rules) for row in found]
        times = sorted(taken for taken, _ in measured)
        rules_hit = Counter(rule for _, rule in measured if rule)
        share = f"{len(found) - rules_hit.total()}/{len(found)} ({1 - rules_hit.total() / len(found):.1%})"
        why = ", ".join(f"{rule} {count}" for rule, count in rules_hit.most_common())
        if name == "attacks":
            why = f"accepted are: {by_class(found)}; {why}"
        table.add_row(
            name, label, share, f"{times[len(times) // 2]:.2f}", f"{times[int(len(times) * 0.99)]:.2f}", why
        )
    console.print(table)


def extremes() -> None:
    """The slowest of hand-made deep inputs and of damaged queries, all under 8,000 characters."""
    chance = random.Random(1)
    texts = [(start + piece * 4000)[:7999] for piece in DEEP for start in ("", "RETURN ", "MATCH (n) WHERE ")]
    pool = [row["query"] for name in ("tck_read", "harmless_tricky") for row in rows(name)]
    for _ in range(3000 if pool else 0):
        query = chance.choice(pool)
        start, end = sorted(chance.randrange(len(query) + 1) for _ in range(2))
        texts.append((query[:start] + query[start:end] * chance.choice((0, 1, 5, 40)) + query[end:])[:7999])
    measured = sorted((min(measure(text, TENANT)[0] for _ in range(2)), text) for text in texts)
    slowest, text = measured[-1]
    console.print(f"slowest of {len(texts)} extreme inputs: {slowest:.1f} ms, {text[:70]!r}...")


def main() -> None:
    """Print the tables."""
    acceptance()
    extremes()


if __name__ == "__main__":
    main()
