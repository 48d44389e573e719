"""Named filters in ``fleetkit.toml``: ``@night`` wherever a filter is asked for."""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from fleetkit.arguments import texts
from fleetkit.conversion import ConversionError
from fleetkit.errors import InvalidValue
from fleetkit.filters import Filter
from fleetkit.interface import brief, did_you_mean
from fleetkit.paths import opened

__all__ = ["Views", "is_view", "named", "parse", "read", "save"]

Views = dict[str, Filter]
# Begins the name of a view, where a filter may stand too.
_SIGN = "@"
_NAME = re.compile(r"[\w-]{1,40}")
# Most views that an error lists.
_LISTED = 8
# Two explorers of one process may save at the same time.
_LOCK = Lock()


def read(value: Any) -> Views:
    """Return views as they are written in settings.

    Examples
    --------
    >>> read({"night-drones": {"type": "DRONE", "night": True}})
    {'night-drones': Filter(type=('DRONE',), night=True)}
    """
    if not isinstance(value, Mapping):
        raise ConversionError(
            f"{brief(value)} is not a table of filters",
            advice='Write each under [views]: night-drones = { type = "DRONE", night = true }.',
        )
    return {_checked_name(name): _filter(name, fields) for name, fields in value.items()}


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ConversionError(
            f"{brief(name)} is not a name of a view",
            name,
            advice="Write letters, digits, - and _, at most 40 of them.",
        )
    return str(name)


def _without_sign(name: Any) -> Any:
    return name.strip().removeprefix(_SIGN) if isinstance(name, str) else name


def _filter(name: Any, fields: Any) -> Filter:
    if not isinstance(fields, Mapping | Filter):
        raise ConversionError(
            f"{brief(fields)} is not a filter",
            name,
            advice=f'Write its fields in braces: {name} = {{ type = "DRONE", night = true }}.',
        )
    try:
        return Filter.read(fields)
    except InvalidValue as problem:
        raise ConversionError(problem.message.rstrip("."), name, advice=problem.advice) from None


def named(name: str, views: Views) -> Filter:
    """Return the filter of a view.

    Raises
    ------
    InvalidValue
        There is no such view; the message names those that there are.

    Examples
    --------
    >>> named("@night", {"night": Filter(night=True)})
    Filter(night=True)
    """
    bare = _without_sign(name)
    if isinstance(bare, str) and bare in views:
        return views[bare]
    listed = ", ".join(f"{_SIGN}{known}" for known in list(views)[:_LISTED])
    more = f" and {len(views) - _LISTED} more" if len(views) > _LISTED else ""
    raise InvalidValue(
        f"There is no view named {brief(bare)}. {did_you_mean(str(bare), views)}".strip(),
        advice=f"Views are: {listed}{more}."
        if views
        else "Save one in an explorer, or write it under [views] in fleetkit.toml.",
    )


def is_view(value: Any) -> bool:
    """Whether a value names a view."""
    return isinstance(value, str) and value.strip().startswith(_SIGN)


def parse(options: Iterable[str] | None, views: Views, tz: str = "UTC") -> Filter:
    """Read the texts of ``--filter``: ``name=value``, or the name of a view.

    Parameters
    ----------
    options : iterable of str or None
        As for `Filter.parse`.
    views : dict
        Name → filter.
    tz : str
        IANA time zone of their dates.

    Returns
    -------
    Filter
        Of what all of them select.

    Raises
    ------
    InvalidValue
        There is no such view, or a text can't be read.

    Examples
    --------
    >>> parse(["@night", "type=DRONE"], {"night": Filter(night=True)})
    Filter(type=('DRONE',), night=True)
    """
    given = [] if options is None else list(texts(options, "a filter"))
    chosen = Filter.parse([text for text in given if not is_view(text)])
    for text in given:
        if is_view(text):
            chosen = chosen.combined_with(named(text, views), tz)
    return chosen


def save(path: Path, name: str, chosen: Filter) -> bool:
    """Write a view into a settings file, whose other lines stay as they are.

    Parameters
    ----------
    path : Path
        Made where it isn't there.
    name : str
        Of the view; one of this name is replaced.
    chosen : Filter
        What it selects.

    Returns
    -------
    bool
        Whether there was one of this name.

    Raises
    ------
    InvalidValue
        A name that can't be one, a filter that selects all, or a file that can't be read or
        written.
    """
    name = _without_sign(name)
    try:
        _checked_name(name)
    except ConversionError as error:
        raise InvalidValue(f"{error.problem}.", advice=error.advice) from None
    if not chosen:
        # An explorer goes on to show this when something is chosen.
        raise InvalidValue(
            f"The view {name} was not saved: nothing was chosen.", advice="Choose something first."
        )
    path = path.resolve()
    with _LOCK:
        try:
            before = _text(path)
            _replace(path, _with_view(before, name, chosen))
            had_view = name in tomllib.loads(before).get("views", {})
        except OSError as problem:
            raise InvalidValue(f"{path} can't be written: {problem.strerror}.") from None
        except (UnicodeDecodeError, ValueError, TypeError) as problem:
            raise InvalidValue(
                f"{path} is not TOML that a view could be added to: {problem}.",
                advice="Mend it, or write the view under [views] by hand.",
            ) from None
    return had_view


def _text(path: Path) -> str:
    if not path.exists():
        return ""
    with opened(path) as file:
        return file.read().decode("utf-8-sig")


def _with_view(text: str, name: str, chosen: Filter) -> str:
    """Return the text of a settings file with a view added."""
    import tomlkit  # noqa: PLC0415 - needed only where a view is saved

    document: Any = tomlkit.parse(text)
    if "views" not in document:
        document["views"] = tomlkit.table(is_super_table=True)
    values = chosen.to_parameters()
    is_inline = isinstance(document["views"], tomlkit.items.InlineTable)
    view = tomlkit.inline_table() if is_inline else tomlkit.table()
    view.update(values)
    document["views"][name] = view
    changed = tomlkit.dumps(document)
    # What is written must be what was there, and the view.
    expected = tomllib.loads(text)
    expected.setdefault("views", {})[name] = values
    if tomllib.loads(changed) != expected:
        raise ValueError("its tables are in an order that can't be kept")
    return changed


def _replace(path: Path, text: str) -> None:
    """Write a file as a whole or not at all, with the rights that it had."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise
