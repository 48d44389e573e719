"""Users' arguments, read into one form; what is not valid raises an InvalidValue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from inspect import signature
from math import inf, isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from fleetkit.conversion import is_many
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, did_you_mean
from fleetkit.lettering import is_text
from fleetkit.paths import expanded, is_path

__all__ = [
    "check_switches",
    "check_tokens",
    "checked_folder",
    "checked_list",
    "checked_names",
    "checked_number",
    "checked_path",
    "checked_words",
    "is_finite",
    "is_whole_number",
    "refuse_unknown",
    "repeatable",
    "texts",
]

# The largest number that a column holds, of whole ones and of others.
_LARGEST = 2**63 - 1

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def texts(value: Any, name: str, column: str | None = None) -> tuple[str, ...]:
    """Return the texts that an argument holds, each once, in their order.

    Parameters
    ----------
    value : str, iterable of str, Series or DataFrame
        A lone text is one value. Of a DataFrame, and of a row of one, `column` is taken.
    name : str
        What to call the argument in an error.
    column : str, optional
        The column of identifiers, such as ``equipment_id``.

    Raises
    ------
    InvalidValue
        For values that are not texts, and for a null; half of a surrogate pair is no text.

    Examples
    --------
    >>> texts("eq_1", "equipment"), texts(pd.Series(["eq_1", "eq_1"]), "equipment")
    (('eq_1',), ('eq_1',))
    """
    values = [value] if isinstance(value, str) else _values(value, name, column)
    wrong = [item for item in values if not is_text(item)]
    if wrong:
        raise InvalidValue(
            f"{name} holds {brief(wrong[0])}, which is not a text.",
            advice=f"Write {name} as texts, without nulls.",
        )
    return tuple(dict.fromkeys(map(str, values)))


def repeatable(value: Any) -> Any:
    """Return an argument as it is, but a generator, which can be read only once, as a list.

    Examples
    --------
    >>> repeatable(letter for letter in "ab"), repeatable("ab")
    (['a', 'b'], 'ab')
    """
    return list(value) if isinstance(value, Iterator) else value


def _values(value: Any, name: str, column: str | None) -> list[Any]:
    if isinstance(value, pd.DataFrame) or (isinstance(value, pd.Series) and column in value.index):
        if column is None or column not in value:
            raise InvalidValue(
                f"{name}= is a {type(value).__name__}{f' without {column}' if column else ''}.",
                advice=f"Hand over the column that holds the {name}, or a list of texts.",
            )
        part = value[column]
        return part.tolist() if isinstance(part, pd.Series) else [part]
    if isinstance(value, Mapping | bytes) or not is_many(value):
        raise InvalidValue(
            f"{brief(value)} is not a text, nor a list of texts, for {name}.",
            advice=f"Write {name} as a text, a list of texts or a Series of them.",
        )
    return list(value)


def checked_path(path: Any, what: str) -> str | Path:
    """Return the path of a folder, or the address of an object store, if it is one.

    Raises
    ------
    InvalidValue
        It is empty or not a path; as text, ``None`` would be a folder of that name.
    """
    if is_path(path):
        return path if isinstance(path, str) else Path(path)
    raise InvalidValue(
        f"{brief(path)} is not the path of {what}.",
        advice="Write a folder, or the address of an object store.",
    )


def checked_folder(path: Any) -> Path:
    """Return the path of a folder that files are written to; ~ is the user's own.

    Raises
    ------
    InvalidValue
        It is empty, not a path, or the address of an object store.
    """
    folder = checked_path(path, "a folder")
    if "://" in str(folder):
        raise InvalidValue(
            f"{folder} is not a folder of this machine.", advice="Write to one, and copy it."
        )
    return expanded(folder)


def checked_number(value: Any, name: str, *, kind: type = Real) -> Any:
    """Return a number of 0 or more, if it is one; of `kind` `Integral` a whole one.

    Raises
    ------
    InvalidValue
        It is not: below 0, NaN, or no number at all.

    Examples
    --------
    >>> checked_number(30, "shortest")
    30
    """
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    if is_number and (0 <= value <= _LARGEST or value == inf):
        return value
    if is_number and value > 0:
        advice = f"Write one up to {_LARGEST:g}."
        raise InvalidValue(f"{name} is too large a number.", advice=advice)
    what = "whole number" if kind is Integral else "number"
    raise InvalidValue(f"{name}={brief(value)} is not a {what} of 0 or more.", advice="Write one.")


def is_finite(value: Any) -> bool:
    """Whether a value is a number that a float holds, other than infinity.

    Examples
    --------
    >>> [is_finite(value) for value in (3, -2.5, float("nan"), float("inf"), 10**400, "3")]
    [True, True, False, False, False, False]
    """
    try:
        return isinstance(value, Real) and isfinite(value)
    except OverflowError:  # of a whole number with more digits than a float has room for
        return False


def is_whole_number(value: Any) -> bool:
    """Whether a value is a whole number, also one of NumPy's, as a cell of a table is.

    Examples
    --------
    >>> import numpy as np
    >>> [is_whole_number(value) for value in (3, np.int64(3), 3.0, True, "3")]
    [True, True, False, False, False]
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def checked_list(values: Any, name: str) -> list[Any]:
    """Return the values of a list; a lone text isn't one, nor are its letters.

    Raises
    ------
    InvalidValue
        It is not a list.

    Examples
    --------
    >>> checked_list(("2026-10", "2026-11"), "periods")
    ['2026-10', '2026-11']
    """
    if isinstance(values, str | bytes | Mapping) or not is_many(values):
        raise InvalidValue(
            f"{name}={brief(values)} is not a list.", advice=f"Write the {name} between brackets."
        )
    return list(values)


def checked_words(given: Any, name: str, known: Iterable[str], what: str) -> list[str]:
    """Return the words that an argument holds, each once, in their order.

    Parameters
    ----------
    given : str or iterable of str
        One word, or several.
    name : str
        The argument's name.
    known : iterable of str
        The words that there are.
    what : str
        What they are: "a word that flights are counted by".

    Raises
    ------
    InvalidValue
        One is unknown, or there is none; the message suggests a similar one.

    Examples
    --------
    >>> checked_words(["pilot", "month", "pilot"], "by", ["month", "pilot"], "a word")
    ['pilot', 'month']
    """
    known = list(known)
    names = list(given) if is_many(given) and not isinstance(given, str) else [given]
    unknown = [word for word in names if str(word) not in known]
    if unknown or not names:
        raise InvalidValue(
            f"{name}={brief(unknown[0] if unknown else given)} is not {what}. "
            + (did_you_mean(str(unknown[0]), known) if unknown else ""),
            advice=f"Write one or several of: {', '.join(known)}.",
        )
    return list(dict.fromkeys(map(str, names)))


def checked_names(
    what: str, advice: str = ""
) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Let a call refuse the name of an argument that it doesn't take as it refuses a value.

    It refuses what is neither True nor False, too, for an argument that is one of them.

    Parameters
    ----------
    what : str
        What its arguments are: ``"filter"``, ``"argument of fk.demo"``.
    advice : str
        What else to do, after the names that there are.

    Raises
    ------
    InvalidValue
        When it is called so; the message holds near names.
    """

    def decorate(call: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        names = [name for name in signature(call).parameters if name != "self"]

        @wraps(call)
        def checked(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            refuse_unknown(kwargs, names, what, advice)
            check_switches(call, kwargs)
            return call(*args, **kwargs)

        return checked

    return decorate


def check_switches(call: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Refuse what is neither True nor False for an argument that is one of them by default.

    Parameters
    ----------
    call : function
        Whose arguments, behind ``*``.
    given : dict
        Name of an argument → its value.

    Raises
    ------
    InvalidValue
        A text such as ``"no"``, which would count as yes; a null; a frame.
    """
    for name, default in (call.__kwdefaults__ or {}).items():
        value = given.get(name, default)
        is_switch = isinstance(default, bool) and call.__annotations__[name] == "bool"
        if is_switch and not isinstance(value, bool | np.bool_):
            raise InvalidValue(
                f"{name}={brief(value)} is neither yes nor no.",
                advice=f"Write {name}=True or {name}=False.",
            )


def refuse_unknown(names: Iterable[str], known: Iterable[str], what: str, advice: str = "") -> None:
    """Refuse names that a call doesn't take.

    Parameters
    ----------
    names, known : iterable of str
        The names that a user wrote, and those that exist.
    what : str
        What they name: ``"filter"``, ``"argument of fk.demo"``.
    advice : str
        What else to do, after the names that there are.

    Raises
    ------
    InvalidValue
        A name is not known; the message suggests a similar one.
    """
    known = list(known)
    unknown = [name for name in names if not (isinstance(name, str) and name in known)]
    if unknown:
        others = f"There are: {', '.join(known)}." if known else "It takes none."
        raise InvalidValue(
            f"There is no {what} named {brief(unknown[0])}. {did_you_mean(str(unknown[0]), known)}",
            advice=f"{others} {advice}".strip(),
        )


def check_tokens(tokens: Iterable[Any], known: Iterable[str], kind: str, kinds: str) -> None:
    """Refuse a token that isn't one of a closed set.

    Parameters
    ----------
    tokens, known : iterable of str
        Those that a user wrote, and those of the set.
    kind, kinds : str
        What one is, and what the message calls them all: ``"flight type"``, ``"Flight types"``.

    Raises
    ------
    InvalidValue
        One isn't of the set; the message suggests a similar token.
    """
    known = list(known)
    for token in tokens:
        # A Series can't even be compared with a text.
        if not isinstance(token, str) or token not in known:
            raise InvalidValue(
                f"{brief(token)} is not a {kind}. {did_you_mean(str(token), known)}",
                advice=f"{kinds} are: {', '.join(known)}.",
            )
