"""Pausepoint: agents that stop, ask, and carry on."""

import os

# Read when numpy and OpenMP load: on a busy machine two threads a call are 25 times slower than one.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

__version__ = "0.1.0"
