"""How old the data of a report are, and how well they are proven."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from fleetkit import mirror as mirrors
from fleetkit.errors import InvalidValue, MirrorError
from fleetkit.interface import brief, worded
from fleetkit.language import say, short_day
from fleetkit.mirror import CLOCKS_APART, Mirror
from fleetkit.mirror.store import sync_command
from fleetkit.reports.texts import moment
from fleetkit.time import instant

__all__ = ["check_age", "checked", "provenance", "young_enough"]


def provenance(mirror: Mirror, tz: str) -> list[str]:
    """Say which version of a mirror is shown, and how far back its history and proof reach.

    Empty for a mirror with a single sync, which has no history.

    Parameters
    ----------
    mirror : Mirror
    tz : str
        IANA time zone of the days.
    """
    if len(mirror.states) < 2:
        return []
    # Not when a clock that was years ahead wrote: nothing begins after the newest sync.
    moments = [state.written_at for state in mirror.states]
    since = short_day(instant(next(moment for moment in moments if moment <= moments[-1]), tz))
    facts = [
        say("version {version}", version=mirror.version),
        say("history since {day}", day=since),
    ]
    proven = mirrors.verified_since(mirror)
    if proven is not None:
        verified = short_day(instant(proven, tz))
        facts.append(say("every list of flights verified since {day}", day=verified))
    return facts


def checked(max_age: timedelta | None) -> timedelta | None:
    """Return the highest age, if it can be one.

    Raises
    ------
    InvalidValue
        It is not a span of time, or a negative one.
    """
    if max_age is None or (isinstance(max_age, timedelta) and max_age >= timedelta()):
        return max_age
    raise InvalidValue(
        f"max_age={brief(max_age)} is not an age.",
        advice="Give a timedelta, such as timedelta(hours=12).",
    )


def young_enough(path: str, identity: str, max_age: timedelta | None) -> Mirror | None:
    """Return the newest state of a mirror of this service that isn't too old; None otherwise."""
    if max_age is None:
        return None
    try:
        mirror = mirrors.open(path)
    except MirrorError:  # the sync makes it, or says why not
        return None
    if not mirrors.same_source(mirror.source, identity) or _age(mirror) < -CLOCKS_APART:
        return None
    return mirror if _age(mirror) <= max_age else None


def check_age(mirror: Mirror, max_age: timedelta | None, tz: str) -> None:
    """Refuse data that are too old.

    Raises
    ------
    MirrorError
        They are too old, or dated in the future, so that their age is unknown.
    """
    if max_age is None:
        return
    sync = sync_command(mirror.path)
    if _age(mirror) < -CLOCKS_APART:
        raise MirrorError(
            f"The data of {mirror.path} are of {moment(mirror.fetched_at, tz)}, which lies "
            f"{_words(-_age(mirror))} ahead of this machine's clock: one of the two clocks is "
            "wrong, so the age of the data is unknown.",
            advice=worded(
                python=f'Set the clock right, then sync: fk.sync("{mirror.path}").',
                command_line=f"Set the clock right, then run: {sync}.",
            ),
        )
    if _age(mirror) <= max_age:
        return
    raise MirrorError(
        f"The data of {mirror.path} are of {moment(mirror.fetched_at, tz)}, {_words(_age(mirror))} "
        f"old; the report may use none older than {_words(max_age)}.",
        advice=worded(
            python=f'Sync it first: fk.sync("{mirror.path}").',
            command_line=f"Run: {sync}; or name the service with --base-url.",
        ),
    )


def _age(mirror: Mirror) -> timedelta:
    return datetime.now(UTC) - mirror.fetched_at


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
