"""The same metric on pandas, Polars, DuckDB and Dask: equal results, and the same kind back."""

import inspect
from functools import cache

import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import polars.selectors as cs
import pyarrow as pa
import pytest
from an_example import arguments_of
from five_flights import bridge, days, equipment, flights, projects

import fleetkit as fk
from fleetkit import metrics
from fleetkit.engines import from_pandas
from fleetkit.settings import HOUSE_RULE
from fleetkit.time import Period
from fleetkit.time.engines import with_time

BERLIN = "Europe/Berlin"


@pytest.fixture(scope="module", autouse=True)
def kept_plans():
    """Let Dask keep the steps that it planned: by itself it forgets those that nobody holds.

    The metrics here have most of theirs in common.
    """
    from dask._expr import SingletonExpr

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SingletonExpr, "_instances", {}, raising=False)
        yield


@cache
def connection(tz: str) -> duckdb.DuckDBPyConnection:
    """Return a DuckDB session that has a time zone of its own, as every session has."""
    opened = duckdb.connect()
    opened.execute(f"set timezone = '{tz}'")
    return opened


def in_duckdb(frame: pd.DataFrame, tz: str = "UTC") -> duckdb.DuckDBPyRelation:
    return connection(tz).from_arrow(pa.Table.from_pandas(frame, preserve_index=False))


def in_new_york(frame: pd.DataFrame) -> duckdb.DuckDBPyRelation:
    return in_duckdb(frame, "America/New_York")


def in_dask(frame: pd.DataFrame):
    from dask import dataframe

    return dataframe.from_pandas(frame, npartitions=2)


# Polars' frames that aren't lazy are among those of people, below.
ENGINES = {
    "polars": lambda frame: pl.from_pandas(frame).lazy(),
    "duckdb, session in New York": in_new_york,
}
EACH_ENGINE = pytest.mark.parametrize(
    "engine",
    [
        *(
            pytest.param(engine, id=name, marks=() if name == "polars" else pytest.mark.slow)
            for name, engine in ENGINES.items()
        ),
        pytest.param(in_dask, id="dask", marks=pytest.mark.slow),
    ],
)
# What metrics call their arguments → an argument of that name.
ARGUMENTS = {
    "period": Period.read("2026-Q4", BERLIN),
    "periods": ["2026-10", "2026-Q4", "2026-10-01"],
    "as_of": "2026-10-31",
    "days": ["2026-10-31", "2026-10-01"],
    "rule": HOUSE_RULE,
}
FLOWN = {
    name: inspect.signature(function).parameters
    for name in metrics.__all__
    if inspect.isfunction(function := getattr(metrics, name))
    and {"flights", "bridge"} & set((signature := inspect.signature(function)).parameters)
    and signature.return_annotation == "FrameT"
}
# Metrics that return whole rows: what is compared of them.
COMPARED = {"aircraft": ["equipment_id"], "untimed_flights": ["flight_id", "flight_date"]}


def passed(name: str) -> set[str]:
    """Return the names of the arguments that `measured` passes to a metric."""
    return {
        parameter.name
        for parameter in FLOWN[name].values()
        if parameter.default is inspect.Parameter.empty or parameter.name == "tz"
    }


def measured(name: str):
    """Return a function of flights, bridge, equipment and projects that calls a metric."""

    def measure(f, b, e, p):
        given = arguments_of(getattr(metrics, name)) | ARGUMENTS
        given |= {
            "flights": f,
            "earlier": f,
            "bridge": b,
            "equipment": e,
            "aircraft": e,
            "projects": p,
            "flagged": nw.from_native(f).filter(nw.col("night_flight")).to_native(),
            "tz": BERLIN,
        }
        result = getattr(metrics, name)(**{key: given[key] for key in passed(name)})
        columns = COMPARED.get(name)
        return nw.from_native(result).select(columns).to_native() if columns else result

    return measure


METRICS = {
    "words of time": lambda f, b, e, p: metrics.flight_hours(
        f, by=["year", "quarter", "week", "day", "weekday", "hour"], tz="America/Los_Angeles"
    ),
    "lag": lambda f, b, e, p: metrics.logging_lag(
        f, by=["quarter", "weekday", "client", "type"], tz=BERLIN, bridge=b, projects=p, equipment=e
    ),
    "areas": lambda f, b, e, p: metrics.take_offs(f, areas=True),
    "pieces": lambda f, b, e, p: metrics.flight_hours(
        f, by=["type", "category", "registration", "client"], bridge=b, equipment=e, projects=p
    ),
    "flags": lambda f, b, e, p: metrics.flight_hours(
        f, by=["night", "bvlos"], measures=["flights", "distance", "median", "p90"], share="night"
    ),
    "names": lambda f, b, e, p: metrics.flight_hours(
        f, by=["pilot", "project", "equipment"], bridge=b, equipment=e, names=True
    ),
    "along time": lambda f, b, e, p: metrics.flight_hours(
        f, by=["month", "flight_type"], tz=BERLIN, share=True, rolling=2, cumulative=True
    ),
} | {name: measured(name) for name in FLOWN}


def plain(frame) -> pd.DataFrame:
    """Return any frame as pandas, without the marks that an engine leaves on types."""
    collected = nw.from_native(frame).lazy().collect("pandas").to_native().reset_index(drop=True)
    for name, column in collected.items():
        if isinstance(column.dtype, pd.DatetimeTZDtype):
            collected[name] = column.dt.tz_convert("UTC")
        elif isinstance(column.dtype, pd.CategoricalDtype):
            collected[name] = column.astype("str")
        elif name in {"night", "bvlos"}:
            collected[name] = column.astype("boolean")
    return collected


def test_metrics_over_flights_or_the_bridge_are_found_here():
    assert {"flight_hours", "pilots", "recency", "utilisation", "untimed_flights"} <= set(FLOWN)
    assert len(FLOWN) >= 14


def tables(*, flown: bool = True) -> list[pd.DataFrame]:
    """Return the arguments of METRICS in pandas, with or without flights."""
    known = [flights(), bridge()]
    return [*(known if flown else (frame.iloc[:0] for frame in known)), equipment(), projects()]


def from_last_to_first(name: str, table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in the other order, but for a metric that keeps the order of its rows."""
    return table if name in COMPARED else table.iloc[::-1]


def numbered(frame: pd.DataFrame) -> pd.DataFrame:
    assert frame.index.tolist() == list(range(len(frame)))
    return frame


@cache
def in_pandas(name: str, *, flown: bool = True) -> pd.DataFrame:
    """Return what one of METRICS gives in pandas of rows in another order than engines get."""
    given = [from_last_to_first(name, table) for table in tables(flown=flown)]
    return plain(numbered(METRICS[name](*given)))


@pytest.mark.slow
@pytest.mark.parametrize("name", METRICS)
@EACH_ENGINE
def test_an_engine_gives_what_pandas_gives_and_its_own_kind_back(engine, name):
    given = [engine(table) for table in tables()]
    found = METRICS[name](*given)
    assert type(found) is type(given[0])
    pd.testing.assert_frame_equal(
        plain(found), in_pandas(name), check_dtype=False, check_column_type=False
    )


@cache
def example(name: str):
    """Return the arguments of a metric's example, and what pandas gives of the rows backwards."""
    metric = getattr(metrics, name)
    arguments = arguments_of(metric)
    backwards = {
        key: from_last_to_first(name, value) if isinstance(value, pd.DataFrame) else value
        for key, value in arguments.items()
    }
    return arguments, metric(**backwards)


def shows_more(name: str) -> bool:
    """Whether an example passes more than METRICS do, or can't be run, as its test then says."""
    try:
        return name not in FLOWN or not set(arguments_of(getattr(metrics, name))) <= passed(name)
    except Exception:
        return True


# test_data_quality_parts.py has the one that takes lists of frames.
NAMES = sorted(set(metrics.__all__) - {"collect", "data_quality_of_parts", "definitions"})


@pytest.mark.slow
@pytest.mark.parametrize("name", list(filter(shows_more, NAMES)))
@EACH_ENGINE
def test_the_example_of_a_metric_gives_in_every_engine_what_it_gives_in_pandas(engine, name):
    arguments, expected = example(name)
    frames = {
        key: engine(value) for key, value in arguments.items() if isinstance(value, pd.DataFrame)
    }
    found = getattr(metrics, name)(**{**arguments, **frames})
    if isinstance(expected, pd.DataFrame):
        assert type(found) is type(next(iter(frames.values())))
        numbered(expected)
        found, expected = (
            frame.astype(dict.fromkeys(frame.columns[frame.isna().all()], "float64"))
            for frame in (plain(found), plain(expected))
        )  # engines differ in what they take a column of nulls for
        pd.testing.assert_frame_equal(found, expected, check_dtype=False, check_column_type=False)
    else:
        assert frames
        assert found == expected


def with_index_and_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame that people saved memory in: an index of ids, categories, no zones."""
    texts = frame.columns[[isinstance(dtype, pd.StringDtype) for dtype in frame.dtypes]]
    indexed = frame.astype(dict.fromkeys(texts, "category")).set_index(frame.columns[0], drop=False)
    return indexed.assign(
        **{
            name: column.dt.tz_localize(None)
            for name, column in indexed.items()
            if isinstance(column.dtype, pd.DatetimeTZDtype)
        }
    )


def with_numbers_of_their_own(frame: pd.DataFrame) -> pl.DataFrame:
    """Return a frame of Polars with NaN for null, and with decimals."""
    price = cs.by_name("agreed_price", require_all=False)
    return pl.from_pandas(frame).with_columns(
        (cs.float() - price).fill_null(float("nan")), price.cast(pl.Decimal(20, 6))
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [
        with_index_and_categories,
        lambda frame: pa.Table.from_pandas(frame).to_pandas(types_mapper=pd.ArrowDtype),
        pa.Table.from_pandas,
        with_numbers_of_their_own,
    ],
    ids=["index and categories", "Arrow's dtypes", "Arrow's table", "NaN and decimals"],
)
def test_metrics_take_the_dtypes_and_the_index_that_people_s_frames_have(kind):
    given = [kind(table) for table in tables()]
    for name in METRICS.keys() - COMPARED.keys():
        found = METRICS[name](*given)
        assert type(found) is type(given[0])
        pd.testing.assert_frame_equal(plain(found), in_pandas(name), check_dtype=False, obj=name)


TEXTS = nw.String | nw.Categorical | nw.Enum


def texts_of(frame) -> list[str]:
    kinds = nw.from_native(frame).collect_schema()
    return [key for key, kind in kinds.items() if isinstance(kind, TEXTS)]


@pytest.mark.slow
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("engine", [pl.from_pandas, in_duckdb], ids=["polars", "duckdb"])
def test_no_flights_give_in_an_engine_what_they_give_in_pandas(engine, name):
    counted, known = METRICS[name](*map(engine, tables(flown=False))), in_pandas(name, flown=False)
    assert texts_of(counted) == texts_of(known)
    found, expected = (
        frame.astype("object").mask(frame.isna(), None) for frame in (plain(counted), known)
    )  # without values engines differ in what they take a column for
    pd.testing.assert_frame_equal(found, expected, check_index_type=False)


def of_metric(name: str):
    """Return one of METRICS, or one that takes equipment alone."""
    return METRICS.get(name, lambda f, b, e, p: getattr(metrics, name)(e))


# Above, what has no flights has its equipment and projects still: these take some of them.
OF_RECORDS = ["lag", "pieces", "names", "equipment_condition"]
OF_RECORDS += [name for name in FLOWN if {"equipment", "aircraft", "projects"} & passed(name)]


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_RECORDS)
def test_what_is_text_in_pandas_is_text_in_an_engine_also_without_rows(name):
    found, expected = (
        texts_of(of_metric(name)(*(kind(table.iloc[:0]) for table in tables())))
        for kind in (pl.from_pandas, pd.DataFrame)
    )
    assert found == expected


@pytest.mark.slow
def test_equipment_of_one_name_stands_in_one_order_whatever_that_of_its_rows():
    flown, pairs, pieces, work = tables()
    given = [flown, pairs, pieces.assign(name="Kestrel"), work]
    turned = [table.iloc[::-1] for table in given]
    for name in ("age_and_value", "idle", "maintenance", "maintenance_due"):
        pd.testing.assert_frame_equal(
            plain(METRICS[name](*turned)), plain(METRICS[name](*given)), obj=name
        )


@EACH_ENGINE
def test_dates_are_not_shifted_in_any_engine(engine):
    given = flights().assign(flight_date=days(*["2026-10-01"] * 5))
    counted = metrics.flight_hours(engine(given), by="day", tz="America/New_York")
    assert list(plain(counted)["day"]) == ["2026-10-01"]


@pytest.mark.parametrize(
    "engine",
    [pd.DataFrame, pytest.param(in_dask, marks=pytest.mark.slow)],
    ids=["pandas", "dask"],
)
def test_dates_in_a_zone_whose_name_has_an_underscore_are_the_moments_that_they_are(engine):
    given = flights().iloc[:1]
    given["flight_date"] = given["flight_date"].dt.tz_convert("America/New_York")  # there 19:30
    counted = metrics.flight_hours(engine(given), by=["day", "hour"], tz="UTC")
    assert plain(counted).to_numpy().tolist() == [["2026-09-30", 23, 1, 1.0]]


@pytest.mark.slow
def test_the_hour_that_comes_twice_in_the_session_s_zone_is_told_apart():
    instants = ["2026-11-01T05:30", "2026-11-01T06:30"]  # both 01:30 in New York
    given = flights().iloc[:2].assign(flight_date=days(*instants))
    relation = in_duckdb(given, "America/New_York")
    counted = metrics.flight_hours(relation, by="day", tz="Etc/GMT+6")  # 23:30, 00:30
    assert list(plain(counted)["day"]) == ["2026-10-31", "2026-11-01"]


def test_dates_without_a_zone_are_in_utc_beside_logs_with_one_whatever_the_session_s_zone():
    given = flights()
    given["flight_date"] = given["flight_date"].dt.tz_localize(None)
    pairs, pieces, work = bridge(), equipment(), projects()
    for engine in (in_new_york, lambda frame: pl.from_pandas(frame).lazy(), pl.from_pandas):
        frames = map(engine, (given, pairs, pieces, work))
        checks = plain(metrics.data_quality(*frames, as_of="2026-10-31")).set_index("check")
        assert checks["count"]["Logged before it was flown"] == 0  # 2.5 h later at least
        lag = plain(metrics.logging_lag(engine(given)))
        assert lag["median_hours"].tolist() == [4.0]  # of 2 h, 4 h and 24 h


@pytest.mark.parametrize("engine", [lambda frame: pl.from_pandas(frame).lazy(), duckdb.from_df])
def test_days_of_an_engine_s_frame_are_noticed_as_utc_s_where_no_zone_is_given(engine):
    with pytest.warns(fk.Notice, match=r"carries no time zone: .* of UTC\. Pass tz=fleet\.tz"):
        in_utc = metrics.flight_hours(engine(flights()), by="month")
    assert plain(in_utc)["flights"].tolist() == [1, 3, 1]  # fl_1 at 23:30 on 30 September
    with fk.notices.collected() as notices:
        in_london = metrics.flight_hours(engine(flights()), by="month", tz="Europe/London")
        assert plain(in_london)["flights"].tolist() == [4, 1]
        plain(metrics.logging_lag(engine(flights()), by="pilot"))  # no days
        metrics.flight_hours(flights(), by="month")  # of pandas, which carry their fleet's
    assert notices == []


def test_closed_sets_and_columns_of_nulls_are_text_to_an_engine_and_no_index_is_a_column():
    frame = pd.DataFrame({"status": pd.Categorical(["DRAFT"]), "note": [None]}, index=[7])
    schema = from_pandas(frame, "polars").collect_schema()
    assert dict(schema) == {"status": pl.String, "note": pl.String}


def test_frames_of_two_engines_are_refused_in_words():
    with pytest.raises(fk.InvalidValue, match="bridge is a frame of pandas, the flights of polars"):
        metrics.flight_hours(pl.from_pandas(flights()), by="equipment", bridge=bridge())


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.LazyFrame])
def test_ids_of_flights_that_are_numbers_in_one_frame_alone_are_refused_in_words(engine):
    flown = engine({"flight_id": [1], "duration_seconds": [3600]})
    pairs = engine({"flight_id": ["1"], "equipment_id": ["d"]})
    with pytest.raises(
        fk.InvalidValue, match=r"bridge\.flight_id is String, that of the flights Int"
    ):
        metrics.double_count(flown, pairs)


@pytest.mark.parametrize("engine", [lambda frame: frame, pl.from_pandas, duckdb.from_df])
def test_ids_that_are_numbers_count_as_the_same_texts(engine):
    pieces, flown, pairs = equipment(), flights(), bridge()
    numbers = {name: place for place, name in enumerate(pieces["equipment_id"])}
    expected = metrics.maintenance(pieces, flown, pairs, "2027-01-02").sort_values("equipment_id")
    for frame in (pieces, pairs):
        frame["equipment_id"] = frame["equipment_id"].map(numbers)
    since = plain(metrics.maintenance(engine(pieces), engine(flown), engine(pairs), "2027-01-02"))
    assert expected["hours_since"].sum() == 2.5
    assert since["hours_since"].sum() == 2.5
    assert sorted(since["equipment_id"]) == ["0", "1", "2", "3"]


@pytest.mark.parametrize("engine", [lambda frame: frame, pl.from_pandas, duckdb.from_df, in_dask])
def test_a_number_is_the_same_id_beside_a_null_for_which_pandas_makes_7_of_it_7_0(engine):
    listed = projects().assign(project_id=[7, 8])
    flown = flights().assign(project_id=[7, 7, None, 8, None])
    effort = plain(metrics.project_effort(listed, engine(flown))).sort_values("project_id")
    assert effort[["project_id", "title", "flights"]].to_numpy().tolist() == [
        ["7", "Quarry", 2],
        ["8", "Bridge", 1],
    ]


@pytest.mark.parametrize("engine", [lambda frame: frame, pl.from_pandas, duckdb.from_df])
def test_flights_are_found_by_numbers_of_which_one_frame_has_a_null_and_so_floats(engine):
    flown, pairs = flights(), bridge()
    numbers = {name: place for place, name in enumerate(flown["flight_id"])}
    expected = plain(metrics.double_count(flown, pairs))
    flown["flight_id"] = flown["flight_id"].map(numbers)
    pairs["flight_id"] = pairs["flight_id"].map(numbers).astype("float64")
    pd.testing.assert_frame_equal(
        plain(metrics.double_count(engine(flown), engine(pairs))), expected
    )
    frames = {"bridge": engine(pairs), "projects": engine(projects())}
    hours = metrics.flight_hours(engine(flown), by=["equipment", "client"], **frames)
    assert plain(hours)["flights"].sum() == len(pairs)


@pytest.mark.parametrize("place", range(4), ids=["flights", "bridge", "equipment", "projects"])
def test_ids_that_are_categories_in_one_frame_alone_are_joined_all_the_same(place):
    given = [pl.from_pandas(table) for table in tables()]
    given[place] = given[place].with_columns(cs.string().cast(pl.Categorical))
    for name in ("pieces", "names"):
        pd.testing.assert_frame_equal(
            plain(METRICS[name](*given)), in_pandas(name), check_dtype=False
        )


def test_projects_of_no_flight_that_pandas_reads_as_numbers_are_nulls():
    unassigned = flights().assign(project_id=float("nan"))
    hours = metrics.flight_hours(unassigned, by="client", projects=projects())
    assert hours["client"].tolist() == ["Unassigned"]
    assert hours["flights"].tolist() == [len(unassigned)]


def test_a_frame_that_allows_no_label_twice_counts_like_any_other():
    strict = projects().set_flags(allows_duplicate_labels=False)
    assert metrics.pipeline_totals(strict)["projects"].tolist() == [2, 1, 1]
    assert not strict.flags.allows_duplicate_labels


def test_two_columns_of_one_name_are_refused_in_words():
    merged = pd.concat([flights(), flights()], axis=1)
    with pytest.raises(fk.InvalidValue, match="flights has two columns of one name"):
        metrics.flight_hours(merged)
    with pytest.raises(fk.InvalidValue, match="flights has two columns of one name"):
        metrics.recency(merged, HOUSE_RULE, "2026-10-31")


@pytest.mark.slow
@pytest.mark.parametrize("stored", [True, False], ids=["in UTC", "without a zone"])
@pytest.mark.parametrize(
    "tz", ["America/Vancouver", "Africa/Casablanca", "Europe/Chisinau", "Asia/Tehran", BERLIN]
)
def test_duckdb_s_clock_of_a_zone_shows_what_python_s_does(tz, stored):
    # Every five hours, and around the changes of the clock in Chișinău in 2023.
    moments = pd.date_range("1979-01-01", "2045-01-01", freq="5h", tz="UTC", unit="us").union(
        pd.DatetimeIndex(["2023-03-26T00:30Z", "2023-10-29T00:30Z"]).as_unit("us")
    )
    flown = pd.DataFrame({"flight_date": moments if stored else moments.tz_localize(None)})
    asked = with_time(nw.from_native(in_duckdb(flown)), "_local", tz).to_native()
    shown = asked.df().sort_values("flight_date")["_local"].to_numpy()
    assert (shown == moments.tz_convert(tz).tz_localize(None).to_numpy()).all()
