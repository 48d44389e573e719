"""An invented organisation that lives: random steps as a service would record them."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any

from conftest import a_flight, a_project, a_service, a_tier, an_equipment, serving

__all__ = ["Organisation", "Service"]

STAGES = ("DRAFT", "SCHEDULED", "IN_PROGRESS", "COMPLETED", "CANCELLED")
CONDITIONS = ("GOOD", "FAIR", "WORN")


class Organisation:
    """Records and the random steps that change them.

    Parameters
    ----------
    seed : int
        The same seed gives the same organisation and the same steps.
    counted : bool
        Whether a counter of some equipment tells each change of flights, and a project's row each
        change of its details. If not, only such steps are taken as can go unnoticed.
    equipment, flights, projects : int
        How many to begin with.

    Attributes
    ----------
    taken : Counter of str
        How often each step was taken.
    """

    def __init__(
        self,
        seed: int,
        *,
        counted: bool = True,
        equipment: int = 11,
        flights: int = 60,
        projects: int = 12,
    ) -> None:
        self.chance = random.Random(seed)
        self.taken: Counter[str] = Counter()
        self._clock, self._names = 0, 0
        self._equipment: dict[str, dict[str, Any]] = {}
        self._flights: dict[str, dict[str, Any]] = {}
        self._pairs: set[tuple[str, str]] = set()
        self._projects: dict[str, dict[str, Any]] = {}
        self._services = {f"svc_{number}": {"base": 100.0, "percent": 5.0} for number in (1, 2)}
        self._moved: set[str] = set()
        self._counted = True
        for step, times in ((self._buy, equipment), (self._log, flights), (self._open, projects)):
            for _ in range(times):
                step()
        self._count()
        self._counted = counted

    def live(self, steps: int) -> None:
        """Take random steps."""
        weights: dict[Callable[[], None], int] = {
            self._log: 8,
            self._edit: 12,
            self._move_in_time: 5,
            self._delete: 5,
            self._attach: 6,
            self._detach: 4,
            self._hand_over: 6,
            self._edit_details: 2,
        }
        if self._counted:
            weights |= {
                self._buy: 1,
                self._sell: 1,
                self._wear: 2,
                self._open: 1,
                self._close: 1,
                self._move_stage: 4,
                self._price: 2,
            }
        for step in self.chance.choices(list(weights), list(weights.values()), k=steps):
            self.taken[step.__name__.strip("_")] += 1
            step()

    def records(self) -> dict[str, list[Any]]:
        """Return all records as the service shows them."""
        self._count()
        return {
            "flights": list(self._flights.values()),
            "equipment": [an_equipment(name, **piece) for name, piece in self._equipment.items()],
            "flight_equipment": sorted(self._pairs),
            "projects": list(self._projects.values()),
            "services": [
                a_service(
                    name, a_tier(f"tier_{name}", 1, service["percent"]), baseRate=service["base"]
                )
                for name, service in self._services.items()
            ],
        }

    # -- flights ----------------------------------------------------------------------------------

    def _log(self) -> None:
        name = self._new("fl")
        self._flights[name] = a_flight(name, self._a_day())
        pieces = self.chance.sample(sorted(self._equipment), self.chance.choice((1, 2, 2)))
        self._pairs |= {(name, piece) for piece in pieces}
        self._tell(pieces)

    def _edit(self) -> None:
        fields = {
            "durationSeconds": self.chance.choice((None, 0, 1800, self.chance.randrange(9000))),
            "bvlos": self.chance.choice((None, True, False)),
            "maxAltitude": self.chance.choice((None, 80.5, 120)),
            "pilotInCommand": self.chance.choice((None, {"id": "p", "fullName": "Ada Ødegård"})),
        }
        field = self.chance.choice(list(fields))
        self._edited(self._any_flight(), {field: fields[field]})

    def _move_in_time(self) -> None:
        self._edited(self._any_flight(), {"flightDate": self._a_day()})

    def _edited(self, name: str, fields: dict[str, Any]) -> None:
        if self.chance.random() < 0.5:
            fields = {**fields, "updatedAt": self._now()}
        self._flights[name] = {**self._flights[name], **fields}
        self._tell(self._some_holders(name))

    def _delete(self) -> None:
        name = self._any_flight()
        self._tell(self._some_holders(name))
        del self._flights[name]
        self._pairs = {pair for pair in self._pairs if pair[0] != name}

    def _attach(self) -> None:
        pair = (self._any_flight(), self._any_piece())
        self._pairs.add(pair)
        self._tell([pair[1]])

    def _detach(self) -> None:
        """Take a flight from under one piece; where that was the last, no list shows it."""
        pair = self.chance.choice(sorted(self._pairs))
        self._pairs.discard(pair)
        self._tell([pair[1]])

    def _hand_over(self) -> None:
        name, piece = self.chance.choice(sorted(self._pairs))
        other = self._any_piece()
        self._pairs = self._pairs - {(name, piece)} | {(name, other)}
        self._tell([piece, other])

    # -- everything else --------------------------------------------------------------------------

    def _buy(self) -> None:
        name = self._new("eq")
        specifications = {"battery": f"{self._names}S"} if self.chance.random() < 0.5 else {}
        self._equipment[name] = {"specifications": specifications}
        self._tell([name])

    def _sell(self) -> None:
        if len(self._equipment) > 8:
            name = self._any_piece()
            del self._equipment[name]
            self._pairs = {pair for pair in self._pairs if pair[1] != name}

    def _wear(self) -> None:
        self._equipment[self._any_piece()]["condition"] = self.chance.choice(CONDITIONS)

    def _open(self) -> None:
        name = self._new("proj")
        self._projects[name] = a_project(name, crmDealName=f"Deal {self._names}")

    def _close(self) -> None:
        if len(self._projects) > 8:
            del self._projects[self._any_project()]

    def _move_stage(self) -> None:
        self._projects[self._any_project()] |= {
            "status": self.chance.choice(STAGES),
            "updatedAt": self._now(),
        }

    def _edit_details(self) -> None:
        moved = {"updatedAt": self._now()} if self._counted else {}
        deal = self.chance.choice((None, f"Deal {self._now()}"))
        self._projects[self._any_project()] |= {"crmDealName": deal, **moved}

    def _price(self) -> None:
        service = self._services[self.chance.choice(sorted(self._services))]
        service[self.chance.choice(("base", "percent"))] = self.chance.randrange(1, 500) / 4

    # -- what steps are made of -------------------------------------------------------------------

    def _new(self, kind: str) -> str:
        self._names += 1
        return f"{kind}_{self._names:05d}"

    def _now(self) -> str:
        self._clock += 1
        hours, seconds = divmod(self._clock, 3600)
        return f"2026-11-01T{hours:02d}:{seconds // 60:02d}:{seconds % 60:02d}.000Z"

    def _a_day(self) -> str:
        month, day = self.chance.randrange(8, 11), self.chance.randrange(1, 29)
        return f"2026-{month:02d}-{day:02d}T{self.chance.choice(('00:00:00', '23:59:59'))}.000Z"

    def _any_piece(self) -> str:
        return self.chance.choice(sorted(self._equipment))

    def _any_project(self) -> str:
        return self.chance.choice(sorted(self._projects))

    def _any_flight(self) -> str:
        return self.chance.choice(sorted(self._flights))

    def _some_holders(self, flight: str) -> list[str]:
        """Return at least one of the pieces that logged a flight, if any did."""
        holders = sorted(piece for name, piece in self._pairs if name == flight)
        return self.chance.sample(holders, self.chance.randint(1, len(holders))) if holders else []

    def _tell(self, pieces: Iterable[str]) -> None:
        """Note that some equipment will tell a change."""
        self._moved.update(pieces)

    def _count(self) -> None:
        """Let equipment tell: by its totals, by its time, or by both."""
        moved = sorted(self._moved & self._equipment.keys()) if self._counted else []
        for name in moved:
            piece = self._equipment[name]
            logged = [self._flights[flight] for flight, holder in self._pairs if holder == name]
            seconds = sum(flight["durationSeconds"] or 0 for flight in logged)
            totals = {"totalFlights": len(logged), "totalFlightHours": seconds / 3600}
            if totals.items() <= piece.items() or self.chance.random() < 0.5:
                piece["updatedAt"] = self._now()
            piece |= totals
        self._moved.clear()


class Service:
    """An organisation served over real HTTP; what changes is seen from `publish` on.

    Parameters
    ----------
    stack : ExitStack
        It is served until this ends.
    organisation : Organisation
    **options
        As for `conftest.serving`.

    Attributes
    ----------
    served : conftest.Served
    """

    def __init__(self, stack: ExitStack, organisation: Organisation, **options: Any) -> None:
        self.organisation = organisation
        self._shown = copy.deepcopy(organisation.records())
        self.served = serving(stack, self._shown, **options)

    def publish(self, steps: int) -> None:
        """Let the organisation live, then show all of it at once."""
        self.organisation.live(steps)
        records = copy.deepcopy(self.organisation.records())
        with self.served.store.writing(self.served.organisation) as writer:
            gone = {name: _keys(self._shown[name]) - _keys(records[name]) for name in records}
            writer.detach(gone.pop("flight_equipment"))
            for name, identifiers in gone.items():
                writer.remove(name, sorted(identifiers))
            writer.put("flights", records["flights"])
            writer.put("equipment", records["equipment"])
            assert not writer.attach(records["flight_equipment"])
            writer.put("projects", records["projects"])
            writer.put("services", records["services"])
        self._shown = records


def _keys(records: list[Any]) -> set[Any]:
    return {record["id"] if isinstance(record, dict) else record for record in records}
