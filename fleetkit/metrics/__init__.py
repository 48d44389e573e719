"""What fleetkit measures: frame in, small frame out.

Every function here takes tables as :mod:`fleetkit.tables` makes them and gives one small frame
back: keys first, then measures. A metric has a module of its name, and is found by existing. A name
is always the function, also where a module has it too.

Whatever runs over flights is written with Narwhals: pandas, Polars, DuckDB, Dask and PySpark
frames go in, and what comes back is of the kind of the first argument.
"""

from typing import TYPE_CHECKING, NoReturn

from fleetkit.interface import discover, missing_attribute

if TYPE_CHECKING:  # type checkers don't run `discover`; `make format` writes what they read
    from fleetkit.metrics._declared import *  # noqa: F403
else:
    _METRICS = discover(__name__, __path__)  # noqa: F405
    globals().update(_METRICS)
    __all__ = list(_METRICS)

    def __getattr__(name: str) -> NoReturn:
        """Name near ones where there is no such name."""
        raise missing_attribute("fleetkit.metrics", name, __all__)
