"""What a frame carries of the fleet that it comes from: its time zone, and what its metrics need.

It is in ``frame.attrs``, small and fit for JSON, the same on every frame of a fleet: pandas
hands ``attrs`` on through filters, ``assign``, ``sort_values``, ``groupby`` and the like, and
through ``merge`` and ``concat`` where both sides have the same. A merge with a frame of one's own,
``join`` with one, and ``groupby(...).agg(name=...)`` drop it, and so does what isn't pandas: there,
pass ``tz=``. The settings that are looked at are remembered of an engine's frame, too, as long as
it is the one that a fleet returned.
"""

from __future__ import annotations

from typing import Any

from fleetkit import sources
from fleetkit.origins import Read, origin_of
from fleetkit.settings import Settings, from_values
from fleetkit.time import ZONE, Clock

__all__ = [
    "MEASURED",
    "attach",
    "carried",
    "carry_over",
    "changed_settings",
    "setting",
]

_SETTINGS = "settings"
# The settings that metrics look at.
MEASURED = (
    "aircraft_types",
    "condition_order",
    "status_order",
    "stage_probabilities",
    "service_intervals",
    "depreciation",
)


def attach(frame: Any, clock: Clock, settings: Settings, **further: Any) -> Any:
    """Let a frame, or a row, carry its fleet's clock and settings; returns it.

    Parameters
    ----------
    frame : DataFrame or Series
    clock : Clock
        Of the fleet's zone.
    settings : Settings
        Of those that metrics look at, the ones that aren't the default are carried.
    **further
        What else to carry; fit for JSON.
    """
    frame.attrs = {ZONE: clock.zone, **further}
    if changed := changed_settings(settings):
        frame.attrs[_SETTINGS] = changed
    return frame


def changed_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings that metrics look at and that aren't the default, fit for JSON.

    Examples
    --------
    >>> changed_settings(Settings(aircraft_types=("DRONE",)))
    {'aircraft_types': ['DRONE']}
    """
    default = Settings()
    return {
        name: list(value) if isinstance(value, tuple) else dict(value)
        for name in MEASURED
        if (value := getattr(settings, name)) != getattr(default, name)
    }


def carry_over(result: Any, original: Any, clock: Clock | None = None) -> Any:
    """Let a result carry what its original does, and the clock that it was counted by."""
    known = carried(original)
    both = {name: known[name] for name in (ZONE, _SETTINGS) if name in known}
    result.attrs = both | ({} if clock is None else {ZONE: clock.zone})
    return result


def carried(frame: Any) -> dict[str, Any]:
    """Return what a frame carries; nothing, where it is not of pandas."""
    attrs = getattr(frame, "attrs", None)
    return attrs if isinstance(attrs, dict) else {}


def setting(frame: Any, name: str, given: Any = None) -> Any:
    """Return a setting of the fleet that a frame comes from; the default where none is known.

    A frame that isn't of pandas carries nothing; of one that a fleet returned it is remembered.

    Parameters
    ----------
    frame : frame
        Of a fleet, or of one's own.
    name : str
        The setting.
    given : optional
        Its value in place of the fleet's, as ``fleetkit.toml`` has it; it is checked likewise.

    Examples
    --------
    >>> setting(object(), "aircraft_types")
    ()
    >>> setting(object(), "depreciation", {"years": 4, "residual_percent": 0})["years"]
    4.0
    """
    if given is not None:
        return getattr(from_values({name: given}, source=sources.arguments), name)
    origin = origin_of(frame)
    remembered = origin.settings if isinstance(origin, Read) else None
    changed = carried(frame).get(_SETTINGS, remembered)
    own = changed.get(name) if isinstance(changed, dict) else None
    return getattr(Settings(), name) if own is None else own
