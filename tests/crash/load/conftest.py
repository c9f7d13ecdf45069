"""The campaign that these tests load is written by the helpers beside the unit tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "unit" / "campaigns"))
