"""The table ``[branding]`` of the settings, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fleetkit import conversion
from fleetkit.branding.colours import (
    DARK,
    LEAST,
    PAPER,
    contrast,
    is_colour,
    nearest_readable,
)
from fleetkit.branding.logo import read_logo
from fleetkit.conversion import ConversionError
from fleetkit.interface import brief
from fleetkit.lettering import em
from fleetkit.paths import expanded

__all__ = ["MOST_FOOTER", "Branding", "branding", "located"]

# Characters of a line at the foot of a page, and their width beside the page's number [em].
MOST_FOOTER, WIDEST_FOOTER = 90, 59


@dataclass(frozen=True)
class Branding:
    """How the reports of an organisation look.

    Parameters
    ----------
    name : str
        On the first page where no ``organisation`` is set; the logo's text for those who can't
        see it.
    logo : str
        A PNG or SVG file; a path is relative to the settings file.
    accent : str
        Colour of links, bars and rules, such as ``"#2558c4"``. It must read on white; on the dark
        page its nearest shade that reads there stands for it.
    footer : str
        A line at the foot of every page.
    """

    name: str = ""
    logo: str = ""
    accent: str = ""
    footer: str = ""

    @property
    def on_dark(self) -> str:
        """The accent on the dark page; empty where none is set."""
        return nearest_readable(self.accent, DARK) if self.accent else ""

    def check(self) -> None:
        """Refuse what can't be shown.

        Raises
        ------
        ConversionError
            Its path is the key that is wrong.
        """
        if self.accent:
            _check_accent(self.accent)
        if len(self.footer) > MOST_FOOTER or not self.footer.isprintable():
            raise ConversionError(
                f"the line has {len(self.footer)} characters, or some that can't be printed; "
                f"{MOST_FOOTER} printable ones fit",
                "footer",
            )
        if em(self.footer) > WIDEST_FOOTER:
            raise ConversionError(
                "the line is wider than the foot of a page", "footer", advice="Write it shorter."
            )
        if self.logo:
            try:
                read_logo(self.logo)
            except ConversionError as error:
                raise error.within("logo") from None


def _check_accent(accent: str) -> None:
    if not is_colour(accent):
        raise ConversionError(f"{brief(accent)} is not a colour such as '#2558c4'", "accent")
    ratio = contrast(accent, PAPER)
    if ratio < LEAST:
        # Rounded down: 4.499 is not 4.5.
        raise ConversionError(
            f"{accent} has a contrast of {int(ratio * 100) / 100:.2f} : 1 on white, and text needs "
            f"{LEAST} : 1",
            "accent",
            advice=f"The nearest colour that has it is {nearest_readable(accent, PAPER)}.",
        )


def located(values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the values of a settings file; a logo's path is relative to its folder, or to ~."""
    table = values.get("branding")
    if isinstance(table, Mapping) and isinstance(table.get("logo"), str) and table["logo"]:
        logo = folder / expanded(table["logo"])
        return {**values, "branding": {**table, "logo": str(logo)}}
    return dict(values)


_KINDS = dict.fromkeys(("name", "logo", "accent", "footer"), conversion.text)


def branding(value: Any, before: Branding) -> Branding:
    """Return branding from a table of names and values, laid over what was set before.

    Parameters
    ----------
    value : Branding or mapping
    before : Branding

    Raises
    ------
    ConversionError
        A name that isn't one of the table, or a value that is not a text.

    Examples
    --------
    >>> branding({"accent": "#2558c4"}, Branding(name="Fjord")).name
    'Fjord'
    """
    if isinstance(value, Mapping):
        texts = conversion.table(value, _KINDS, "a part of the branding")
        value = Branding(**{**asdict(before), **texts})
    if not isinstance(value, Branding):
        raise ConversionError(f"{brief(value)} is not a table of names and values")
    return value
