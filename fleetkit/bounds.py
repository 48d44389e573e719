"""Bounds of settings that options of the command line have too, which may not load settings."""

from __future__ import annotations

__all__ = ["MOST_CONCURRENCY", "MOST_SECONDS"]

# Each request under way takes a thread and a connection.
MOST_CONCURRENCY = 1_000
# Longest wait for one answer: a day. Of some centuries no system can wait. [s]
MOST_SECONDS = 86_400
