"""The type of every chart: Inter from the package's own templates, and what this machine adds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from matplotlib.font_manager import FontProperties, fontManager, get_font

__all__ = ["BOLD", "FAMILIES", "SMALL", "TEXT", "known_letters"]

# Type sizes; the smaller one is the least that is still read on paper. [pt]
TEXT, SMALL = 8.0, 7.5
BOLD = "bold"  # by name: Matplotlib 3.10 can write no other weight as SVG
_OTHER_SCRIPTS = ("Noto Sans CJK JP", "Noto Sans CJK SC", "Arial Unicode MS", "Hiragino Sans")


def _families() -> list[str]:
    """Inter from the package's own templates, and what this machine has for other scripts."""
    package = Path(__file__).parents[2]
    for folder in (package / "_data" / "templates", package.parent / "templates"):
        for weight, name in ((400, "Regular"), (700, "SemiBold")):
            font = folder / "fonts" / f"Inter-{name}.ttf"
            if font.is_file():
                fontManager.addfont(font)
                # A page knows both as one family; so must the SVG text.
                entry = replace(fontManager.ttflist[-1], name="Inter", weight=weight)
                fontManager.ttflist[-1] = entry
    known = set(fontManager.get_font_names())
    return [name for name in ("Inter", "DejaVu Sans", *_OTHER_SCRIPTS) if name in known]


FAMILIES = _families()


@cache
def known_letters() -> frozenset[int]:
    """Return the code points for which one of the fonts has a glyph."""
    files = (fontManager.findfont(FontProperties(family=name)) for name in FAMILIES)
    return frozenset(code for file in files for code in get_font(file).get_charmap())
