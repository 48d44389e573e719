"""What an explorer shows beside chart and table, as HTML: figures, chips, the filter to take along.

Names and texts come from the API: each is escaped, and isolated so that a right-to-left mark in
one can't turn its neighbours around.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import Any

from fleetkit.errors import FleetkitError
from fleetkit.explore.fields import Chip
from fleetkit.explore.panes import Panes
from fleetkit.explore.subject import Card
from fleetkit.explore.takeaway import Form
from fleetkit.lettering import single_line
from fleetkit.rounding import percent

__all__ = ["button", "chips", "chosen", "failure", "figures", "older", "problem", "saved"]

# Most options of a filter that are named above the figures.
_OPTIONS = 5


def figures(cards: Sequence[Card], beside: str = "", others: Sequence[Card] = ()) -> str:
    """Return the KPI row.

    Parameters
    ----------
    cards : sequence of Card
        The figures.
    beside : str
        What they are compared with, or why with nothing.
    others : sequence of Card
        The same figures of that.
    """
    pairs = zip(cards, others, strict=True) if others else ()
    compared = [_other(*pair) for pair in pairs] or [""] * len(cards)
    items = "".join(
        f"<li><span>{escape(card.label)}</span> <strong>{escape(card.value)}</strong> "
        f"<small>{escape(card.note)}</small>{other}</li>"
        for card, other in zip(cards, compared, strict=True)
    )
    sentence = f"Below each figure, and in the second chart: {beside}." if others else beside
    said = f'<p class="fk-hint fk-beside">{escape(sentence)}</p>' if beside else ""
    return f'<ul class="fk-figures">{items}</ul>{said}'


def _other(card: Card, other: Card) -> str:
    """Return the other figure, and by how much this one differs."""
    change = ""
    if card.amount is not None and other.amount:
        share = card.amount / other.amount - 1
        sign = "+" if share > 0 else "−" if share < 0 else "±"
        change = f" ({sign}{percent(abs(share))})"
    more = f" · {other.beside}" if other.beside else ""
    return f' <small class="fk-other">{escape(other.value + change + more)}</small>'


def chips(chosen: Sequence[Chip], problem: str = "", of_fleet: Sequence[str] = ()) -> str:
    """Return what is chosen, a button each, which takes it back.

    Parameters
    ----------
    chosen : sequence of Chip
        In the order of their fields.
    problem : str
        What is wrong with the choices, if anything: it stands below their controls.
    of_fleet : sequence of str
        What no choice can take back: options of the filter that the fleet is narrowed by.
    """
    warning = f'<p class="fk-problem" role="alert">{escape(problem)}</p>' if problem else ""
    said = f"The fleet is narrowed to {_few(of_fleet)}."
    hint = f'<p class="fk-hint">{escape(said)}</p>' if of_fleet else ""
    if not chosen:
        nothing = "Nothing is chosen." if of_fleet else "Nothing is chosen: all are shown."
        return f'{warning}<p class="fk-chips fk-hint">{nothing}</p>{hint}'
    items = "".join(
        f'<li><button type="button" class="fk-chip" data-action="choose" '
        f'data-value="{escape(json.dumps(chip.without))}" '
        f'data-key="chip-{escape(chip.label)}-{escape(chip.text)}" '
        f'aria-label="Take back {escape(chip.label)}: {escape(chip.words)}">'
        f"<span>{escape(chip.label)}</span> <bdi>{escape(chip.words)}</bdi> "
        f'<span aria-hidden="true">✕</span></button>{_opposite(chip)}</li>'
        for chip in chosen
    )
    return f'{warning}<ul class="fk-chips" aria-label="Chosen">{items}</ul>{hint}'


def _few(options: Sequence[str]) -> str:
    """Return the first options of a filter as one line, and how many more there are.

    Examples
    --------
    >>> _few([f"pilot={number}" for number in range(7)])
    'pilot=0, pilot=1, pilot=2, pilot=3, pilot=4 and 2 more'
    """
    beyond = len(options) - _OPTIONS
    more = f" and {beyond:,} more" if beyond > 0 else ""
    return f"{single_line(', '.join(options[:_OPTIONS]))}{more}"


def _opposite(chip: Chip) -> str:
    """Return the button that leaves out what a chip selects, or selects what it leaves out.

    Its text is the style's: a reader of the record, without buttons, would take it for the chip's.
    """
    if not chip.opposite:
        return ""
    name = f"{chip.label}: not {chip.text}"
    value = json.dumps(chip.opposite)
    return button("choose", "", key=name, value=value, label=name, pressed=chip.is_left_out)


def older(read_at: datetime) -> str:
    """Return what is said of data that the fleet has let go, read anew or not.

    Parameters
    ----------
    read_at : datetime
        When they were read, by the fleet's clock.
    """
    return (
        f'<p class="fk-hint">These are the data of {read_at:%Y-%m-%d %H:%M}, which the fleet no '
        "longer holds: open the explorer again for newer ones.</p>"
    )


def button(
    action: str,
    text: str,
    *,
    key: str = "",
    value: Any = "",
    off: bool = False,
    label: str = "",
    pressed: bool | None = None,
) -> str:
    """Return a button; the browser finds it again by `key` when its pane is replaced."""
    named = f' aria-label="{escape(label)}"' if label else ""
    state = "" if pressed is None else f' aria-pressed="{str(pressed).lower()}"'
    return (
        f'<button type="button" data-action="{action}" data-value="{escape(str(value))}" '
        f'data-key="{action}-{escape(key)}"{named}{state} '
        f'aria-disabled="{str(off).lower()}">{text}</button>'
    )


def chosen(forms: Sequence[Form]) -> str:
    """Return the filter in each of its export forms, with a button that copies it."""
    return f'<ul class="fk-chosen">{"".join(map(_form, forms))}</ul>'


def _form(form: Form) -> str:
    label = f"<span>{escape(form.label)}</span>"
    # Of the page's command and of its link the one is shown that serves where it is read.
    begin = f'<li class="fk-{form.label.lower().replace(" ", "-")}">'
    if not form.text:
        return f"{begin}{label}<em>{escape(form.why_not)}</em></li>"
    copy = button("copy", "Copy", key=form.label, label=f"Copy: {form.label}")
    return f'{begin}{label}<code tabindex="0">{escape(form.text)}</code>{copy}</li>'


def saved(name: str, path: str, *, had_view: bool) -> str:
    """Return what is said of a view that was saved."""
    name = escape(name.strip().removeprefix("@"))
    how = "It takes the place of the one of that name." if had_view else ""
    return (
        f"<p>Saved as <code>--filter @{name}</code> and "
        f"<code>fleet.where(&quot;@{name}&quot;)</code>, in <code>{escape(path)}</code>. {how}</p>"
    )


def problem(text: str) -> str:
    """Return what a button could not do."""
    return f'<p class="fk-problem">{escape(text)}</p>'


def failure(error: Exception) -> Panes:
    """Return what is shown of a state that failed: why, and what to do."""
    kind = "" if isinstance(error, FleetkitError) else f"{type(error).__name__}: "
    # Files that are gone stay so whatever is chosen.
    has_advice = isinstance(error, FleetkitError) and error.advice
    advice = "" if has_advice else " Choose otherwise, or press Reset."
    text = f"This could not be shown: {kind}{error}{advice}"
    sentence = f'<p class="fk-problem" role="alert">{escape(text)}</p>'
    return Panes(chips="", figures=sentence, chart="", chosen="", table="", announcement=text)
