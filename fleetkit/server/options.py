"""Options as frozen dataclasses: checked when they are made, read from texts, told to people.

A field's default says its type; its metadata says what it means (``about``), which settings it
takes (``settings``: names, or a text for people) and, for a number, its bounds (``least``,
``most``). `Dials` and `Limits` are made so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, fields
from typing import Any, TypeVar

from fleetkit.errors import InvalidValue

__all__ = ["Option", "check", "describe", "from_text", "to_text"]

Options = TypeVar("Options")


@dataclass(frozen=True)
class Option:
    """What people are told of one option, all as text."""

    name: str
    default: str
    settings: str
    about: str


def check(options: Any, noun: str) -> None:
    """Raise `InvalidValue` where an option has a value that it doesn't take.

    Parameters
    ----------
    options : dataclass instance
    noun : str
        What an option is called in the message, such as ``dial``.
    """
    for option in fields(options):
        value = getattr(options, option.name)
        if not _is_valid(value, option):
            raise InvalidValue(
                f"{noun.capitalize()} {option.name} = {value!r} is not valid.",
                advice=f"Settings: {_settings(option)}.",
            )


def _is_valid(value: Any, option: Field[Any]) -> bool:
    if isinstance(option.default, str):
        return value in option.metadata["settings"]
    if isinstance(option.default, bool) or isinstance(value, bool):
        return isinstance(option.default, bool) and isinstance(value, bool)
    numbers = (int, float) if isinstance(option.default, float) else (int,)
    least, most = option.metadata["least"], option.metadata["most"]
    return isinstance(value, numbers) and least <= value <= most


def describe(kind: type[Any]) -> list[Option]:
    """Return what is to be known of each option, for people."""
    return [
        Option(field.name, _text(field.default), _settings(field), field.metadata["about"])
        for field in fields(kind)
    ]


def _settings(option: Field[Any]) -> str:
    settings = option.metadata["settings"]
    return ", ".join(settings) if isinstance(settings, tuple) else str(settings)


def from_text(kind: type[Options], texts: Mapping[str, str], noun: str) -> Options:
    """Read options from texts, as the command line and the environment have them."""
    defaults = {option.name: option.default for option in fields(kind)}  # type: ignore[arg-type]
    unknown = [name for name in texts if name not in defaults]
    if unknown:
        raise InvalidValue(
            f"There is no {noun} {unknown[0]!r}.",
            advice=f"{noun.capitalize()}s: {', '.join(defaults)}.",
        )
    return kind(**{name: _value(text, defaults[name]) for name, text in texts.items()})


def _value(text: str, default: Any) -> Any:
    """Return the value that a text stands for; where it stands for none, the text itself."""
    if isinstance(default, bool):
        return {"on": True, "off": False}.get(text, text)
    if isinstance(default, str):
        return text
    try:
        return type(default)(text)
    except ValueError:
        return text


def to_text(options: Any) -> dict[str, str]:
    """Return the options that are not at their default, as texts."""
    return {
        option.name: _text(value)
        for option in fields(options)
        if (value := getattr(options, option.name)) != option.default
    }


def _text(value: Any) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
