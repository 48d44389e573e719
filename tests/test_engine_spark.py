"""Metrics over flights in Spark give what they give in pandas."""

from __future__ import annotations

import pandas as pd
import pytest
from test_engines import METRICS, bridge, equipment, flights, plain, projects

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def frames(spark):
    tables = [flights(), bridge(), equipment(), projects()]
    return [spark.createDataFrame(table).cache() for table in tables]


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_spark_gives_what_pandas_gives(frames, metric):
    expected = metric(flights(), bridge(), equipment(), projects())
    pd.testing.assert_frame_equal(
        plain(metric(*frames)), plain(expected), check_dtype=False, check_column_type=False
    )
