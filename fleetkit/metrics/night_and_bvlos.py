"""How much is flown at night and beyond visual line of sight."""

from __future__ import annotations

import narwhals as nw

from fleetkit.metrics._flown import count, hours, read_flights
from fleetkit.metrics._frames import FrameT, Lazy, to_kind_of

__all__ = ["night_and_bvlos"]


def night_and_bvlos(flights: FrameT) -> FrameT:
    """Return the share of night flights and of flights beyond visual line of sight.

    A share is of the flights whose flag is known: null is not false.

    Parameters
    ----------
    flights : frame of any engine
        With ``night_flight``, ``bvlos`` and ``duration_seconds`` [s].

    Returns
    -------
    frame of the kind of `flights`
        Two rows, ``flag`` = ``night_flight`` and ``bvlos``: ``flights``, ``known_flights``,
        ``flights_share`` (0 … 1), ``hours``, ``known_hours`` [h], ``hours_share`` (0 … 1). A share
        is null where nothing is known, hours and their share where no duration was recorded.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Night and BVLOS share
        Of the flights, or hours, whose log says yes or no.

    Examples
    --------
    >>> import pandas as pd
    >>> shares = night_and_bvlos(pd.DataFrame({
    ...     "night_flight": pd.array([True, False, None], dtype="boolean"),
    ...     "bvlos": pd.array([False, False, False], dtype="boolean"),
    ...     "duration_seconds": [900, 2700, 3600],
    ... }))
    >>> shares[["flag", "flights", "known_flights", "flights_share", "hours_share"]]
               flag  flights  known_flights  flights_share  hours_share
    0  night_flight        1              2            0.5         0.25
    1         bvlos        0              3            0.0         0.00
    """
    frame = read_flights(flights, "night_flight", "bvlos")
    rows = nw.concat([_flagged(frame, flag) for flag in ("night_flight", "bvlos")])
    return to_kind_of(rows.sort("flag", descending=True), flights)


def _flagged(frame: Lazy, flag: str) -> Lazy:
    amounts = {"_flights": nw.lit(1)} | {name: nw.col(name) for name in ("_seconds", "_recorded")}
    known = frame.filter(~nw.col(flag).is_null()).select(
        *(
            nw.when(nw.col(flag)).then(amount).otherwise(nw.lit(0)).alias(name)
            for name, amount in amounts.items()
        ),
        nw.col("_seconds").alias("_known_seconds"),
        nw.col("_recorded").alias("_known_recorded"),
    )
    summed = [*amounts, "_known_seconds", "_known_recorded"]
    sums = known.select(
        nw.col("_flights").count().alias("known_flights"), nw.col(summed).sum()
    ).with_columns(nw.col(summed).fill_null(0))
    shares: Lazy = sums.select(
        nw.lit(flag).alias("flag"),
        count("_flights").alias("flights"),
        "known_flights",
        _share("_flights", "known_flights").alias("flights_share"),
        hours().alias("hours"),
        hours("_known_seconds", recorded="_known_recorded", flights="known_flights").alias(
            "known_hours"
        ),
        _share("_seconds", "_known_seconds").alias("hours_share"),
    )
    # Of hours that nobody recorded no share is known either.
    return shares.with_columns(nw.when(~nw.col("hours").is_null()).then(nw.col("hours_share")))


def _share(part: str, whole: str) -> nw.Expr:
    ratio = nw.col(part).cast(nw.Float64) / nw.col(whole).cast(nw.Float64)
    return nw.when(nw.col(whole) > 0).then(ratio)
