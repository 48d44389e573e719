"""The rows of an explorer as a file that a browser saves."""

from __future__ import annotations

from datetime import datetime
from io import BytesIO

import pandas as pd

from fleetkit.errors import InvalidValue
from fleetkit.export import to_csv, to_parquet, workbook
from fleetkit.interface import brief

__all__ = ["download"]


def download(rows: pd.DataFrame, form: str, sheet: str, fetched_at: datetime) -> bytes:
    """Return the content of a file.

    Parameters
    ----------
    rows : DataFrame
        What it holds.
    form : {"csv", "xlsx", "parquet"}
        Of what kind it is.
    sheet : str
        Name of a workbook's sheet.
    fetched_at : datetime
        The date in a workbook's properties: when the data were fetched.

    Raises
    ------
    InvalidValue
        Another kind, or more rows than a sheet holds.
    """
    if form == "csv":
        return to_csv(rows)
    if form == "parquet":
        return to_parquet(rows)
    if form == "xlsx":
        content = BytesIO()
        workbook({sheet: rows}, content, fetched_at)
        return content.getvalue()
    raise InvalidValue(
        f"{brief(form)} is not a kind of file.", advice="Ask for csv, xlsx or parquet."
    )
