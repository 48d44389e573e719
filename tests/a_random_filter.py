"""Random choices of the flight explorer's controls, and what pandas alone counts for them."""

import math
import re

import numpy as np
import pandas as pd
from a_page import quantity

UNASSIGNED = "Unassigned"
# What a control is called → what it chooses; lists first, in the order of the screen.
LISTS = {
    "Period": "period",
    "Equipment type": "type",
    "Equipment category": "category",
    "Piece of equipment": "equipment",
    "Pilot": "pilot",
    "Client": "client",
    "Project": "project",
    "Operation": "operation_type",
    "Night flight": "night",
    "BVLOS": "bvlos",
}
NO_CHOICE = ("", "own dates")
OF_LINKS = {"type", "category", "equipment"}
DECIMALS = {"hours": 1, "flights": 0, "median": 1, "distance": 0}
# What is chosen → the column that says it in words.
ANSWERS = {"night": "night_answer", "bvlos": "bvlos_answer"}


def random_choices(rng, controls, turn, likely):
    """Return what to do to the controls, and the choices that it makes.

    Each turn has another chart. Unknown answers, dates and searches each come in some turns for
    sure; the rest is drawn from what the controls offer, mostly of what one flight has (`likely`),
    so that few filters leave nothing.
    """
    labels = rng.sample([label for label in LISTS if label in controls], rng.randint(0, 3))
    labels += [["Night flight"], ["BVLOS"], [], ["Project"], ["Pilot"]][turn % 5]
    acts, chosen = [], {}
    for label in dict.fromkeys(labels):
        offered = controls[label]
        value = likely[LISTS[label]]
        if value not in offered["values"] or rng.random() < 0.25:
            value = rng.choice([value for value in offered["values"] if value not in NO_CHOICE])
        if label in ("Night flight", "BVLOS") and turn % 5 < 2:
            value = "unknown"
        is_searched = offered["search"] and rng.random() < 0.6
        acts.append(
            ["search", label, offered["texts"][value]] if is_searched else ["list", label, value]
        )
        chosen[LISTS[label]] = value
    if turn % 3 == 0:
        since, until = likely["dates"]
        acts += [["date", "Since", since], ["date", "Until (not included)", until]]
        chosen |= {"since": since, "until": until}
        chosen.pop("period", None)
    types = rng.sample(controls["types"], rng.choice([0, 0, 1, 2]))
    if types and likely["flight_type"] not in types:
        types[0] = likely["flight_type"]
    acts += [["tick", kind, None] for kind in types]
    shown = {}
    for label, name in {"Chart of": "measure", "By": "grouping"}.items():
        offered = controls[label]["values"]
        shown[name] = offered[turn % len(offered)]
        acts.append(["list", label, shown[name]])
    return acts, {**chosen, **({"flight_type": types} if types else {})}, shown


class Counted:
    """Flights, equipment and projects of a fleet in UTC, counted by pandas."""

    def __init__(self, fleet):
        flights, projects = fleet.flights(), fleet.projects()
        clients = projects.set_index("project_id")["client_account_name"]
        dates = flights["flight_date"]
        week = dates.dt.isocalendar()
        self.flights = flights.assign(
            pilot=flights["pilot_id"].fillna(UNASSIGNED),
            project=flights["project_id"].fillna(UNASSIGNED),
            client=flights["project_id"].map(clients).fillna(UNASSIGNED),
            flight_type=flights["flight_type"].astype(str),
            month=dates.dt.strftime("%Y-%m"),
            week=week["year"].astype(str) + "-W" + week["week"].astype(str).str.zfill(2),
            weekday=dates.dt.day_of_week + 1,
            hour=dates.dt.hour,
            night_answer=_in_words(flights["night_flight"]),
            bvlos_answer=_in_words(flights["bvlos"]),
        )
        self._chosen = {}
        pieces = fleet.equipment()[["equipment_id", "type", "category"]]
        links = fleet.flight_equipment().merge(pieces, on="equipment_id", how="left")
        self.links = links.assign(equipment=links["equipment_id"])
        flown_by = links.groupby("flight_id")["type"]
        exclusive = flown_by.first()[flown_by.size() == 1]
        self.aircraft_types = set(exclusive)

    def likely(self, rng):
        """Return what one flight has, by field, and dates that it lies between."""
        place = rng.randrange(len(self.flights))
        flight = self.flights.iloc[place]
        links = self.links[self.links["flight_id"] == flight["flight_id"]]
        day = flight["flight_date"].normalize()
        dates = [
            day - pd.Timedelta(days=rng.randint(0, 90)),
            day + pd.Timedelta(days=rng.randint(1, 90)),
        ]
        of_link = links.iloc[rng.randrange(len(links))] if len(links) else {}
        return {
            **{name: of_link.get(name) for name in OF_LINKS},
            **{name: flight[name] for name in ("pilot", "client", "project", "operation_type")},
            **{name: flight[column] for name, column in ANSWERS.items()},
            "flight_type": flight["flight_type"],
            "period": flight["month"][: rng.choice([4, 7])],
            "dates": [f"{date:%Y-%m-%d}" for date in dates],
        }

    def chosen(self, choices):
        """Return the flights that choices mean, and their links to what is chosen of equipment."""
        asked = repr(sorted(choices.items()))
        if asked not in self._chosen:
            self._chosen = {asked: self._choose(choices)}  # one turn asks for the same again
        return self._chosen[asked]

    def _choose(self, choices):
        links, flights = self.links, self.flights
        for name in OF_LINKS & choices.keys():
            links = links[links[name] == choices[name]]
        if OF_LINKS & choices.keys():
            flights = flights[flights["flight_id"].isin(links["flight_id"])]
        for name, value in choices.items():
            flights = flights[self._has(flights, name, value)]
        return flights, links[links["flight_id"].isin(flights["flight_id"])]

    def _has(self, flights, name, value):
        if name in OF_LINKS:
            return pd.Series(True, index=flights.index)
        if name == "period":
            return flights["month"].str.startswith(value)
        if name in ("since", "until"):
            moment = pd.Timestamp(value, tz="UTC")
            dates = flights["flight_date"]
            return dates >= moment if name == "since" else dates < moment
        if name == "flight_type":
            return flights[name].isin(value)
        return flights[ANSWERS.get(name, name)] == value

    def counts(self, choices, name, values):
        """Return how many flights each option of a list would leave."""
        left_out = ("since", "until") if name == "period" else ()
        rest = {key: value for key, value in choices.items() if key not in (name, *left_out)}
        flights, links = self.chosen(rest)
        if name == "period":
            months = flights["month"].value_counts()
            return [months[months.index.str.startswith(value)].sum() for value in values]
        if name in OF_LINKS:
            column = links[["flight_id", name]].drop_duplicates()[name]
        else:
            column = flights[ANSWERS.get(name, name)]
        counts = column.value_counts().to_dict()
        return [counts.get(value, 0) if value else len(flights) for value in values]

    def figures(self, choices):
        """Return the six key figures: numbers, and shares in percent."""
        flights, links = self.chosen(choices)
        flown = links.drop_duplicates("equipment_id")
        return [
            len(flights),
            _hours(flights),
            flights["pilot_id"].nunique(),
            flown["type"].isin(self.aircraft_types).sum(),
            *(
                100 * flights[name].dropna().astype(float).mean()
                for name in ("night_flight", "bvlos")
            ),
        ]

    def contradictions(self, read, choices, shown, controls, rng):
        """Return what a screen shows that pandas counts otherwise; it has looked at one state."""
        flights, _ = self.chosen(choices)
        total, is_wrong = len(flights), {}
        is_wrong["panes"] = read["split"] or read["panes"] != 5
        figures = zip(read["figures"], self.figures(choices), (0, 1, 0, 0, 1, 1), strict=True)
        is_wrong["figures"] = not all(is_written(*figure) for figure in figures)
        ordered = flights.sort_values(["flight_date", "flight_id"], ascending=[False, True])
        identifiers = ordered["flight_id"].head(20).tolist()
        is_wrong["rows"] = [row[-1] for row in read["rows"] if len(row) > 1] != identifiers
        of_all = f"1–{min(20, total)} of {quantity(total)}" if total else "No flights"
        is_wrong["where"] = read["where"] != of_all
        in_words = f"{total:,} of {quantity(len(self.flights))}"
        is_wrong["words"] = not read["words"].startswith(in_words)
        is_wrong["chart"] = not self._is_drawn(read, choices, **shown)
        label = rng.choice([label for label in LISTS if label in controls])
        values = [value for value in controls[label]["values"] if value != "own dates"]
        written = [read["counts"][label].get(value) for value in values]
        listed = zip(written, self.counts(choices, LISTS[label], values), strict=True)
        # A list that is searched holds the options that were found.
        is_wrong[label] = any(text is not None and text != count for text, count in listed)
        return [name for name, is_so in is_wrong.items() if is_so]

    def _is_drawn(self, read, choices, grouping, measure):
        """Whether the chart says, in words and at each bar, what pandas counts."""
        flights, _ = self.chosen(choices)
        if grouping == "place":
            # 0, 0 is a fault of the log.
            located = flights.query("not (takeoff_lat == 0 and takeoff_lng == 0)")
            located = located[["takeoff_lat", "takeoff_lng"]].notna().all(axis=1).sum()
            words = f"Map of take-off points: {located:,} of {quantity(len(flights))}."
            return read["drawing"] == (words if len(flights) else "")
        bars = self.measured(choices, [grouping], measure)
        if not bars:
            return read["drawing"] == ""
        parts = bars if measure == "median" else {}
        parts = parts or self.measured(choices, [grouping, "flight_type"], measure)
        words, _, most = read["drawing"].removesuffix(".").rpartition(" with ")
        drawn = [
            (title.split(" · ")[-1], parts[key.removeprefix("bar-")], DECIMALS[measure])
            for key, title in read["bars"]
        ]
        counted = re.search(r" ([\d,]+) bars?, the largest$", words)
        others = re.search(r", and ([\d,]+) more ", read["drawing"])
        in_words = [int(found[1].replace(",", "")) for found in (counted, others) if found]
        return (
            (grouping == "month" or sum(in_words) == len(bars))
            and is_written(most, np.nan_to_num([*bars.values()]).max(), DECIMALS[measure])
            and all(is_written(*bar) for bar in drawn)
        )

    def measured(self, choices, by, measure):
        """Return the measure of each bar, or of each part of a bar, by its key."""
        flights, links = self.chosen(choices)
        grouping = by[0]
        if grouping in OF_LINKS:
            if grouping == "equipment":
                links = links[links["type"].isin(self.aircraft_types)]
            pairs = links[["flight_id", grouping]].drop_duplicates().dropna()
            flights = flights.drop(columns=grouping, errors="ignore").merge(pairs, on="flight_id")
        seconds = flights["duration_seconds"].astype(float)
        flights = flights.assign(timed=seconds.where(seconds > 0))
        # A flight without a time has a bar of its own.
        groups = flights.groupby(by, dropna=grouping not in {"weekday", "hour"})
        measured = {
            "hours": lambda: groups["timed"].sum(min_count=1) / 3600,
            "flights": groups.size,
            "distance": lambda: groups["traveled_distance"].sum(min_count=1),
            "median": lambda: groups["timed"].median() / 60,
        }[measure]()
        keys = ["-".join(map(str, key)) for key in measured.index.to_frame().to_numpy()]
        return dict(zip(keys, measured.astype(float), strict=True))


def _in_words(answers):
    return answers.astype(object).map({True: "true", False: "false"}).fillna("unknown")


def _hours(flights):
    seconds = flights["duration_seconds"].astype(float)
    return seconds[seconds > 0].sum() / 3600


def is_written(text, number, decimals):
    """Whether a text starts with a number, rounded to so many decimals whichever way at a half."""
    if math.isnan(number):
        return text.startswith("–")
    if text.startswith("–"):
        return False
    read = float(text.split()[0].replace(",", ""))
    return abs(read - number) <= 0.5 * 10**-decimals + 1e-6
