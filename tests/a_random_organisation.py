"""Random organisations as the API shows them, and their figures counted in plain Python.

Nothing here imports what is measured: the truth is counted from the records alone.
"""

from __future__ import annotations

import calendar
import random
from collections import defaultdict
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from conftest import a_flight, a_project, an_equipment

__all__ = ["RandomOrganisation"]

ZONES = ("UTC", "Europe/Oslo", "America/New_York", "Asia/Tokyo")
STATUSES = ("ACTIVE", "ACTIVE", "ACTIVE", "MAINTENANCE", "GROUNDED", "RETIRED", "LOST", "LENT")
CONDITIONS = ("NEW", "GOOD", "FAIR", "WORN", "POOR", "DAMAGED", "SHINY", None)
STAGES = (
    "DRAFT", "CONFIRMED", "SCHEDULED", "IN_PROGRESS", "DELIVERED", "INVOICED", "COMPLETED",
    "CANCELLED", "ON_HOLD", "PARKED",
)  # fmt: skip
CURRENCIES = ("EUR", "NOK", "GBP", "USD", "AUD", "ZAR", None)
BEGUN = datetime(2025, 8, 1, tzinfo=UTC)


class RandomOrganisation:
    """An organisation, the moment of its data, a month to report on, and what is so of it.

    Parameters
    ----------
    seed : int
        Another seed, another organisation.
    """

    def __init__(self, seed: int) -> None:
        chance = self.chance = random.Random(seed)
        self.zone = chance.choice(ZONES)
        self.tz = ZoneInfo(self.zone)
        self.dates_only = chance.random() < 0.2
        self.fetched_at = BEGUN + timedelta(days=chance.randrange(200, 600), hours=9.5)
        self.equipment = [self._piece(number) for number in range(chance.randrange(10))]
        self.flights = [self._flight(number) for number in range(chance.choice((0, 1, 12, 70)))]
        self.pairs = self._logged()
        self._count()
        self.projects = [self._project(number) for number in range(chance.randrange(14))]
        local = self.fetched_at.astimezone(self.tz).date()
        back = chance.choice((0, 0, 1, 1, 2, 5))
        self.since, self.until = _month(local, -back), _month(local, 1 - back)

    # -- the records ------------------------------------------------------------------------------

    def _piece(self, number: int) -> dict[str, Any]:
        chance = self.chance
        return an_equipment(
            f"eq_{number}",
            name=f"Piece {number}",
            type=chance.choice(("DRONE", "DRONE", "CAMERA")),
            status=chance.choice(STATUSES),
            condition=chance.choice(CONDITIONS),
            registrationExpiry=chance.choice((None, self._moment(-120, 140, midnight=True))),
        )

    def _flight(self, number: int) -> dict[str, Any]:
        chance = self.chance
        recorded = (None, 0, -5, 30, 1800, 5400, chance.randrange(9000))
        unrecorded = (None,) * 3
        durations = unrecorded if self.chance.random() < 0.1 else recorded
        pilot = chance.choice((None, "Ada", "Bo", "Chloé"))
        return a_flight(
            f"fl_{number:03d}",
            self._moment(-420, 20, midnight=self.dates_only),
            flightType=chance.choice(("COMMERCIAL", "TRAINING", "MAINTENANCE")),
            durationSeconds=chance.choice(durations),
            nightFlight=chance.choice((None, True, False)),
            pilotInCommand=pilot and {"id": f"prof_{pilot}", "fullName": pilot},
        )

    def _logged(self) -> list[tuple[str, str]]:
        ids = [piece["id"] for piece in self.equipment]
        return [
            (flight["id"], piece)
            for flight in self.flights
            for piece in (self.chance.sample(ids, min(len(ids), self.chance.choice((1, 1, 2)))))
        ]

    def _count(self) -> None:
        """Let equipment count for itself: rightly, wrongly, or not at all."""
        if not self.equipment:
            self.flights = []  # a flight is listed under equipment only
        for piece in self.equipment:
            logs = self.logs_of(piece["id"])
            hours = sum(max(flight["durationSeconds"] or 0, 0) for flight in logs) / 3600
            piece["totalFlights"] = self.chance.choice((None, len(logs), len(logs) + 1))
            piece["totalFlightHours"] = self.chance.choice((None, hours, hours + 0.1, hours * 1.5))

    def _project(self, number: int) -> dict[str, Any]:
        chance = self.chance
        return a_project(
            f"proj_{number}",
            title=f"Project {number}",
            status=chance.choice(STAGES),
            agreedPrice=chance.choice((None, 0, 1234.5, chance.randrange(90_000))),
            currency=chance.choice(CURRENCIES),
            scheduledDate=chance.choice((None, self._moment(-90, 60, midnight=True))),
            updatedAt=self._moment(-60, 0, midnight=False),
        )

    def _moment(self, first: int, last: int, *, midnight: bool) -> str:
        """Return a time at so many days from the moment of the data."""
        day = self.fetched_at + timedelta(days=self.chance.randint(first, last))
        clock = time(0) if midnight else time(self.chance.randrange(24), 30)
        return datetime.combine(day.date(), clock, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")

    # -- what is so of it -------------------------------------------------------------------------

    def logs_of(self, piece: str) -> list[dict[str, Any]]:
        """Return the flights that are listed under a piece of equipment."""
        ids = {flight for flight, holder in self.pairs if holder == piece}
        return [flight for flight in self.flights if flight["id"] in ids]

    def clock(self, text: str, *, dates: bool) -> datetime:
        """Return what the clock showed: of the zone, or of the calendar where dates are dates."""
        moment = datetime.fromisoformat(text)
        return (moment if dates else moment.astimezone(self.tz)).replace(tzinfo=None)

    @property
    def are_dates(self) -> bool:
        """Whether (nearly) all flight dates come at midnight."""
        times = [flight["flightDate"][11:19] for flight in self.flights]
        return bool(times) and times.count("00:00:00") >= 0.99 * len(times)

    @property
    def now(self) -> datetime:
        """The clock when the data were fetched."""
        return self.fetched_at.astimezone(self.tz).replace(tzinfo=None)

    @property
    def first(self) -> datetime | None:
        """The start of the first flight's day."""
        clocks = [self.clock(flight["flightDate"], dates=self.are_dates) for flight in self.flights]
        return datetime.combine(min(clocks).date(), time(0)) if clocks else None

    def flown(self, since: datetime, until: datetime) -> list[dict[str, Any]]:
        """Return the flights of a span, as the clock shows it."""
        return [
            flight
            for flight in self.flights
            if since <= self.clock(flight["flightDate"], dates=self.are_dates) < until
        ]

    @property
    def span(self) -> tuple[datetime, datetime]:
        """The period, until the data were fetched."""
        return _midnight(self.since), min(_midnight(self.until), self.now)

    def earlier(self, months: int) -> tuple[datetime, datetime]:
        """Return the same days of another month."""
        since, until = self.span
        end = _midnight(_month(self.until, -months))
        if until < _midnight(self.until):
            year, month = divmod(until.year * 12 + until.month - 1 - months, 12)
            if until.day <= calendar.monthrange(year, month + 1)[1]:
                end = until.replace(year=year, month=month + 1)
        return _midnight(_month(since.date(), -months)), end

    @property
    def aircraft(self) -> set[str]:
        """Ids of equipment of the types that flew with no other piece."""
        holders = defaultdict(list)
        for flight, piece in self.pairs:
            holders[flight].append(piece)
        alone = {pieces[0] for pieces in holders.values() if len(pieces) == 1}
        kinds = {piece["type"] for piece in self.equipment if piece["id"] in alone}
        return {piece["id"] for piece in self.equipment if piece["type"] in kinds}

    @property
    def serving(self) -> list[dict[str, Any]]:
        """Equipment that is in service."""
        return [piece for piece in self.equipment if piece["status"] not in ("RETIRED", "LOST")]

    def days_left(self, piece: dict[str, Any]) -> int | None:
        """Return the days that a registration has left; dates are not shifted."""
        expiry = piece["registrationExpiry"]
        return None if expiry is None else (date.fromisoformat(expiry[:10]) - self.now.date()).days


def hours(flights: list[dict[str, Any]]) -> float | None:
    """Return flown hours; None where there are flights and none has a duration."""
    if flights and all(flight["durationSeconds"] is None for flight in flights):
        return None
    return sum(max(flight["durationSeconds"] or 0, 0) for flight in flights) / 3600


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(0))


def _month(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, 1)
