"""The language of what a report prints: texts from catalogues, numbers and dates by Babel.

English is what the code says. Another language is a file of ``catalogues/``, or one of your own:
each of its entries holds an English text and its translation. What no entry holds stays English.
Errors and the command line are English in every language.
"""

from __future__ import annotations

from fleetkit.language.choice import (
    ENGLISH,
    available,
    chosen,
    current,
    named,
    use,
    using,
)
from fleetkit.language.dates import (
    calendar_day,
    days_between,
    month,
    month_name,
    short_day,
    short_month,
    weekdays,
)
from fleetkit.language.numbers import either, listed, localized
from fleetkit.language.sorting import alphabetical
from fleetkit.language.texts import counted, message, say, say_count, titled

__all__ = [
    "ENGLISH",
    "alphabetical",
    "available",
    "calendar_day",
    "chosen",
    "counted",
    "current",
    "days_between",
    "either",
    "listed",
    "localized",
    "message",
    "month",
    "month_name",
    "named",
    "say",
    "say_count",
    "short_day",
    "short_month",
    "titled",
    "use",
    "using",
    "weekdays",
]
