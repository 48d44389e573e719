"""What fleetkit measures: frame in, small frame out.

Every function here takes tables as :mod:`fleetkit.tables` makes them and gives one small frame
back: keys first, then measures. A metric has a module of its name, and is found by existing. A name
is always the function, also where a module has it too. What its terms mean stands in its docstring,
and `definitions` returns it.

Whatever runs over flights is written with Narwhals: pandas, Polars, DuckDB, Dask and PySpark
frames go in, and what comes back is of the kind of the first argument.
"""

from typing import TYPE_CHECKING, NoReturn

from fleetkit.arguments import refuse_unknown
from fleetkit.interface import discover, missing_attribute
from fleetkit.metrics._definitions import definitions_of
from fleetkit.origins import recorded

_METRICS = discover(__name__, __path__, recorded)


def definitions(*names: str) -> dict[str, str]:
    """Return what the terms of metrics mean, as their docstrings define them.

    Parameters
    ----------
    *names : str
        Metrics; default: all of them.

    Returns
    -------
    dict
        Term → its definition.

    Raises
    ------
    InvalidValue
        There is no metric of that name, or its docstring has no definition.

    Examples
    --------
    >>> definitions("late_projects")
    {'Late': 'The scheduled date is past and the project is DRAFT, CONFIRMED or SCHEDULED.'}
    """
    refuse_unknown(names, _METRICS, "metric")
    terms: dict[str, str] = {}
    for name in names or _METRICS:
        terms |= definitions_of(name, _METRICS)
    return terms


if TYPE_CHECKING:  # type checkers don't run `discover`; `make format` writes what they read
    from fleetkit.metrics._declared import *  # noqa: F403
else:
    globals().update(_METRICS)
    __all__ = ["definitions"]
    __all__ += list(_METRICS)

    def __getattr__(name: str) -> NoReturn:
        """Name near ones where there is no such name."""
        raise missing_attribute("fleetkit.metrics", name, __all__)

    def __dir__() -> list[str]:
        """Show the names that are for users."""
        return sorted(__all__)
