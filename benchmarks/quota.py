"""Under a quota of 200 requests per 2 s: how near to the least time, how many requests in vain.

    python benchmarks/quota.py [--requests 1000] [--connections 16]

The least time is the windows that have to pass before the last requests may be sent, and the time
that those take without a quota. One row for each way of saying when a window is over.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import product

from _served import served
from _sizes import exit_code, size

QUOTA, WINDOW = 200, 2.0
SLOWER, REJECTED = 1.1, 0.01


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=size(1_000, 20))
    parser.add_argument("--connections", type=int, default=16)
    chosen = parser.parse_args()
    styles = list(product(("epoch", "epoch_ms", "seconds", "iso"), (0.0, 0.05)))
    dials = [
        {"quota": QUOTA, "window": WINDOW, "reset_style": style, "latency": latency}
        for style, latency in styles
    ]
    free = [{"latency": latency} for latency in (0.0, 0.05)]
    kept = True
    with served(chosen.requests, 1, [*dials, *free]) as (urls, key, _):
        ids = [f"eq_{number:05d}" for number in range(chosen.requests)]
        last = chosen.requests % QUOTA or QUOTA
        windows = (chosen.requests - last) / QUOTA * WINDOW
        unhindered = {
            dial["latency"]: load(url, key, ids[:last], chosen.connections)[0]
            for dial, url in zip(free, urls[len(dials) :], strict=True)
        }
        for (style, latency), url in zip(styles, urls, strict=False):
            seconds, rejected = load(url, key, ids, chosen.connections)
            ratio = seconds / (windows + unhindered[latency])
            share = rejected / (chosen.requests + rejected)
            kept = kept and ratio <= SLOWER and share <= REJECTED
            print(
                f"{style:>9} at {latency * 1000:2.0f} ms: {seconds:6.2f} s, {ratio:.2f} × the least"
                f" (to reach: ≤ {SLOWER}), {rejected} rejected, {share:.1%} (≤ {REJECTED:.0%})",
                flush=True,
            )
    return exit_code(kept)


def load(base_url: str, key: str, ids: list[str], connections: int) -> tuple[float, int]:
    """Return the seconds that reading these records takes, and the requests made in vain."""
    from fleetkit.client import Client

    with Client(base_url, key, concurrency=connections) as client:
        began = time.perf_counter()
        got = sum(1 for _ in client.records("equipment", ids))
        seconds = time.perf_counter() - began
        return seconds, client.requests_made - got


if __name__ == "__main__":
    sys.exit(main())
