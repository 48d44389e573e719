"""``import fleetkit``, and the first fleet after it, beside ``import pandas``.

    python benchmarks/imports.py

CPU seconds of fresh processes, the least of several; to reach: 0.05 x `import pandas`.
"""

from __future__ import annotations

import resource
import subprocess
import sys

from _sizes import exit_code, size

ROUNDS = size(7, 1)
REACH = 0.05
CONNECTED = "import fleetkit as fk; fk.connect('http://127.0.0.1:9', 'fk_key')"


def seconds(code: str) -> float:
    """Return the least CPU time that a fresh process takes for a piece of code. [s]."""
    taken = []
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken)


def main() -> int:
    bare = seconds("pass")
    pandas = seconds("import pandas") - bare
    fleetkit = seconds("import fleetkit") - bare
    connected = seconds(CONNECTED) - bare
    print(f"import fleetkit          {fleetkit / pandas:5.3f} x import pandas (to reach: {REACH})")
    print(f"the same and fk.connect  {connected / pandas:5.2f} x import pandas")
    return exit_code(fleetkit <= REACH * pandas)


if __name__ == "__main__":
    sys.exit(main())
