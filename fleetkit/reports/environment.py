"""What the templates of a report are rendered with: filters, functions, and how they are read."""

from __future__ import annotations

import jinja2
from jinja2.bccache import Bucket
from markupsafe import Markup

from fleetkit.language import say, say_count, titled
from fleetkit.lettering import cut
from fleetkit.reports.cutting import name, short
from fleetkit.reports.sparkline import sparkline
from fleetkit.reports.texts import plain
from fleetkit.reports.widths import label_lines
from fleetkit.rounding import number

__all__ = ["environment"]

# Columns of the organisation's name in the head of each printed page.
MOST_HEADING = 50


class _Compiled(jinja2.BytecodeCache):
    """Templates as this process has compiled them, for as long as their texts stay as they are."""

    def __init__(self) -> None:
        self._codes: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._codes:
            bucket.bytecode_from_string(self._codes[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


def environment(loader: jinja2.BaseLoader) -> jinja2.Environment:
    """Return what reads and renders the templates of a report."""
    made = jinja2.Environment(
        loader=loader,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: plain(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_COMPILED,
    )
    made.filters |= {
        "number": number,
        "sparkline": sparkline,
        "css": _css_text,
        "name": name,
        "short": short,
        "label_lines": label_lines,
    }
    made.globals |= {"say": say, "say_count": say_count, "titled": titled}
    return made


def _css_text(text: str, most: int = MOST_HEADING) -> Markup:
    """Write a name as the inside of a CSS string: letters, digits and spaces as they are."""
    return Markup(  # noqa: S704 - all that is left is harmless
        "".join(
            letter if letter.isalnum() or letter == " " else f"\\{ord(letter):x} "
            for letter in plain(cut(text, most))
        )
    )
