"""What a report is about, in the words that it shows."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

from fleetkit.areas import in_words
from fleetkit.blanks import is_blank, name_or_id
from fleetkit.branding import read_logo
from fleetkit.exclusion import IS, NOT
from fleetkit.filters import UNKNOWN, Filter
from fleetkit.interface import recognisable
from fleetkit.language import listed, month_name, named, say, short_day, short_month, titled
from fleetkit.lettering import MADE_OF
from fleetkit.mirror import Mirror
from fleetkit.reports import freshness
from fleetkit.reports.filter_names import names_of
from fleetkit.reports.texts import moment
from fleetkit.settings import Settings
from fleetkit.time import Period, SoFar, so_far

__all__ = ["Subject"]

KIND = "Fleet report"
LONGEST_SLUG = 40
# Digits of a checksum: enough to tell thousands of names without Latin letters apart.
DIGITS = 12


@dataclass(frozen=True)
class Subject:
    """Period, time zone, filter and settings of a report."""

    period: Period
    tz: str
    filter: Filter
    settings: Settings

    @property
    def folder(self) -> str:
        """Name of the report's folder: the period's, and for a filtered report the filter's.

        A filter may hold any text, such as ``../../x``; letters and digits of it are used, and a
        checksum distinguishes the rest.

        Examples
        --------
        >>> from fleetkit.time import Period
        >>> october = Period.read("2026-10")
        >>> Subject(october, "UTC", Filter(client="../../Fjord Energy"), Settings()).folder
        '2026-10_fjord-energy-...'
        """
        values = self.filter.to_parameters()
        if not values:
            return self.period.name
        exact = json.dumps(values, sort_keys=True)
        words = " ".join(_text(name, value) for name, value in values.items())
        plain = (
            unicodedata.normalize("NFKD", words.translate(MADE_OF))
            .encode("ascii", "ignore")
            .decode()
            .lower()
        )
        slug = re.sub(r"[^a-z0-9]+", "-", plain)[:LONGEST_SLUG].strip("-")
        checksum = hashlib.sha256(exact.encode()).hexdigest()[:DIGITS]
        return f"{self.period.name}_{slug}-{checksum}".replace("_-", "_")

    def so_far(self, mirror: Mirror) -> Subject:
        """Return the same subject with what had passed of its period when data were fetched."""
        return replace(self, period=so_far(self.period, mirror.fetched_at))

    def context(
        self,
        mirror: Mirror,
        left_out: Iterable[Mapping[str, str]],
        warnings: Iterable[str] = (),
    ) -> dict[str, Any]:
        """Return what the templates show about the report as a whole."""
        names = (self.settings.organisation, self.settings.branding.name)
        organisation = next((name for name in names if not is_blank(name)), "")
        kind, title = say(KIND), titled(self.period.title)
        heading = f"{kind} · {title}"
        return {
            "language": named(),
            "version": version("fleetkit"),
            "organisation": organisation,
            "brand": self._brand(organisation),
            "kind": kind,
            "title": title,
            # Within a sentence: a title begins with a capital letter.
            "period": self.period.title,
            "heading": heading,
            "full_title": f"{organisation} · {heading}" if organisation else heading,
            "tz": self.tz,
            "since": self._end(self.period.since),
            "until": self._until(),
            "previous": _brief(self.period.previous(), self.period),
            "year_before": _brief(self.period.year_before(), self.period),
            "as_of": moment(mirror.fetched_at, self.tz),
            "provenance": freshness.provenance(mirror, self.tz),
            "filters": [
                f"{say(name.replace('_', ' '))} = "
                f"{_text(name, value, names_of(mirror, name, value))}"
                for name, value in self.filter.to_parameters().items()
            ],
            "units": [
                say("{measure} in {unit}", measure=say(name.replace("_", " ")), unit=unit)
                for name, unit in self.settings.units.items()
            ],
            "left_out": list(left_out),
            "warnings": list(warnings),
            "data_files": [],
            "data_version": mirror.version,
            "fingerprint": mirror.fingerprint,
        }

    def _brand(self, organisation: str) -> dict[str, str]:
        """Return what the templates show of the branding; the logo is read aloud by its name."""
        brand = self.settings.branding
        return {
            "accent": brand.accent,
            "on_dark": brand.on_dark,
            "logo": read_logo(brand.logo) if brand.logo else "",
            "name": name_or_id(brand.name, organisation or say("Logo")),
            "footer": brand.footer,
        }

    def _until(self) -> str:
        if isinstance(self.period, SoFar):
            until = moment(self.period.until, self.tz)
            return say("{moment}, when the data were fetched", moment=until)
        return self._end(self.period.until)

    def _end(self, end: datetime) -> str:
        """Write an end of the period, with its time where the period isn't of days."""
        return short_day(end) if self.period.whole.is_of_days else moment(end, self.tz)


def _text(name: str, value: Any, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Write a value of a filter, its ids with their names."""
    if name == "take_off" and value:
        return in_words(value)
    if isinstance(value, dict):
        left_out = listed([_called(text, names) for text in value[NOT]])
        if IS not in value:
            return say("all but {values}", values=left_out)
        selected = _text(name, value[IS], names)
        return say("{selected}, not {values}", selected=selected, values=left_out)
    values = value if isinstance(value, list) else [value]
    words = {True: say("yes"), False: say("no")}
    if value == UNKNOWN:  # an answer; names stand in lists
        return say("unknown")
    return f" {say('or')} ".join(words.get(item) or _called(str(item), names) for item in values)


def _called(item: str, names: Mapping[str, str]) -> str:
    return f"{names[item]} ({item})" if item in names else recognisable(item)


def _brief(earlier: Period, period: Period) -> str:
    """Title an earlier period for a narrow card: its months in three letters, a week as W40.

    Examples
    --------
    >>> october, week = Period.read("2026-10"), Period.read("2026-W41")
    >>> _brief(october.year_before(), october), _brief(week.year_before(), week)
    ('Oct 2025', 'W41 ’25')
    """
    if earlier.unit == "week" and earlier.whole is earlier:
        year, week, _ = earlier.since.isocalendar()
        if year == period.since.isocalendar().year:
            return say("W{week}", week=week)
        return say("W{week} ’{year}", week=week, year=f"{year % 100:02d}")
    title = earlier.title_beside(period)
    for end in (earlier.since, earlier.last_day):
        title = title.replace(month_name(end), short_month(end))
    return titled(title)
