"""Explorers over a mirror with many flights: an engine answers, and no frame holds them all.

Of each flight its moment, its duration and what controls choose by are in memory, as codes and as
bits. They are read once, month by month. What is shown is counted over them; identifiers and whole
rows are asked of the mirror.
"""

from fleetkit.explore.large.subject import LargeFlights

__all__ = ["LargeFlights"]
