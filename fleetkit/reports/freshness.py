"""How old the data of a report are, and how well they are proven."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from fleetkit import mirror as mirrors
from fleetkit.errors import InvalidValue, MirrorError
from fleetkit.interface import worded
from fleetkit.mirror import CLOCKS_APART, Mirror
from fleetkit.reports.texts import day, moment

__all__ = ["check_age", "checked", "watched", "young_enough"]


def watched(state: Mirror, tz: str) -> list[str]:
    """Say what stands behind a state of a mirror that watches.

    Only of what was known at that state; nothing of a mirror with a single sync, which only holds
    what a report read.

    Parameters
    ----------
    state : Mirror
    tz : str
        IANA time zone of the days.
    """
    if len(state.states) < 2:
        return []
    facts = [f"version {state.version}", f"watching since {_day(state.states[0].fetched_at, tz)}"]
    proven = mirrors.verified_since(state)
    if proven is not None:
        facts.append(f"every list of flights verified since {_day(proven, tz)}")
    return facts


def checked(max_age: timedelta | None) -> timedelta | None:
    """Return the highest age, if it can be one.

    Raises
    ------
    InvalidValue
        It is no span of time, or a negative one.
    """
    if max_age is None or (isinstance(max_age, timedelta) and max_age >= timedelta()):
        return max_age
    raise InvalidValue(
        f"max_age={max_age!r} is not an age.",
        advice="Give a timedelta, such as timedelta(hours=12).",
    )


def young_enough(path: str, identity: str, max_age: timedelta | None) -> Mirror | None:
    """Return the newest state of a mirror of this service that isn't too old; None otherwise."""
    if max_age is None:
        return None
    try:
        state = mirrors.open(path)
    except MirrorError:  # the sync makes it, or says why not
        return None
    if not mirrors.same_source(state.source, identity) or _age(state) < -CLOCKS_APART:
        return None
    return state if _age(state) <= max_age else None


def check_age(state: Mirror, max_age: timedelta | None, tz: str) -> None:
    """Refuse data that are too old.

    Raises
    ------
    MirrorError
        They are; the message says how old they are. Or they bear a moment that is still to come,
        so that nobody knows.
    """
    if max_age is None:
        return
    if _age(state) < -CLOCKS_APART:
        raise MirrorError(
            f"The data of {state.path} are of {moment(state.fetched_at, tz)}, which lies "
            f"{_words(-_age(state))} ahead of this machine's clock: one of the two clocks is "
            "wrong, and nobody can tell how old the data are.",
            advice=worded(
                python=f'Set the clock right, then sync: fk.sync("{state.path}").',
                command_line=f"Set the clock right, then run: fleetkit sync {state.path}.",
            ),
        )
    if _age(state) <= max_age:
        return
    raise MirrorError(
        f"The data of {state.path} are of {moment(state.fetched_at, tz)}, {_words(_age(state))} "
        f"old; the report may use none older than {_words(max_age)}.",
        advice=worded(
            python=f'Sync it first: fk.sync("{state.path}").',
            command_line=f"Run: fleetkit sync {state.path}; or name the service with --base-url.",
        ),
    )


def _age(state: Mirror) -> timedelta:
    return datetime.now(UTC) - state.fetched_at


def _words(age: timedelta) -> str:
    """Write an age in its two largest units.

    Examples
    --------
    >>> _words(timedelta(days=2, hours=3, minutes=10)), _words(timedelta(hours=12))
    ('2 d 3 h', '12 h')
    >>> _words(timedelta(seconds=20))
    '0 min'
    """
    minutes = int(age.total_seconds()) // 60
    hours, days = minutes // 60, minutes // 1440
    parts = [(days, "d"), (hours % 24, "h"), (minutes % 60, "min")]
    first = next((place for place, (count, _) in enumerate(parts) if count), 2)
    shown = [f"{count} {unit}" for count, unit in parts[first : first + 2] if count]
    return " ".join(shown) or "0 min"


def _day(when: datetime, tz: str) -> str:
    return day(when.astimezone(ZoneInfo(tz)))
