"""The controls of an explorer, as code sets them: ``explorer.controls.pilot.value = "prof_1"``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fleetkit.exclusion import Excluding, named_values
from fleetkit.explore.fields import Choices, Field, Options
from fleetkit.interface import missing_attribute

__all__ = ["Button", "Control", "Controls", "Tick"]

Choose = Callable[[str, Any], None]


class Control:
    """One control: what is chosen in one field of the current state.

    Parameters
    ----------
    field : Field
        What it sets.
    current : callable
        Returns the current choices.
    choose : callable
        Takes the field's name and a value; returns when everything shown follows it.
    """

    def __init__(self, field: Field, current: Callable[[], Choices], choose: Choose) -> None:
        self._field = field
        self._current = current
        self._choose = choose

    @property
    def value(self) -> Any:
        """What is chosen; an empty text, None or () where nothing is.

        ``fk.excluding("TRAINING")`` leaves a value out.

        Raises
        ------
        InvalidValue
            When set to what can't be chosen; everything stays as it was.
        """
        return self._field.value(self._current())

    @value.setter
    def value(self, value: Any) -> None:
        self._choose(self._field.name, value)

    @property
    def options(self) -> Options:
        """Label and value of what there is to choose."""
        return self._field.options(self._current())

    @property
    def label(self) -> str | None:
        """Label of the option that is chosen."""
        return next((label for label, value in self.options if value == self.value), None)

    @property
    def description(self) -> str:
        """What stands beside the control."""
        return self._field.label

    @property
    def disabled(self) -> bool:
        """Whether the fleet's own filter has settled it."""
        return self._field.disabled

    def __repr__(self) -> str:
        return f"<{self.description}: {self.value!r}>"


class Tick:
    """One box to tick, such as a flight type.

    Parameters
    ----------
    control : Control
        The control of all boxes.
    token : str
        What this box stands for.
    """

    def __init__(self, control: Control, token: str) -> None:
        self._control = control
        self.description = token

    @property
    def value(self) -> bool:
        """Whether it is ticked, to be selected or to be left out with the others."""
        return self.description in named_values(self._control.value)

    @value.setter
    def value(self, ticked: bool) -> None:
        now = self._control.value
        others = [token for token in named_values(now) if token != self.description]
        tokens = [*others, self.description] if ticked else others
        self._control.value = Excluding(tokens) if isinstance(now, Excluding) else tokens

    def __repr__(self) -> str:
        return f"<{self.description}: {self.value}>"


class Button:
    """A button.

    Parameters
    ----------
    press : callable
        What it does.
    """

    def __init__(self, press: Callable[[], None]) -> None:
        self._press = press

    def click(self) -> None:
        """Press it."""
        self._press()


class Controls:
    """The controls of an explorer: a `Control` for each field, by its name.

    Attributes
    ----------
    types : dict
        Option → `Tick`, of the field whose options are ticked.
    reset : Button
        Takes every choice back.
    """

    def __init__(
        self,
        fields: Mapping[str, Field],
        current: Callable[[], Choices],
        choose: Choose,
        reset: Callable[[], None],
    ) -> None:
        self._controls = {name: Control(field, current, choose) for name, field in fields.items()}
        ticked = [name for name, field in fields.items() if field.kind == "ticks"]
        self.types = {
            token: Tick(self._controls[name], token)
            for name in ticked
            for _, token in self._controls[name].options
        }
        self.reset = Button(reset)

    def __getattr__(self, name: str) -> Control:
        controls = self.__dict__.get("_controls", {})
        if name not in controls:
            raise missing_attribute("An explorer's controls", name, controls)
        control: Control = controls[name]
        return control

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._controls]

    def __iter__(self) -> Iterator[Control]:
        return iter(self._controls.values())
