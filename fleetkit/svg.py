"""Pictures that matplotlib wrote as SVG, made fit to stand inside a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from html import escape
from itertools import pairwise
from xml.etree import ElementTree

from fleetkit.errors import InvalidValue

__all__ = ["inline", "width", "words"]

_ROOT = re.compile(r'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt" viewBox="([^"]+)"[^>]*>')
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_STYLE = re.compile(r'\s*<defs>\s*<style type="text/css">.*?</style>\s*</defs>', re.DOTALL)
_ID = re.compile(r' id="([^"]*)"')
_REFERENCE = re.compile(r'(url\(#|href="#)([^)"]+)')
_COLOUR = re.compile(r"(fill|stroke|stop-color): (#[0-9a-f]{6})\b")
_STYLE_ATTRIBUTE = re.compile(r'style="([^"]*)"')
_FAMILY = re.compile(r"font(-family)?: ((?:[\d.]+px|\d{3}|bold|italic|normal|oblique| )*)[^;]*")
# Further decimals of coordinates.
_DIGITS = re.compile(r"(?<=\.\d{3})\d+")
# What is written between tags is shown as it is: names may look like attributes or coordinates.
_TAG = re.compile(r"<\w[^>]*>")
_PLACE = re.compile(r"translate\(([-\d.]+) ([-\d.]+)\)")
# Nobody listens to more figures of one chart than these.
_MOST_HEARD = 100
# Texts of one row lie no further apart in height. [pt]
_ROW = 4.0


def width(svg: str) -> float:
    """Return the width of a picture. [mm]."""
    return float(_root(svg)[1]) / 72 * 25.4


def words(svg: str, left_out: str = "") -> str:
    """Return what a picture shows and its figures, for those who can't see it.

    The figures are what a pointer shows on the marks, or all that is written, row by row. Of more
    than 100 marks they are those of the first and the last one.

    Parameters
    ----------
    svg : str
        As `fleetkit.charts.drawing.svg.to_svg` gave it.
    left_out : str
        What stands below the marks on what is not drawn.

    Examples
    --------
    >>> texts = '<g><text x="9" y="5">3</text></g><g><text x="1" y="5">late</text></g>'
    >>> words(f"<svg><title>Bars: projects</title>{texts}</svg>")
    'Bars: projects. late · 3'
    """
    root = ElementTree.fromstring(svg)  # noqa: S314 - matplotlib wrote it
    groups = root.findall(".//{*}g")
    marks = [
        group.findtext("{*}title", "")
        for group in groups
        if group.find("{*}title") is not None and group.find("{*}text") is None
    ]
    if not marks:
        figures = _rows(groups)
    elif len(marks) <= _MOST_HEARD:
        figures = [*marks, left_out]
    else:
        figures = [f"{marks[0]} … {marks[-1]}", left_out]
    title = root.findtext("{*}title", "").rstrip(".")
    return ". ".join(filter(None, [title, "; ".join(filter(None, figures))]))


def _rows(groups: list[ElementTree.Element]) -> list[str]:
    """Return what is written on a picture: its rows from above, each from left to right."""
    texts = sorted(text for group in groups for text in _written(group))
    rows: list[list[tuple[float, str]]] = [[(x, text) for _, x, text in texts[:1]]]
    for (above, _, _), (y, x, text) in pairwise(texts):
        if y - above > _ROW:
            rows.append([])
        rows[-1].append((x, text))
    return [" · ".join(text for _, text in sorted(row)) for row in rows]


def _written(group: ElementTree.Element) -> Iterator[tuple[float, float, str]]:
    """Yield height, place and text of what a group itself writes; a text's lines are one.

    None of a formula, which is written in pieces: a square's 2 would be heard as a figure.
    """
    lines = [line for line in group.findall("{*}text") if line.text and not line.text.isspace()]
    if not lines:
        return
    places = []
    for line in lines:
        moved = _PLACE.search(line.get("transform", ""))
        x, y = moved.groups() if moved else (line.get("x", 0), line.get("y", 0))
        places.append((float(x), float(y)))
    text = group.findtext("{*}title") or " ".join(line.text or "" for line in lines)
    yield sum(y for _, y in places) / len(places), places[0][0], text


def inline(
    svg: str,
    prefix: str,
    colours: Mapping[str, str],
    *,
    tooltip: bool = True,
    heard: str = "",
) -> str:
    """Return the SVG as an element of a page.

    Its ids start with `prefix` and so stay unique in the page, its text takes the page's font, and
    the house colours become CSS variables, so that a dark page can change them.

    Parameters
    ----------
    svg : str
        As `fleetkit.charts.drawing.svg.to_svg` gave it.
    prefix : str
        An id that no other picture of the page has.
    colours : dict
        Colour (``#rrggbb``) → name of the CSS variable.
    tooltip : bool
        Whether a pointer shows the picture's title, or a screen reader alone reads it.
    heard : str
        What a screen reader reads in place of the title, as `words` gives it.

    Raises
    ------
    InvalidValue
        When it isn't an SVG that matplotlib wrote.

    Examples
    --------
    >>> svg = '<svg width="9pt" height="9pt" viewBox="0 0 9 9"><title>A "bar"</title></svg>'
    >>> inline(svg, "a", {}, tooltip=False).partition('role="img" ')[2]
    'aria-label="A &quot;bar&quot;"></svg>'
    """
    root = _root(svg)
    body = _STYLE.sub("", _METADATA.sub("", svg[root.end() :], count=1), count=1)
    title = _TITLE.search(body)
    body = _TITLE.sub("", body, count=1) if title else body
    used = {name for _, name in _REFERENCE.findall(body)}
    restyled = cache(partial(_restyled, colours))

    def fitted(tag: re.Match[str]) -> str:
        text = _ID.sub(lambda m: f' id="{prefix}-{m[1]}"' if m[1] in used else "", tag[0])
        text = _DIGITS.sub("", _REFERENCE.sub(rf"\g<1>{prefix}-\g<2>", text))
        return _STYLE_ATTRIBUTE.sub(lambda m: f'style="{restyled(m[1])}"', text)

    body = _TAG.sub(fitted, body)
    width, height, box = root.groups()
    text = title[1] if title else ""
    label = escape(heard) if heard else text.replace('"', "&quot;")
    shown = f"<title>{text}</title>" if tooltip else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="{width}pt" '
        f'height="{height}pt" viewBox="{box}" role="img" aria-label="{label}">'
        f"{shown}{body.rstrip()}"
    )


def _root(svg: str) -> re.Match[str]:
    root = _ROOT.search(svg)
    if root is None:
        raise InvalidValue("A figure is not an SVG that matplotlib wrote.")
    return root


def _restyled(colours: Mapping[str, str], style: str) -> str:
    style = _COLOUR.sub(
        lambda m: f"{m[1]}: var(--{colours[m[2]]})" if m[2] in colours else m[0], style
    )
    return _FAMILY.sub(_without_family, style).replace("; ;", ";")


def _without_family(font: re.Match[str]) -> str:
    """Keep size and weight of ``font: 600 8px 'Inter', …``; the family is the page's."""
    if font[1]:
        return ""
    size = re.search(r"[\d.]+px", font[2])
    weight = re.search(r"\b(\d{3}|bold)\b(?!px)", font[2])
    declarations = [f"font-size: {size[0]}"] if size else []
    return "; ".join([*declarations, *([f"font-weight: {weight[1]}"] if weight else [])])
