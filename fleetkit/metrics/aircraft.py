"""Which equipment is aircraft."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw

from fleetkit.arguments import texts
from fleetkit.blanks import are_blank
from fleetkit.context import setting
from fleetkit.engines import semi_join
from fleetkit.metrics._all_flights import of_all_flights
from fleetkit.metrics._flown import read_bridge
from fleetkit.metrics._frames import Frame, FrameT, in_narwhals, to_kind_of, to_pandas

__all__ = ["aircraft"]


@of_all_flights
def aircraft(equipment: FrameT, bridge: Frame, types: Sequence[str] | str | None = None) -> FrameT:
    """Return the equipment that is aircraft.

    Aircraft are the types given; where there are none, every type of which the bridge shows a
    piece flying with no other piece of equipment.

    Parameters
    ----------
    equipment : frame of any engine
        With ``equipment_id`` and ``type``.
    bridge : frame of any engine
        ``flight_id``, ``equipment_id``.
    types : str or list of str, optional
        Types that are aircraft, as the API writes them; default: the ``aircraft_types`` that the
        frame's fleet is set to, if any.

    Returns
    -------
    frame of the kind of `equipment`
        The rows of aircraft, all columns.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Aircraft
        Equipment of the types declared as aircraft; else of every type that the logs show
        flying with no other piece of equipment.

    Examples
    --------
    >>> import pandas as pd
    >>> equipment = pd.DataFrame({"equipment_id": ["d", "c"], "type": ["DRONE", "CAMERA"]})
    >>> bridge = pd.DataFrame({"flight_id": ["1", "1", "2"], "equipment_id": ["d", "c", "d"]})
    >>> aircraft(equipment, bridge)
      equipment_id   type
    0            d  DRONE
    """
    known = to_pandas(equipment, "equipment", ["equipment_id", "type"])
    types = setting(equipment, "aircraft_types") if types is None else texts(types, "types")
    if not types:
        is_unaccompanied = known["equipment_id"].isin(_unaccompanied(bridge))
        flown = known.loc[is_unaccompanied, "type"]
        types = flown[~are_blank(flown)].unique().tolist()
    selected = in_narwhals(equipment).lazy().filter(nw.col("type").is_in(list(types)))
    return to_kind_of(selected, equipment)


def _unaccompanied(bridge: Frame) -> list[str]:
    """Return the equipment that stands alone under at least one flight."""
    pairs = read_bridge(bridge)
    by_flight = pairs.group_by("flight_id").agg(nw.len().alias("_n"))
    of_one = by_flight.filter(nw.col("_n") == 1)
    solo = semi_join(pairs, of_one, "flight_id").select("equipment_id").unique()
    ids: list[str] = solo.collect("pandas")["equipment_id"].to_list()
    return ids
