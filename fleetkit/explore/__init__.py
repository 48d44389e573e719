"""Explorers for notebooks: controls that narrow a fleet down, and what they show.

An explorer computes nothing of its own: rows are what :class:`fleetkit.Filter` means, figures are
those of :mod:`fleetkit.metrics`. The choice is exported as Python, as a command line, as
papermill parameters and as CSV.
"""

from fleetkit.explore.flight_explorer import FlightExplorer, flights

__all__ = ["FlightExplorer", "flights"]
