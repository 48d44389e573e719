"""What the service says about its limits: Retry-After and X-RateLimit-*, in any of their forms.

The reference names no header beyond the prefix ``X-RateLimit-`` and no unit (section 8). A time
is written as seconds to go, epoch seconds, epoch milliseconds, ISO time, HTTP date or ``1m30s``;
under a name such as ``Retry-After-Ms`` as milliseconds to go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from math import isfinite
from time import time

__all__ = ["NOTHING", "Hint", "read", "seconds_until", "server_time"]

# Numbers past these are epoch milliseconds and epoch seconds, not seconds to go.
_MILLISECONDS, _EPOCH = 1e11, 1e9
# A number that is too short to be an epoch in milliseconds.
_TO_GO = re.compile(r"\d{1,11}(\.\d+)?")
# A wait past this, some 3,000 years, has no date. [s]
_LONGEST = 1e11
# Clocks that differ by no more count as the same: the Date header has whole seconds only. [s]
_SAME_CLOCK = 2.0
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")


@dataclass(frozen=True, slots=True)
class Hint:
    """What one answer says about limits.

    Attributes
    ----------
    after : float or None
        Seconds to wait before the next request (Retry-After). [s]
    left : int or None
        Requests left in the window.
    reset : float or None
        Seconds until the window is over. [s]
    rounded : bool
        Whether that is in whole seconds, so that the window may be over up to 1 s earlier.
    """

    after: float | None = None
    left: int | None = None
    reset: float | None = None
    rounded: bool = False

    @property
    def wait(self) -> float | None:
        """Seconds to wait when over quota; None where the answer doesn't say.

        Retry-After is about this request; the end of a window may be that of another one, and is
        where the window has requests left: then a limit that isn't named was exceeded.
        """
        is_of_another = self.left is not None and self.left > 0
        return self.after if self.after is not None or is_of_another else self.reset


NOTHING = Hint()


def read(headers: Mapping[str, str]) -> Hint:
    """Read the hints of an answer.

    Examples
    --------
    >>> read({"X-RateLimit-Remaining": "3", "x-ratelimit-reset": "1.5"})
    Hint(after=None, left=3, reset=1.5, rounded=False)
    >>> read({"Retry-After": "7"}).wait
    7.0
    """
    after: float | None = None
    left: dict[str, int] = {}
    reset: dict[str, tuple[float, bool]] = {}
    for name, text in headers.items():
        role, group, unit = _role(name)
        value = f"{text}{unit}" if unit and _TO_GO.fullmatch(text) else text
        if role == "left" and (match := re.match(r"\s*(\d{1,18})", value)):
            left[group] = int(match[1])
        elif role and (seconds := seconds_until(value, headers)) is not None:
            if role == "after":
                after = max(seconds, after or 0.0)
            elif role == "reset":
                whole = value.isdigit() and float(value) < _MILLISECONDS
                reset[group] = seconds, whole
    if after is None and not left and not reset:
        return NOTHING
    tightest = min(left, key=lambda group: left[group], default="")
    until, whole = reset.get(tightest, max(reset.values(), default=(None, False)))
    return Hint(after, left.get(tightest), until, whole)


@lru_cache(maxsize=256)
def _role(name: str) -> tuple[str, str, str]:
    """Return what a header means, which of several windows it belongs to, and its unit if named."""
    lowered = name.lower().replace("rate-limit", "ratelimit")
    unit = "ms" if lowered.endswith("-ms") else ""
    lowered = lowered.removesuffix("-ms")
    if lowered == "retry-after":
        return "after", "", unit
    if not lowered.startswith(("x-ratelimit-", "ratelimit-")):
        return "", "", ""
    rest = lowered.partition("ratelimit-")[2]
    for word, role in (("retry", "after"), ("remain", "left"), ("reset", "reset")):
        if word in rest:
            return role, rest.replace("remaining", "").replace("reset", "").strip("-"), unit
    return "", "", ""


def seconds_until(value: str, headers: Mapping[str, str] | None = None) -> float | None:
    """Return the seconds from now to a time in any form, at least 0; None if it is not a time.

    Parameters
    ----------
    value : str
        Such as ``30``, ``1795600000``, ``2026-11-20T12:00:00Z``, ``1m30s``.
    headers : mapping, optional
        Headers of the same answer; its ``Date`` is now on the service's own clock.

    Examples
    --------
    >>> seconds_until("30"), seconds_until("1m30s"), seconds_until("250ms"), seconds_until("soon")
    (30.0, 90.0, 0.25, None)
    """
    text = re.split("[,;]", value)[0].strip() if value[:1].isdigit() else value.strip()
    try:
        number = float(text)
    except ValueError:
        number = _parse_text(text, headers)
    else:
        if number > _MILLISECONDS:
            number = number / 1000 - _now(headers)
        elif number > _EPOCH:
            number -= _now(headers)
    return min(max(0.0, number), _LONGEST) if isfinite(number) else None


def _parse_text(text: str, headers: Mapping[str, str] | None) -> float:
    match = _DURATION.fullmatch(text)
    if text and match:
        hours, minutes, seconds, thousandths = (float(part or 0) for part in match.groups())
        return hours * 3600 + minutes * 60 + seconds + thousandths / 1000
    moment = _parse_time(text)
    return moment.timestamp() - _now(headers) if moment else float("nan")


@lru_cache(maxsize=64)
def _parse_time(text: str) -> datetime | None:
    for form in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            parsed = form(text)
            return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None


def server_time(headers: Mapping[str, str]) -> datetime | None:
    """Return the time of the answer on the service's own clock, in whole seconds."""
    return _parse_time(headers.get("Date", ""))


def _now(headers: Mapping[str, str] | None) -> float:
    server_now = server_time(headers or {})
    if server_now is None or abs(server_now.timestamp() - time()) <= _SAME_CLOCK:
        return time()
    return server_now.timestamp()
