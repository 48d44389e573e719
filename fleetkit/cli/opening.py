"""Which data a command opens: the demo, a state of a mirror, or the service."""

from __future__ import annotations

from typing import Any

import fleetkit as fk
from fleetkit.errors import InvalidValue

__all__ = ["earlier_state", "open_fleet"]


def earlier_state(
    version: int | None, as_of: str | None, mirror: str | None, demo: bool, max_age: Any = None
) -> dict[str, Any]:
    """Return which earlier state of the mirror, or of the demo, to open; empty for the newest."""
    if as_of is not None:
        from fleetkit.time import instant  # noqa: PLC0415 - it loads pandas

        instant(as_of)
    choices = {"version": version, "as_of": as_of}
    state = {name: value for name, value in choices.items() if value is not None}
    if demo:
        if version is not None:
            raise InvalidValue("--version and --demo exclude each other: a demo has no versions.")
        return state
    if state and not mirror:
        raise InvalidValue("--version and --as-of need --mirror: only a mirror keeps its states.")
    if len(state) > 1:
        raise InvalidValue("--version and --as-of exclude each other.")
    if state and max_age is not None:
        raise InvalidValue("--max-age excludes --version and --as-of, which ask for an old state.")
    return state


def open_fleet(
    loaded: fk.settings.Settings,
    mirror: str | None,
    state: dict[str, Any],
    demo: bool,
    **connection: Any,
) -> fk.Fleet:
    """Open the demo, a state of a mirror, or the service, whichever the options name."""
    if demo:
        progress = connection["progress"]
        return fk.demo(tz=loaded.tz, settings=loaded, progress=progress, **state)
    if mirror and (state or not loaded.base_url):
        return fk.open_mirror(mirror, settings=loaded, **state)
    connection["tz"] = loaded.tz
    if mirror and not loaded.has_zone:  # then the mirror keeps its own
        from fleetkit.mirror import zone  # noqa: PLC0415 - it takes long to import

        connection["tz"] = zone(mirror) or loaded.tz
    return fk.connect(**connection)
