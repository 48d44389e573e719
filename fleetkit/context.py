"""What a frame carries of the fleet that it comes from: its time zone, and what its metrics need.

It is in ``frame.attrs``, small and fit for JSON, the same on every frame of a fleet: pandas
hands ``attrs`` on through filters, ``assign``, ``sort_values``, ``groupby`` and the like, and
through ``merge`` and ``concat`` where both sides have the same. A merge with a frame of one's own,
``join`` with one, and ``groupby(...).agg(name=...)`` drop it, and so does what isn't pandas: there,
pass ``tz=``.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from fleetkit.errors import InvalidValue
from fleetkit.settings import Settings
from fleetkit.time import Zone, are_dates, zone_name

__all__ = [
    "MEASURED",
    "attach",
    "carried",
    "carry_over",
    "setting",
    "to_local_time",
    "zone_of",
]

_ZONE, _SETTINGS = "tz", "settings"
# The settings that metrics look at.
MEASURED = ("aircraft_types", "condition_order", "status_order", "stage_probabilities")


def attach(
    frame: Any, tz: str, settings: Settings, *, dates_only: bool | None = None, **further: Any
) -> Any:
    """Let a frame, or a row, carry its fleet's zone and settings; returns it.

    Parameters
    ----------
    frame : DataFrame or Series
    tz : str
        IANA time zone.
    settings : Settings
        Of those that metrics look at, the ones that aren't the default are carried.
    dates_only : bool, optional
        Whether its flight dates are dates; None where that isn't known.
    **further
        What else to carry; fit for JSON.
    """
    default = Settings()
    changed = {
        name: list(value) if isinstance(value, tuple) else dict(value)
        for name in MEASURED
        if (value := getattr(settings, name)) != getattr(default, name)
    }
    frame.attrs = {_ZONE: Zone(tz, dates_only), **further}
    if changed:
        frame.attrs[_SETTINGS] = changed
    return frame


def carry_over(result: Any, original: Any, tz: str | None = None) -> Any:
    """Let a result carry what its original does, and the zone that it was counted in."""
    known = carried(original)
    both = {name: known[name] for name in (_ZONE, _SETTINGS) if name in known}
    result.attrs = both | ({} if tz is None else {_ZONE: tz})
    return result


def carried(frame: Any) -> dict[str, Any]:
    """Return what a frame carries; nothing, where it is not of pandas."""
    attrs = getattr(frame, "attrs", None)
    return attrs if isinstance(attrs, dict) else {}


def zone_of(*frames: Any, tz: str | None = None) -> Zone:
    """Return the zone of frames: the one that is given, else the one that they carry, else UTC.

    Parameters
    ----------
    *frames : frames of any engine
        The first one is asked whether its flight dates are dates.
    tz : str, optional
        IANA time zone; wins over what they carry.

    Raises
    ------
    InvalidValue
        An unknown zone, or frames that carry different ones.

    Examples
    --------
    >>> zone_of(object()), zone_of(object(), tz="Asia/Tokyo")
    ('UTC', 'Asia/Tokyo')
    """
    known = [zone for frame in frames if (zone := carried(frame).get(_ZONE)) is not None]
    if tz is None and len(set(known)) > 1:
        raise InvalidValue(
            f"The frames are of different time zones: {', '.join(sorted(set(known)))}.",
            advice="Say which one is meant with tz=.",
        )
    name = tz if tz is not None else known[0] if known else "UTC"
    first = carried(frames[0]).get(_ZONE) if frames else None
    return Zone(zone_name(name), getattr(first, "dates_only", None))


def to_local_time(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with its moments as the clock of its zone shows them, for people to read.

    Dates, midnights UTC, stay; so does a frame that carries no zone.

    Examples
    --------
    >>> flown = pd.DataFrame({"flight_date": pd.to_datetime(["2026-09-30T12:30Z"])})
    >>> flown.attrs["tz"] = "Pacific/Auckland"
    >>> to_local_time(flown)["flight_date"][0].date().isoformat()
    '2026-10-01'
    """
    zone = zone_of(frame)
    if zone == "UTC":
        return frame
    shown = frame.copy(deep=False)
    for name, column in frame.items():
        if not isinstance(column.dtype, pd.DatetimeTZDtype):
            continue
        moments = pd.DataFrame({"flight_date": column})
        if not are_dates(moments, zone if name == "flight_date" else None):
            shown[name] = column.dt.tz_convert(zone)
    return shown


def setting(frame: Any, name: str) -> Any:
    """Return a setting of the fleet that a frame comes from; the default where it carries none.

    Examples
    --------
    >>> setting(object(), "aircraft_types")
    ()
    """
    changed = carried(frame).get(_SETTINGS)
    own = changed.get(name) if isinstance(changed, dict) else None
    return getattr(Settings(), name) if own is None else own
