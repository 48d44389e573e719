"""The names of ids that flights carry: the last one that came with a flight."""

from __future__ import annotations

import narwhals as nw

from fleetkit.blanks import named_or_null
from fleetkit.engines import joinable
from fleetkit.metrics._frames import Frame, Lazy, to_lazy
from fleetkit.unassigned import quoted_own

__all__ = ["latest_names"]


def latest_names(flights: Frame, key: str, name: str) -> Lazy:
    """Return one row per id that has a name: that of its latest flight, of several the last one.

    A name of blanks is none.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_date``.
    key, name : str
        The columns of the id and of its name.
    """
    frame = to_lazy(flights, "flights", [key, name, "flight_date"])
    known = (
        frame.filter(~nw.col(key).is_null() & ~nw.col(name).is_null())
        .with_columns(nw.col(key).cast(nw.String), quoted_own(name))
        .group_by(key, name)
        .agg(nw.col("flight_date").max().alias("_last"))
        .with_columns(named_or_null(name))
    )
    known = joinable(known.filter(~nw.col(name).is_null()))
    latest = joinable(known.group_by(key).agg(nw.col("_last").max()))
    dated = known.join(latest, on=[key, "_last"]).group_by(key).agg(nw.col(name).max())
    # Flights without a date name an id that no dated flight names.
    other = joinable(known.group_by(key).agg(nw.col(name).max().alias("_other")))
    both: Lazy = other.join(joinable(dated), on=key, how="left")
    return both.select(key, nw.coalesce(name, "_other").alias(name))
