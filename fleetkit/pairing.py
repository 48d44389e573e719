"""Which flight each row of a bridge is of, by its place: found without a join where it can be.

The files of a mirror hold both in one order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["places_of_flights"]


def places_of_flights(bridge: pl.Series, flights: pl.Series) -> pl.Series:
    """Return the place of the flight of each row of a bridge.

    Parameters
    ----------
    bridge : polars.Series
        The flight ids of its rows, as texts.
    flights : polars.Series
        Of the flights; of one that is repeated, its first row counts.

    Returns
    -------
    polars.Series
        ``UInt32``, from 0 on; null for a flight that isn't among them.

    Examples
    --------
    >>> import polars as pl
    >>> places_of_flights(pl.Series(["b", "b", "a", "c"]), pl.Series(["a", "b"])).to_list()
    [1, 1, 0, None]
    """
    is_first = bridge.ne_missing(bridge.shift(1))
    if len(bridge):
        is_first[0] = True
    if bridge.filter(is_first).equals(flights):
        return is_first.cum_sum() - 1
    return _joined(bridge, flights)


def _joined(bridge: pl.Series, flights: pl.Series) -> pl.Series:
    import polars as pl  # noqa: PLC0415 - it takes a while to import

    # Numbers made of texts are joined faster than the texts, unless two have the same one.
    hashes = flights.hash()
    are_different = hashes.n_unique() == len(flights)
    if are_different:
        bridge, flights = bridge.hash(), hashes
    numbered = pl.DataFrame({"flight_id": flights}).with_row_index("place")
    if not are_different:
        numbered = numbered.unique("flight_id", keep="first")
    rows = pl.DataFrame({"flight_id": bridge})
    return rows.join(numbered, on="flight_id", how="left", maintain_order="left")["place"]
