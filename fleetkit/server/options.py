"""Options as frozen dataclasses: checked when they are made, read from text, described to users.

`Dials` and `Limits` are such options. The default of an option is its field's default and decides
its type; `choice`, `switch` and `amount` create the fields.
"""

from __future__ import annotations

import os
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar, Self

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, did_you_mean

__all__ = ["Option", "Options", "amount", "choice", "switch"]


def choice(about: str, *settings: str) -> Any:
    """Make an option with named settings; the first is the default."""
    return field(default=settings[0], metadata={"about": about, "settings": settings})


def switch(about: str) -> Any:
    """Make an option that is on or off, by default on."""
    return field(default=True, metadata={"about": about, "settings": "on, off"})


def amount(
    default: float, about: str, unit: str, *, least: float = 0, most: float, note: str = ""
) -> Any:
    """Make an option with a number from `least` to `most`, whole where the default is."""
    settings = ", ".join(filter(None, (unit, f"{least:.15g} … {most:.15g}", note)))
    bounds = {"settings": settings, "least": least, "most": most}
    return field(default=default, metadata={"about": about, **bounds})


@dataclass(frozen=True)
class Option:
    """The description of one option, as text."""

    name: str
    default: str
    settings: str
    about: str


@dataclass(frozen=True)
class Options:
    """A set of options; a wrong value is an `InvalidValue`."""

    # What messages call one of them.
    noun: ClassVar[str]

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            if not _is_valid(value, option):
                raise InvalidValue(
                    f"{self.noun.capitalize()} {option.name} = {brief(value)} is not valid.",
                    advice=f"Settings: {_settings(option)}.",
                )

    @classmethod
    def describe(cls) -> list[Option]:
        """Return the descriptions of all options."""
        return [
            Option(option.name, _text(option.default), _settings(option), option.metadata["about"])
            for option in fields(cls)
        ]

    @classmethod
    def parse(cls, *texts: str) -> Self:
        """Read options from ``name=value``; a text may hold several, separated by commas.

        Raises
        ------
        InvalidValue
            A text of another form, an unknown name, a name given twice, or a wrong value.
        """
        defaults = {option.name: option.default for option in fields(cls)}
        values: dict[str, Any] = {}
        for text in filter(None, map(str.strip, ",".join(texts).split(","))):
            name, equals, value = map(str.strip, text.partition("="))
            if not equals:
                raise InvalidValue(
                    f"{brief(text)} is not a {cls.noun}.", advice="Write name=value."
                )
            if name not in defaults:
                raise InvalidValue(
                    f"There is no {cls.noun} {brief(name)}. {did_you_mean(name, defaults)}".strip(),
                    advice=f"{cls.noun.capitalize()}s: {', '.join(defaults)}.",
                )
            if name in values:
                raise InvalidValue(f"The {cls.noun} {name} is given twice.")
            values[name] = _value(value, defaults[name])
        return cls(**values)

    @classmethod
    def from_environment(cls, variable: str) -> Self:
        """Read options from a variable; errors as `parse`, with the variable's name.

        One that is empty counts as not set.
        """
        try:
            return cls.parse(os.environ.get(variable, ""))
        except InvalidValue as problem:
            raise InvalidValue(f"{variable}: {problem.message}", advice=problem.advice) from None

    def setting(self, name: str) -> str:
        """Return the setting of an option, as `parse` reads it."""
        return _text(getattr(self, name))

    def to_text(self) -> str:
        """Return the options that are not at their default, as `parse` reads them."""
        return ",".join(
            f"{option.name}={_text(value)}"
            for option in fields(self)
            if (value := getattr(self, option.name)) != option.default
        )


def _is_valid(value: Any, option: Field[Any]) -> bool:
    if isinstance(option.default, str):
        return value in option.metadata["settings"]
    if isinstance(option.default, bool) or isinstance(value, bool):
        return isinstance(option.default, bool) and isinstance(value, bool)
    numbers = (int, float) if isinstance(option.default, float) else (int,)
    least, most = option.metadata["least"], option.metadata["most"]
    return isinstance(value, numbers) and least <= value <= most


def _settings(option: Field[Any]) -> str:
    settings = option.metadata["settings"]
    return ", ".join(settings) if isinstance(settings, tuple) else str(settings)


def _value(text: str, default: Any) -> Any:
    """Return the value that a text stands for, or the text itself where it stands for none."""
    if isinstance(default, bool):
        return {"on": True, "off": False}.get(text, text)
    try:
        return type(default)(text)
    except ValueError:
        return text


def _text(value: Any) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
