"""What fleetkit measures: frame in, small frame out.

Every function here takes tables as :mod:`fleetkit.tables` makes them and gives one small frame
back: keys first, then measures. A metric has a module of its name, and is found by existing. A name
is always the function, also where a module has it too. What its terms mean stands in its docstring,
and `definitions` returns it.

Whatever runs over flights is written with Narwhals: pandas, Polars, DuckDB, Dask and PySpark
frames go in, and what comes back is of the kind of the first argument. `collect` makes a pandas
DataFrame of it, whatever it is.
"""

from typing import TYPE_CHECKING, NoReturn

import pandas as pd

from fleetkit.arguments import refuse_unknown
from fleetkit.interface import missing_attribute
from fleetkit.metrics._collecting import collected
from fleetkit.metrics._definitions import definitions_of
from fleetkit.metrics._frames import Frame
from fleetkit.namespaces import discover
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


def collect(frame: Frame, *, tz: str | None = None) -> pd.DataFrame:
    """Return a result of any engine as a pandas DataFrame: the engine counts now.

    Parameters
    ----------
    frame : frame of any engine
        What a metric returned, as a rule: small. A whole table will do, where it fits into memory.
    tz : str, optional
        IANA time zone for the DataFrame to carry, such as ``fleet.tz``; a lazy frame has none.

    Returns
    -------
    DataFrame
        The same columns and rows with the dtypes that pandas' own results have: text ``str``,
        categories with an order of their own (Polars and DuckDB) an ordered categorical,
        timestamps ``datetime64[us, UTC]`` where they have a zone, whole numbers ``int64``, or
        ``Int64`` where some are null, other numbers ``float64``, truths ``bool`` or ``boolean``. A
        DataFrame of pandas stays what it is.

    Raises
    ------
    InvalidValue
        What is not a frame, or not a time zone.

    Examples
    --------
    >>> import polars as pl
    >>> import fleetkit as fk
    >>> flights = pl.LazyFrame({"flight_type": ["TRAINING"] * 2, "duration_seconds": [1800, 5400]})
    >>> fk.metrics.collect(fk.metrics.flight_hours(flights, by="flight_type"))
      flight_type  flights  hours
    0    TRAINING        2    2.0
    """
    return collected(frame, tz)


if TYPE_CHECKING:  # type checkers don't run `discover`; `make format` writes what they read
    from fleetkit.metrics._declared import *  # noqa: F403
else:
    globals().update(_METRICS)
    __all__ = ["collect", "definitions"]
    __all__ += list(_METRICS)

    def __getattr__(name: str) -> NoReturn:
        """Name near ones where there is no such name."""
        raise missing_attribute("fleetkit.metrics", name, __all__)

    def __dir__() -> list[str]:
        """Show the names that are for users."""
        return sorted(__all__)
