"""What is chosen, to be taken along: in words, and in forms that run as they are copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fleetkit.exclusion import named_values
from fleetkit.explore.exports import (
    as_command,
    as_comparison,
    as_page,
    as_parameters,
    as_python,
)
from fleetkit.explore.links import to_query
from fleetkit.explore.opening import divided, without_option
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.opening import demo_identity
from fleetkit.fleet.opposites import has_both, without_fulfilled
from fleetkit.lettering import single_line

if TYPE_CHECKING:
    from fleetkit.explore.subject import Subject

__all__ = ["Compared", "Form", "Takeaway"]

# Most identifiers that a line of Python, or a command, names.
_MOST = 200
_LABELS = ("Python", "Command line", "Papermill", "Page", "Link")
_APART = (
    "A page that opens with what is chosen holds nothing else to set beside it. "
    "Compare with nothing to have a link."
)


@dataclass(frozen=True)
class Form:
    """One form of what is chosen.

    Attributes
    ----------
    label, text : str
        What it is, and what is copied; empty where it can't be had.
    why_not : str
        Why it can't be had, and what to do.
    """

    label: str
    text: str
    why_not: str = ""


@dataclass(frozen=True)
class Compared:
    """What stands beside what is chosen.

    Attributes
    ----------
    chosen : Filter or None
        Its filter, without what the fleet is narrowed by; None where nothing is known of it yet.
    option : str
        What a link calls it; empty where it is known by its filter alone.
    options : dict
        What `fleetkit.compare` is given: ``metric``, and what else it takes.
    ends : tuple
        ``since`` and ``until`` of the period that is chosen: the option is one beside it.
    """

    chosen: Filter | None
    option: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    ends: tuple[str | None, str | None] = (None, None)


class Takeaway:
    """Writes filters in their export forms, for data of one fleet.

    Parameters
    ----------
    fleet : Fleet
        Where the explorer's rows come from; what it is narrowed by goes with every filter.
    subject : Subject
        What the explorer is about.
    """

    def __init__(self, fleet: Fleet, subject: Subject) -> None:
        self._explorer, self._kind = subject.name, type(subject)
        self._fields = subject.fields
        self._base, self._tz = fleet.filter, fleet.tz
        mirror = fleet.mirror
        self._demo_day = fleet.fetched_at.date() if fleet.identity == demo_identity() else None
        self._mirror = None if mirror is None else str(fleet.address)
        self._version = None if mirror is None else mirror.version
        self._address = fleet.address

    @property
    def of_fleet(self) -> list[str]:
        """What the fleet is narrowed by, as after ``--filter``."""
        return self._base.to_options()[1::2]

    def whole(self, chosen: Filter) -> Filter:
        """Return a filter with what the fleet is narrowed by."""
        return self._base.combined_with(chosen, self._tz)

    def in_words(self, counted: str, parts: Sequence[str]) -> str:
        """Return what is chosen as one line.

        Parameters
        ----------
        counted : str
            How many rows it is.
        parts : sequence of str
            One text for each thing that is chosen.
        """
        own = ", ".join(self.of_fleet)
        of_fleet = f" (the fleet is narrowed to {own})" if own else ""
        return single_line(f"{counted}{of_fleet}: {'; '.join(parts) or 'all of them'}")

    def forms(
        self, chosen: Filter, span: tuple[str, str] | None, compared: Compared | None = None
    ) -> list[Form]:
        """Return the filter as Python, as a command, as parameters of a notebook, and as a link.

        The page of the explorers has a link, a notebook the command that opens that page.

        Parameters
        ----------
        chosen : Filter
            Without what the fleet is narrowed by.
        span : tuple of str or None
            As for `as_command`.
        compared : Compared, optional
            What stands beside it: goes with the link, and into a line of Python of its own.
        """
        whole = self.whole(chosen)
        if why_not := _why_not(whole):
            return [Form(label, "", why_not) for label in _LABELS]
        command = as_command(whole, tz=self._tz, source=self._options(), span=span)
        return [
            Form("Python", as_python(whole)),
            Form("Command line", command),
            self._parameters(whole, span),
            *self._comparison(whole, compared),
            *self._page(chosen, compared),
        ]

    def _comparison(self, whole: Filter, compared: Compared | None) -> list[Form]:
        if compared is None or compared.chosen is None:
            return []
        other = self.whole(compared.chosen)
        if why_not := _why_not(other):
            return [Form("Comparison", "", why_not)]
        return [Form("Comparison", as_comparison(whole, other, compared.options))]

    def _page(self, chosen: Filter, compared: Compared | None) -> list[Form]:
        """Return the command that opens the page, and the link for who is there."""
        whole = self.whole(chosen)
        others: dict[str, Filter | str] = {}
        if compared is not None:
            other = self._beside(chosen, compared)
            if why_not := self._why_apart(chosen, other, compared):
                return [Form(label, "", why_not) for label in _LABELS[-2:]]
            others[self._explorer] = other
        query = to_query({self._explorer: whole}, compared=others)
        link = Form("Link", "", "Nothing is chosen: it is the address of the page.")
        return [
            Form("Page", as_page(query, tz=self._tz, source=self._options())),
            Form("Link", f"?{query}") if query else link,
        ]

    def _beside(self, chosen: Filter, compared: Compared) -> Filter | str:
        """Return what a link calls what stands beside the chosen: an option, or its filter.

        An option means the same on a page that opens with the period that is chosen here, and is
        narrowed to the period that the fleet is narrowed to.
        """
        held, rest = divided(self.whole(chosen), self._kind, self._tz)
        is_as_here = (rest.since, rest.until) == (self._base.since, self._base.until)
        if compared.option and is_as_here and compared.ends == (held.since, held.until):
            return compared.option
        return self.whole(compared.chosen or Filter())

    def _why_apart(self, chosen: Filter, other: Filter | str, compared: Compared) -> str:
        """Return why a link can't open with something beside the chosen; empty where it can."""
        if isinstance(other, str):
            return ""
        # Filters that no control shows narrow the whole page, so the other filter must fit them.
        held, rest = divided(self.whole(chosen), self._kind, self._tz)
        without, _ = without_option(held, self._fields)
        rest = rest.combined_with(without, self._tz)
        is_there = other.combined_with(rest, self._tz) == other
        is_empty = () in vars(other).values()
        is_known = compared.chosen is not None
        is_said = bool(chosen.since and chosen.until) or not compared.option
        beyond = without_fulfilled(other, rest)
        is_held = not has_both(beyond) and not without_option(beyond, self._fields)[0]
        fits = is_known and is_said and is_there and is_held and not is_empty
        return _why_not(other) or ("" if fits else _APART)

    def _options(self) -> list[str]:
        """Return the options of a command that say where the data come from."""
        if self._mirror is not None:
            return ["--mirror", self._mirror, "--version", str(self._version)]
        if self._demo_day is not None:
            return ["--demo", "--as-of", self._demo_day.isoformat()]
        return ["--base-url", self._address]

    def _parameters(self, whole: Filter, span: tuple[str, str] | None) -> Form:
        if self._mirror is None:
            why_not = 'Notebooks of the report read a mirror: fleet.sync("mirror/") makes one.'
            return Form("Papermill", "", why_not)
        source: dict[str, Any] = {"mirror": self._mirror, "version": self._version}
        return Form("Papermill", as_parameters(whole, tz=self._tz, source=source, span=span))


def _why_not(chosen: Filter) -> str:
    """Return why a filter can't be written in one line; empty where it can."""
    named = max(len(named_values(chosen.equipment)), len(named_values(chosen.project)))
    if named <= _MOST:
        return ""
    return f"It would name {named:,} identifiers. Choose fewer, or use `.filter`."
