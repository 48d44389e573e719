"""Two periods, filters or frames side by side, with what changed."""

from fleetkit.comparison.comparing import compare

__all__ = ["compare"]
