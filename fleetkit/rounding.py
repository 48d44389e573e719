"""Numbers as text, rounded in the same way wherever they are shown.

Half is rounded away from zero, as in spreadsheets, on the decimal value: 106.25 becomes 106.3 with
one decimal, and 1.25 becomes 1.3 even if binary arithmetic gave 1.2499999999999998.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from math import isfinite
from numbers import Integral
from typing import Any

from fleetkit.language import localized, say

__all__ = [
    "HOURS",
    "NOTHING",
    "PERCENT",
    "RATE",
    "ROUNDING_ERROR",
    "SECONDS_PER_HOUR",
    "as_shown",
    "decimals_of",
    "format_number",
    "number",
    "per_cent",
    "percent",
    "rate_decimals",
]

# Shown in place of a missing number.
NOTHING = "–"
# Decimals of hours, of hours per aircraft and day, and of shares and changes in per cent.
HOURS, RATE, PERCENT = 1, 2, 1
SECONDS_PER_HOUR = 3600
# Decimals of rates: more where one of them would read as 0, as a price for each photo can.
_OF_RATES = (2, 4, 6)
# What the name of a column ends with, or holds → its decimals.
_DECIMALS = (
    (re.compile(r"(^|_)(lat|lng|latitude|longitude)$"), 5),
    (re.compile(r"(^|_)(share|probability|ratio)(_other|_change)?$"), 3),
    (re.compile(r"hours_per_aircraft_day"), RATE),
)
# Largest rounding error of a share, and of a sum or a difference as a share of it.
ROUNDING_ERROR = 1e-9
_ALL = 100  # per cent
# Digits of a binary fraction that are certain; the others are rounding errors.
_CERTAIN_DIGITS = 15
_ROUNDING = Context(prec=400, rounding=ROUND_HALF_UP)
_SIGN = re.compile(r"^[+-](?=[0.,]*(?: ?%)?$)")


def number(value: Any, decimals: int = 0) -> str:
    """Write a number with thousands separated and a true minus; null is a dash.

    Parameters
    ----------
    value : number or null
    decimals : int

    Examples
    --------
    >>> number(1795.25), number(-3.14159, 1), number(-0.04, 1), number(106.25, 1), number(None)
    ('1,795', '−3.1', '0.0', '106.3', '–')
    """
    return format_number(value, f",.{decimals}f")


def percent(share: Any, decimals: int = PERCENT) -> str:
    """Write a share from 0 to 1 as per cent; see `per_cent`.

    Parameters
    ----------
    share : number or null
    decimals : int

    Examples
    --------
    >>> percent(0.035), percent(0.996, 0), percent(None)
    ('3.5 %', '99.6 %', '–')
    """
    text = per_cent(share, decimals)
    return text if text == NOTHING else f"{text} %"


def per_cent(share: Any, decimals: int = PERCENT) -> str:
    """Write how many per cent a share is, so that it reads as none or all only where it is.

    Parameters
    ----------
    share : number or null
        From 0 to 1.
    decimals : int
        One more where without it the share would read as 0 or 100.

    Examples
    --------
    >>> per_cent(0.035), per_cent(0.145, 0), per_cent(1), per_cent(None)
    ('3.5', '15', '100.0', '–')
    >>> per_cent(0.996, 0), per_cent(0.9996, 0), per_cent(0.0004)
    ('99.6', 'over 99.9', 'under 0.1')
    """
    exact = _decimal(share)
    if exact is None:
        return NOTHING
    hundredths = exact.scaleb(2)
    for digits in range(decimals, max(decimals, PERCENT) + 1):
        rounded = as_shown(hundredths, digits)
        if not (rounded == 0 < hundredths or hundredths < _ALL == rounded):
            return number(hundredths, digits)
    step = Decimal(1).scaleb(-digits)
    if rounded == 0:
        return say("under {size}", size=number(step, digits))
    return say("over {size}", size=number(_ALL - step, digits))


def format_number(value: Any, spec: str) -> str:
    """Format a number as Python's format specification says, but round half away from zero.

    Its marks of thousands and decimals are those of the language in force.

    Parameters
    ----------
    value : number or null
        Null, infinity and a value that is not a number become a dash.
    spec : str
        Such as ``",.1f"``, ``"+,.2f"`` or ``".1%"``.

    Examples
    --------
    >>> format_number(0.125, ".2f"), format_number(1234.5, "+,.0f"), format_number(0.145, ".0%")
    ('0.13', '+1,235', '15 %')
    """
    return localized(_formatted(value, spec))


def as_shown(value: Any, decimals: int = 0) -> float:
    """Return a number as it is rounded where it is shown; 0 for null.

    Examples
    --------
    >>> as_shown(106.25, 1), as_shown(-3.14159, 1), as_shown(-0.04, 1)
    (106.3, -3.1, 0.0)
    """
    text = _formatted(value, f".{decimals}f")
    return 0.0 if text == NOTHING else float(text.replace("−", "-"))


def decimals_of(column: str, otherwise: int) -> int:
    """Return the decimals of a column's numbers, by its name.

    Examples
    --------
    >>> decimals_of("hours_share", HOURS), decimals_of("hours", HOURS)
    (3, 1)
    """
    return next((count for part, count in _DECIMALS if part.search(column)), otherwise)


def rate_decimals(rates: Iterable[Any]) -> int:
    """Return the decimals of rates: two, or more where one of them would read as 0.

    Parameters
    ----------
    rates : iterable of numbers and nulls

    Examples
    --------
    >>> rate_decimals([125.5, 0, None]), rate_decimals([125.5, 0.0045]), rate_decimals([0.00003])
    (2, 4, 6)
    """
    amounts = [rate for rate in rates if as_shown(rate, _OF_RATES[-1])]
    read = (count for count in _OF_RATES if all(as_shown(rate, count) for rate in amounts))
    return next(read)


def _formatted(value: Any, spec: str) -> str:
    exact = _decimal(value)
    if exact is None:
        return NOTHING
    with localcontext(_ROUNDING):
        text = format(exact, re.sub("d$", ".0f", spec))
    text = _SIGN.sub("", text.replace("%", " %"))
    return text.replace("-", "−")


def _decimal(value: Any) -> Decimal | None:
    """Return the decimal value that a number stands for; None for null."""
    if isinstance(value, (Integral, Decimal)):
        return Decimal(int(value)) if isinstance(value, Integral) else value
    try:
        binary = float(value)
    except (TypeError, ValueError):
        return None
    if not isfinite(binary):
        return None
    exact = Context(prec=_CERTAIN_DIGITS, rounding=ROUND_HALF_UP).create_decimal(repr(binary))
    return Decimal(int(exact)) if exact == exact.to_integral_value() else exact
