"""Time zones: their names, and what a frame carries of its fleet's."""

from __future__ import annotations

from datetime import UTC, timezone
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, did_you_mean

__all__ = ["Zone", "zone_name"]

# Files of a machine's zone database that no engine knows, or that count leap seconds.
_NOT_IANA = ("Factory", "localtime", "posix", "right/")


class Zone(str):
    """The name of a time zone, and whether the flight dates beside it are dates or instants.

    It is what a frame carries of a `Clock`: a text to everything else, so that ``attrs`` can be
    written as JSON, and frames of one fleet have equal ones whether or not they hold flights.

    Attributes
    ----------
    dates_only : bool or None
        None where it isn't known.

    Examples
    --------
    >>> zone = Zone("Europe/Oslo", dates_only=True)
    >>> zone == "Europe/Oslo", zone.dates_only
    (True, True)
    """

    dates_only: bool | None

    def __new__(cls, name: str, dates_only: bool | None = None) -> Zone:  # noqa: D102
        zone = super().__new__(cls, name)
        zone.dates_only = dates_only
        return zone

    def __deepcopy__(self, memo: Any) -> Zone:
        # pandas copies what a frame carries with each step; this part is never changed.
        return self


def zone_name(tz: Any) -> str:
    """Return the IANA name of a time zone.

    Parameters
    ----------
    tz : str, ZoneInfo or timezone.utc

    Raises
    ------
    InvalidValue
        For what is not a time zone.

    Examples
    --------
    >>> zone_name(ZoneInfo("Europe/Oslo")), zone_name(UTC)
    ('Europe/Oslo', 'UTC')
    """
    name = getattr(tz, "key", None) or ("UTC" if isinstance(tz, timezone) and tz == UTC else tz)
    # Python shares a zone with all, under the very name that it was first asked for by: of a text
    # of ours, nobody could read a pickled time without fleetkit.
    try:
        key = str(ZoneInfo(str(name)).key) if isinstance(name, str) else ""
    except (KeyError, ValueError, OSError):
        key = ""
    if key and not key.startswith(_NOT_IANA):
        return key
    names = sorted(name for name in available_timezones() if not name.startswith(_NOT_IANA))
    suggestion = did_you_mean(name, names) if isinstance(name, str) else ""
    raise InvalidValue(
        f"{brief(tz)} is not a time zone. {suggestion}",
        advice="Write an IANA name such as Europe/London.",
    )
