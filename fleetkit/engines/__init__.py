"""The engines other than pandas that count over a fleet's tables, each an extra of its own.

``names`` says which one is asked, ``sessions`` finds the session or cluster that it runs in,
``frames`` hands tables over, ``dask_plans`` holds what Dask needs said otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetkit.engines.dask_plans import (
    anti_join,
    categorized,
    joinable,
    semi_join,
    shuffle_by_tasks,
)
from fleetkit.engines.frames import from_pandas, is_spark, pandas_types, to_arrow
from fleetkit.engines.names import (
    ENGINES,
    PANDAS,
    Engine,
    Pandas,
    addressed,
    check_engine_name,
    checked_engine,
    engine_of_processes,
    engine_of_reports,
    installed,
    lazy_engine,
    version_of,
)
from fleetkit.engines.sessions import session_of, spark

if TYPE_CHECKING:
    from fleetkit.engines.names import Session as Session

__all__ = [
    "ENGINES",
    "PANDAS",
    "Engine",
    "Pandas",
    "addressed",
    "anti_join",
    "categorized",
    "check_engine_name",
    "checked_engine",
    "engine_of_processes",
    "engine_of_reports",
    "from_pandas",
    "installed",
    "is_spark",
    "joinable",
    "lazy_engine",
    "pandas_types",
    "semi_join",
    "session_of",
    "shuffle_by_tasks",
    "spark",
    "to_arrow",
    "version_of",
]
