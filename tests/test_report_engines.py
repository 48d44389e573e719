"""What counts over all history: every engine gives the same section, and pandas a month only."""

import json
from datetime import date
from importlib.metadata import version

import a_notebook
import a_young_mirror
import pytest

import fleetkit as fk
from fleetkit.errors import InvalidValue
from fleetkit.mirror import Mirror

SECTIONS = ("flight_hours", "equipment_condition", "data_quality", "project_pipeline")
MONTH = {"period": "2026-10", "tz": "America/Los_Angeles"}


@pytest.fixture(scope="module")
def mirror(tmp_path_factory):
    """Return the mirror of an organisation with 300 flights from May 2024 to November 2026."""
    path = tmp_path_factory.mktemp("mirror") / "demo"
    fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=300).sync(path, details=False)
    return str(path)


@pytest.fixture(scope="module")
def by_pandas(mirror, tmp_path_factory):
    out = str(tmp_path_factory.mktemp("pandas"))
    given = {"mirror": mirror, "out": out, "engine": "pandas", **MONTH}
    return {name: a_notebook.made(name, **given) for name in SECTIONS}


@pytest.fixture(scope="module")
def by_polars(mirror, tmp_path_factory):
    """Return the sections by the notebooks' own engine, and the dates that pandas got for them."""
    read, table = [], Mirror.table

    def watched(self, name, *ends, **options):
        rows = table(self, name, *ends, **options)
        read.extend([rows["flight_date"]] if name == "flights" and len(rows) else [])
        return rows

    given = {"mirror": mirror, "out": str(tmp_path_factory.mktemp("polars")), **MONTH}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Mirror, "table", watched)
        return {name: a_notebook.made(name, **given) for name in SECTIONS}, read


@pytest.mark.slow
def test_every_figure_is_on_polars_what_pandas_counts(by_polars, by_pandas):
    for name, section in by_polars[0].items():
        assert without_how(section) == without_how(by_pandas[name]), name


@pytest.mark.slow
def test_every_figure_is_on_duckdb_what_pandas_counts(mirror, by_pandas, tmp_path):
    given = {"mirror": mirror, "out": str(tmp_path), "engine": "duckdb", **MONTH}
    for name in SECTIONS[:3]:
        assert without_how(a_notebook.made(name, **given)) == without_how(by_pandas[name]), name


@pytest.mark.slow
def test_the_manifest_names_the_version_of_the_engine_that_counted(mirror, tmp_path):
    given = {"sections": "pricing", "formats": "html", "progress": False}
    paths = fk.report("2026-10", fleet=fk.open_mirror(mirror), out=tmp_path, engine="dask", **given)
    packages = json.loads(paths.manifest.read_text(encoding="utf-8"))["packages"]
    assert packages["dask"] == version("dask")
    assert "duckdb" not in packages


@pytest.fixture(scope="module")
def three_months(mirror, tmp_path_factory):
    """Return a mirror of the months from September alone."""
    # How Dask joins those of many is tested in test_engine_dask.py.
    written = tmp_path_factory.mktemp("three") / "mirror"
    return a_young_mirror.since("2026-09-01", fk.open_mirror(mirror), written)


@pytest.mark.slow
def test_every_figure_is_on_dask_what_pandas_counts(three_months, tmp_path):
    given = {"mirror": three_months, "out": str(tmp_path), **MONTH}
    by_dask, by_pandas = (
        without_how(a_notebook.made("data_quality", engine=engine, **given))
        for engine in ("dask", "pandas")
    )
    assert by_dask == by_pandas


def without_how(section):
    """Leave out which columns lacked values: of some engines no frame can be remembered."""
    text = json.dumps(section)
    blocks = [{**block, "how": None} for block in section["blocks"]]
    return {**json.loads(text), "blocks": blocks}


@pytest.mark.slow
def test_pandas_gets_the_flights_of_the_month_alone(by_polars):
    _, read = by_polars
    # October's, and those after the data were fetched, of which there are none.
    assert min(dates.min().isoformat() for dates in read) >= "2026-09-30"
    assert max(dates.max().isoformat() for dates in read) < "2026-11-02"


def test_an_engine_that_there_is_not_is_an_error_that_names_those_that_there_are():
    with pytest.raises(InvalidValue, match="'polar' is not an engine") as problem:
        fk.report("2026-10", fleet=None, engine="polar")
    assert "pandas, polars, duckdb, dask, spark" in str(problem.value)


def test_spark_without_an_address_is_refused_before_a_report_or_an_explorers_page_begins(run):
    for command in (["report", "--month", "2026-10"], ["explore"]):
        code, _, err = run(*command, "--mirror", "m", "--engine", "spark")
        assert (code, "Spark needs an address here" in err) == (2, True)
        assert '"local[*]" for Spark on this machine' in err


@pytest.mark.slow
def test_pandas_may_be_named_as_an_engine():
    fleet = fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=50)
    assert fleet.flights("2026-10", engine="pandas").equals(fleet.flights("2026-10"))
