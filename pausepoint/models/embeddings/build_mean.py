"""Computes `data/mean.json` from `data/neutral.txt`: python -m pausepoint.models.embeddings.build_mean."""

import json
from pathlib import Path

from pausepoint.models.embeddings.engines import bundled_engines

_DATA = Path(__file__).parent / "data"


def main() -> None:
    """Average each engine's vectors of the neutral sentences, as passages, and write them."""
    lines = (_DATA / "neutral.txt").read_text(encoding="utf-8").splitlines()
    sentences = [line for line in lines if line and not line.startswith("#")]
    means = {
        engine.name: [round(float(value), 5) for value in engine.load()(sentences, False).mean(axis=0)]
        for engine in bundled_engines()
    }
    (_DATA / "mean.json").write_text(json.dumps(means, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
