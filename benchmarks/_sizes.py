"""How large the data of a benchmark are.

``FLEETKIT_BENCH_SIZE=tiny`` shows in seconds that every benchmark runs; ratios of so little data
say nothing, so none is judged.
"""

from __future__ import annotations

import os

TINY = os.environ.get("FLEETKIT_BENCH_SIZE") == "tiny"


def size(usual: int, tiny: int) -> int:
    """Return the size to measure at."""
    return tiny if TINY else usual


def exit_code(kept: bool) -> int:
    """Return 0 where every ratio was reached, or none is judged."""
    return 0 if kept or TINY else 1
