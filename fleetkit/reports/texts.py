"""Numbers and texts as a report shows them."""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pandas as pd

from fleetkit import lettering
from fleetkit.blanks import is_blank
from fleetkit.language import say, short_day
from fleetkit.rounding import HOURS, NOTHING, format_number, number, percent
from fleetkit.time import instant

__all__ = [
    "RIGHT_TO_LEFT",
    "as_json",
    "isolated",
    "moment",
    "plain",
    "printable",
    "shown",
    "starts_right",
]

# The format of a share, such as ".1%".
_SHARE = re.compile(r",?\.([0-9]+)%")
# "9 %" and "EUR 500" stay on one line.
_HELD = re.compile(r"(?<=[0-9]) (?=%)|(?<=\b[A-Z]{3}) (?=[0-9])")
# A name from right to left: such letters, and what joins them.
_RIGHT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
RIGHT_TO_LEFT = re.compile(rf"([{_RIGHT}](?:[{_RIGHT}\s.'’-]*[{_RIGHT}])?)")
_ISOLATE, _END = "\u2068", "\u2069"
# Unicode's classes of letters that run from right to left, and of all that run one way.
_FROM_RIGHT = {"R", "AL"}
_DIRECTED = {"L", *_FROM_RIGHT}


def plain(text: str) -> str:
    r"""Return text that can neither break the page nor turn the text around it.

    Control characters and direction marks go; text that runs from right to left is isolated; a
    number keeps its percent sign or currency.

    Examples
    --------
    >>> plain("north\x00 \u202eharbour")
    'north harbour'
    """
    return isolated(printable(text))


def printable(text: str) -> str:
    r"""Return text without control characters and direction marks, on lines that break well.

    Examples
    --------
    >>> printable("north\x00 \u202eharbour")
    'north harbour'
    """
    return lettering.printable(_HELD.sub("\u00a0", text))


def isolated(text: str) -> str:
    r"""Return text so that letters from right to left can't turn the text around it.

    Examples
    --------
    >>> isolated("north"), isolated("צפון") == "\u2068צפון\u2069"
    ('north', True)
    """
    if not text.isascii() and any(
        unicodedata.bidirectional(letter) in _FROM_RIGHT for letter in text
    ):
        return f"{_ISOLATE}{text}{_END}"
    return text


def starts_right(text: str) -> bool:
    """Return whether the first letter that has a direction runs from right to left.

    Examples
    --------
    >>> starts_right("12 צפון"), starts_right("north 12"), starts_right("12")
    (True, False, False)
    """
    classes = map(unicodedata.bidirectional, text)
    return next(filter(_DIRECTED.__contains__, classes), "L") in _FROM_RIGHT


def moment(when: datetime, tz: str) -> str:
    """Write a moment as the clocks of a zone show it, to the minute.

    Examples
    --------
    >>> from datetime import UTC
    >>> moment(datetime(2026, 11, 2, 6, tzinfo=UTC), "Europe/Oslo")
    '2 Nov 2026, 07:00'
    """
    local = instant(when, tz)
    return f"{short_day(local)}, {local:%H:%M}"


def as_json(value: Any) -> Any:
    """Return the value as JSON can hold it: no NaN, no numpy, times as ISO text.

    Examples
    --------
    >>> as_json(Decimal("1.50")), as_json(float("nan")), as_json(pd.Timestamp("2026-10-31"))
    (1.5, None, '2026-10-31T00:00:00')
    """
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, Decimal):  # a sum of DuckDB, say
        value = float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    return value if isinstance(value, (bool, int, float)) else str(value)


def shown(value: Any, form: str = "") -> str:
    """Return the value as a table cell shows it.

    Parameters
    ----------
    value : scalar
        Null shows as a dash, and so does a text of blanks.
    form : str, optional
        A format such as ``"{:,.1f}"`` or ``"{:%d %b %Y}"``; default: by the kind of value.
        Numbers are rounded half away from zero.

    Examples
    --------
    >>> shown(1234.56), shown(1234), shown(True), shown(None)
    ('1,234.6', '1,234', 'yes', '–')
    >>> shown(0.145, "{:.0%}"), shown(106.25, "{:,.1f}"), shown(pd.Timestamp("2026-10-05"))
    ('15 %', '106.3', '5 Oct 2026')
    """
    if as_json(value) is None:
        return NOTHING
    if form:
        plain = as_json(value)
        return form.format(_Rounded(plain) if isinstance(plain, (int, float)) else value)
    if isinstance(value, (date, datetime)):
        return short_day(value)
    value = as_json(value)
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, (int, float)):
        return number(value, 0 if isinstance(value, int) else HOURS)
    text = str(value)
    return NOTHING if is_blank(text) else text


class _Rounded:
    """A number that formats itself as `rounding` does."""

    def __init__(self, value: float) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        share = _SHARE.fullmatch(spec)
        return percent(self._value, int(share[1])) if share else format_number(self._value, spec)
