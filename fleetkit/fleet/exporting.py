"""Tables of a fleet as files for other programs: which, of when, with which columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import pandas as pd

from fleetkit.arguments import check_tokens, checked_folder, refuse_unknown, texts
from fleetkit.columns import COLUMNS, DETAIL_COLUMNS
from fleetkit.errors import Forbidden, InvalidValue, NothingToReport
from fleetkit.export import (
    to_csv,
    to_geojson,
    to_parquet,
    without_position,
    workbook,
    write_files,
)
from fleetkit.fleet.occurring import check_values, fields_of, reader, values_of
from fleetkit.fleet.window import DATED, windows
from fleetkit.interface import worded
from fleetkit.rounding import number

if TYPE_CHECKING:
    from fleetkit.fleet.core import Fleet

__all__ = ["FORMATS", "ExportFormat", "Exported", "Selection", "export"]

ExportFormat = Literal["csv", "xlsx", "parquet", "geojson"]
FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
WORKBOOK, TAKE_OFFS = "fleet.xlsx", "take_offs.geojson"
# Format of which each table is a file → what writes a frame so.
_CONVERTERS = {"csv": to_csv, "parquet": to_parquet}


@dataclass(frozen=True)
class Exported:
    """What was exported; as text one line for each file.

    Attributes
    ----------
    paths : dict of str to Path
        Name of the file → where it is.
    rows : dict of str to int
        Table → how many rows of it were written.
    left_out : dict of str to str
        Table that the key can't read → the scope that it lacks.
    without_position : int or None
        Flights that are not points of ``take_offs.geojson``; None without that file.
    """

    paths: Mapping[str, Path]
    rows: Mapping[str, int]
    left_out: Mapping[str, str] = field(default_factory=dict)
    without_position: int | None = None

    @property
    def lines(self) -> list[str]:
        """What was written, and what wasn't, in lines of text."""
        lines = [f"{path}: {self._content(name)}" for name, path in self.paths.items()]
        for table, scope in self.left_out.items():
            lines.append(f"Left out: {table}; the key lacks the scope {scope}.")
        return lines

    def _content(self, name: str) -> str:
        if name == TAKE_OFFS:
            flights, missing = self.rows["flights"], self.without_position or 0
            have = "has" if 1 in (missing, flights) else "have"
            points, every = _counted(flights - missing, "take-off"), _counted(flights, "flight")
            return f"{points}; {number(missing)} of {every} {have} no position"
        table = Path(name).stem
        if table in self.rows:
            return _counted(self.rows[table], "row")
        return ", ".join(f"{number(rows)} {table}" for table, rows in self.rows.items())

    def __str__(self) -> str:
        return "\n".join(self.lines)


def _counted(count: int, one: str) -> str:
    return f"{number(count)} {one if count == 1 else one + 's'}"


@dataclass(frozen=True)
class Selection:
    """What an export holds, as `Fleet.export` takes it."""

    tables: Iterable[str] | str | None = None
    formats: Iterable[str] | str = "csv"
    columns: Iterable[str] | str | None = None
    dates: Mapping[str, Any] = field(default_factory=dict)
    details: bool = False
    allow_empty: bool = False

    @property
    def is_dated(self) -> bool:
        """Whether dates cut the flights."""
        return any(value is not None for value in self.dates.values())

    def read_formats(self) -> tuple[str, ...]:
        """Return the formats, if they are some."""
        names = texts(self.formats, "formats")
        check_tokens(names, FORMATS, "format of an export", "Formats")
        if not names:
            raise InvalidValue("There is no format.", advice=f"Formats are: {', '.join(FORMATS)}.")
        return names

    def read_tables(self) -> tuple[str, ...]:
        """Return the tables that are asked for, if there are such; empty for all."""
        names = () if self.tables is None else texts(self.tables, "tables")
        check_tokens(names, COLUMNS, "table", "Tables")
        if self.tables is not None and not names:
            raise InvalidValue("There is no table.", advice=f"Tables are: {', '.join(COLUMNS)}.")
        formats = self.read_formats()
        if formats == ("geojson",) and not names:
            return ("flights",)
        if names and "geojson" in formats and "flights" not in names:
            raise InvalidValue(
                "GeoJSON shows where flights took off, and flights are not among the tables.",
                advice="Add flights, or choose another format.",
            )
        if names and self.is_dated and not set(names) & set(DATED):
            raise InvalidValue(
                f"Dates cut {' and '.join(DATED)}, and neither is among the tables.",
                advice="Leave the period out, or add flights.",
            )
        return names


def export(fleet: Fleet, out: str | Path, chosen: Selection) -> Exported:
    """Write tables of a fleet to a folder; see `Fleet.export`."""
    folder = checked_folder(out)
    formats, tables = chosen.read_formats(), chosen.read_tables()
    if not chosen.allow_empty:
        _check_filter(fleet)
    frames, left_out = _frames(fleet, tables, chosen)
    _check_empty(fleet, frames, chosen)
    parts = _with_columns(frames, chosen.columns)
    files: dict[Path, Any] = {}
    made = fleet.read_at
    for format_ in formats:
        if convert := _CONVERTERS.get(format_):
            for name, part in parts.items():
                files[folder / f"{name}.{format_}"] = _writer(convert, part)
        elif format_ == "xlsx":
            files[folder / WORKBOOK] = lambda path: workbook(parts, path, made)
        else:
            names = None if chosen.columns is None else [*parts["flights"].columns]
            files[folder / TAKE_OFFS] = to_geojson(frames["flights"], names)
    write_files(files)
    return Exported(
        {path.name: path for path in files},
        {name: len(part) for name, part in parts.items()},
        left_out,
        int(without_position(frames["flights"]).sum()) if "geojson" in formats else None,
    )


def _writer(convert: Any, frame: pd.DataFrame) -> Any:
    """Return what writes a frame to a path, so that only one file at a time is in memory."""
    return lambda path: path.write_bytes(convert(frame))


def _frames(
    fleet: Fleet, tables: Sequence[str], chosen: Selection
) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """Read the tables; where none is named, all that the key can read."""
    frames, left_out = {}, {}
    for table in tables or COLUMNS:
        try:
            frames[table] = _frame(fleet, table, chosen)
        except Forbidden as problem:
            if tables or (table == "flights" and "geojson" in chosen.read_formats()):
                raise
            left_out[table] = fleet.missing.get(table) or str(problem)
    if not frames:
        raise Forbidden(
            "The key can read none of the tables.",
            advice="Give it their scopes in the service's dashboard.",
        )
    return frames, left_out


def _frame(fleet: Fleet, table: str, chosen: Selection) -> pd.DataFrame:
    if table in DATED:
        windows(**chosen.dates, tz=fleet.tz)  # what is refused below is the filter
        try:
            frame: pd.DataFrame = getattr(fleet, table)(**chosen.dates)
        except InvalidValue as problem:
            raise NothingToReport(str(problem)) from None
        return frame
    if table == "projects":
        return fleet.projects(details=chosen.details)
    other: pd.DataFrame = getattr(fleet, table)()
    return other


def _check_filter(fleet: Fleet) -> None:
    """Refuse a filter with a value that no piece of equipment, or no project, has."""
    read = reader(fleet.whole())
    for table in ("equipment", "projects"):
        fields = fields_of(fleet.filter, table)
        if not fields:
            continue
        try:
            values = values_of(read(table), table)
        except Forbidden:
            continue
        check_values(fleet.filter, table, values, fields, NothingToReport, read=read)


def _check_empty(fleet: Fleet, frames: Mapping[str, pd.DataFrame], chosen: Selection) -> None:
    """Refuse to write tables of which a filter leaves nothing at all, or dates no flight."""
    is_dated = chosen.is_dated or bool(fleet.filter.since or fleet.filter.until)
    # Dates cut no other table, so that the others would always hide that they select nothing.
    cut = [name for name in frames if name in DATED] if is_dated else []
    selected = cut or (list(frames) if fleet.filter else [])
    if chosen.allow_empty or not selected or any(len(frames[name]) for name in selected):
        return
    raise NothingToReport(
        f"Nothing is left to export: {', '.join(selected)} hold no record that the filter and the "
        "dates select.",
        advice=worded(
            python="Choose others, or write empty tables with allow_empty=True.",
            command_line="Choose others, or write empty tables with --allow-empty.",
        ),
    )


def _with_columns(
    frames: Mapping[str, pd.DataFrame], columns: Iterable[str] | str | None
) -> dict[str, pd.DataFrame]:
    """Return the tables with those of the columns that they have, in the order of the names."""
    if columns is None:
        return dict(frames)
    names = texts(columns, "columns")
    known = dict.fromkeys(name for frame in frames.values() for name in frame.columns)
    detailed = [name for name in names if name in DETAIL_COLUMNS and name not in known]
    if detailed and "projects" in frames:
        raise InvalidValue(
            f"Projects have {detailed[0]} only where their details are asked for.",
            advice=worded(python="Add details=True.", command_line="Add --details."),
        )
    refuse_unknown(names, known, "column")
    parts = {}
    for table, frame in frames.items():
        own = [name for name in names if name in frame.columns]
        if not own:
            raise InvalidValue(
                f"Table {table} has none of the columns {', '.join(names) or '(none are named)'}.",
                advice="Leave the table out, or add a column of it: "
                f"{', '.join(frame.columns[:6])} …",
            )
        parts[table] = frame[own]
    return parts
