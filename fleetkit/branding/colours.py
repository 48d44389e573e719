"""How well a colour reads on another one, and the nearest shade that reads well enough."""

from __future__ import annotations

import colorsys
import re

__all__ = ["DARK", "LEAST", "PAPER", "contrast", "is_colour", "nearest_readable"]

# The backgrounds of a report, as templates/report.css has them.
PAPER, DARK = "#ffffff", "#12161c"
# Least contrast of text in WCAG 2.2 (1.4.3).
LEAST = 4.5
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_STEPS = 1_000
# Relative luminance of sRGB, as WCAG defines it.
_WEIGHTS = (0.2126, 0.7152, 0.0722)


def is_colour(text: str) -> bool:
    """Whether a text is a colour such as ``#2558c4``."""
    return _COLOUR.fullmatch(text) is not None


def contrast(one: str, other: str) -> float:
    """Return the ratio of contrast of two colours, from 1 to 21, as WCAG defines it.

    Examples
    --------
    >>> contrast("#000000", "#ffffff")
    21.0
    >>> round(contrast("#777777", "#ffffff"), 2)
    4.48
    """
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def nearest_readable(colour: str, background: str) -> str:
    """Return the shade nearest to a colour, of the same hue, that reads on a background.

    Parameters
    ----------
    colour, background : str
        Such as ``"#ffcc00"``.

    Examples
    --------
    >>> nearest_readable("#2558c4", "#ffffff")
    '#2558c4'
    >>> nearest_readable("#777777", "#ffffff")
    '#767676'
    """
    if contrast(colour, background) >= LEAST:
        return colour
    hue, lightness, saturation = colorsys.rgb_to_hls(*_parts(colour))
    is_light = _luminance(background) > _luminance("#757575")
    for step in range(1, _STEPS + 1):
        share = step / _STEPS
        shade = lightness * (1 - share) if is_light else lightness + (1 - lightness) * share
        written = _written(colorsys.hls_to_rgb(hue, shade, saturation))
        if contrast(written, background) >= LEAST:
            return written
    return "#000000" if is_light else "#ffffff"


def _parts(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def _written(parts: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)


def _luminance(colour: str) -> float:
    linear = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in _parts(colour)
    )
    return sum(weight * part for weight, part in zip(_WEIGHTS, linear, strict=True))
