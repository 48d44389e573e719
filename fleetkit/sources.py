"""Where a setting was given, for messages: a line of a file, a variable, an argument, an option.

A source is a function of the setting's path, such as ``("units", "weight")`` or
``("recency", 1, "months")``, which returns how a message begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from fleetkit.interface import shortened, worded

__all__ = ["Source", "arguments", "environment", "named", "toml_file"]

Source = Callable[..., str]

_PART = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_NAME = rf"{_PART}(?:\s*\.\s*{_PART})*"
_TABLE = re.compile(rf"\s*(?P<open>\[\[?)\s*(?P<name>{_NAME})\s*\]")
_KEY = re.compile(rf"\s*(?P<key>{_NAME})\s*=")


def named(name: str) -> Source:
    """Return a source that has only a name."""
    return lambda *path: f"{name}, {_dotted(path)}"


def environment(*path: object) -> str:
    """Return the variable of the environment that holds a setting."""
    return f"FLEETKIT_{path[0]}".upper()


def arguments(*path: object) -> str:
    """Return the argument of Python, or the option of the command line, that holds a setting."""
    option = str(path[0]).replace("_", "-")
    return worded(python=f"The argument {_dotted(path)}", command_line=f"The option --{option}")


def toml_file(name: str, text: str) -> Source:
    """Return a source that names the line of a TOML file and the key.

    Parameters
    ----------
    name : str
        The file's name, as it is shown.
    text : str
        What it holds.

    Examples
    --------
    >>> where = toml_file("fleetkit.toml", '''tz = "UTC"
    ...
    ... [[recency]]
    ... name = "night flights"
    ... [[recency]]
    ... nights = 5
    ... ''')
    >>> where("tz"), where("recency", 1, "nights"), where("recency", 0)
    ('fleetkit.toml, line 1, tz', 'fleetkit.toml, line 6, recency.nights',
     'fleetkit.toml, line 3, recency')
    """
    lines = _lines(text)

    def where(*path: object) -> str:
        for length in range(len(path), 0, -1):
            if path[:length] in lines:
                return f"{name}, line {lines[path[:length]]}, {_dotted(path)}"
        return f"{name}, {_dotted(path)}"

    return where


def _dotted(path: tuple[object, ...]) -> str:
    return ".".join(shortened(part) for part in path if isinstance(part, str))


def _lines(text: str) -> dict[tuple[object, ...], int]:
    """Map the path of each key and table to its line, from 1.

    Only what a settings file holds is read: tables, lists of tables, and a key per line.
    """
    lines: dict[tuple[object, ...], int] = {}
    table: tuple[object, ...] = ()
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            table = tuple(_parts(header["name"]))
            if header["open"] == "[[":
                name = header["name"]
                table = (*table, counts.get(name, 0))
                counts[name] = counts.get(name, 0) + 1
            _set_path(lines, table, number)
        elif key := _KEY.match(line):
            _set_path(lines, (*table, *_parts(key["key"])), number)
    return lines


def _parts(name: str) -> list[str]:
    """Return the parts of a dotted name, without the quotes of those that have them."""
    return [part.strip("\"'") for part in re.findall(_PART, name)]


def _set_path(lines: dict[tuple[object, ...], int], path: tuple[object, ...], number: int) -> None:
    """Write the line of a path and of what it lies in, where they have none yet."""
    for length in range(1, len(path) + 1):
        lines.setdefault(path[:length], number)
