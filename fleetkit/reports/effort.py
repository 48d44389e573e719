"""What a chapter on projects needs of flights, where the key may read them."""

from __future__ import annotations

import pandas as pd

from fleetkit.fleet import Fleet

__all__ = ["flights_of"]


def flights_of(fleet: Fleet, projects: pd.DataFrame) -> pd.DataFrame | None:
    """Return all flights of these projects; None where the key can't read flights.

    Parameters
    ----------
    fleet : Fleet
        The whole one: projects are not narrowed by all that narrows flights.
    projects : DataFrame
        With ``project_id``.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo()
    >>> projects = fleet.projects().head(9)
    >>> bool(flights_of(fleet, projects)["project_id"].isin(projects["project_id"]).all())
    True
    """
    if "flights" in fleet.missing:
        return None
    flights = fleet.flights()
    return flights[flights["project_id"].isin(projects["project_id"])]
