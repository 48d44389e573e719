"""Where flights took off, as GeoJSON for maps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

__all__ = ["to_geojson", "without_position"]

_LATITUDE, _LONGITUDE = "takeoff_lat", "takeoff_lng"


def to_geojson(flights: pd.DataFrame, columns: Sequence[str] | None = None) -> bytes:
    """Return take-offs as points (RFC 7946), each with the flight's columns as properties.

    Parameters
    ----------
    flights : DataFrame
        With ``flight_id``, ``takeoff_lat``, ``takeoff_lng`` [deg]. `without_position` are left out.
    columns : sequence of str, optional
        Columns to add; default: all but the position itself.

    Examples
    --------
    >>> flights = pd.DataFrame(
    ...     {"flight_id": ["fl_1"], "takeoff_lat": [59.9], "takeoff_lng": [10.7], "bvlos": [True]}
    ... )
    >>> json.loads(to_geojson(flights))["features"][0]["geometry"]["coordinates"]
    [10.7, 59.9]
    """
    names = columns or [name for name in flights.columns if name not in {_LATITUDE, _LONGITUDE}]
    placed = flights[~without_position(flights)]
    points = zip(placed[_LONGITUDE].tolist(), placed[_LATITUDE].tolist(), strict=True)
    values = [[_value(value) for value in placed[name]] for name in names]
    rows = zip(*values, strict=True)
    features = (
        {
            "type": "Feature",
            "id": flight,
            "geometry": {"type": "Point", "coordinates": point},
            "properties": dict(zip(names, row, strict=True)),
        }
        for flight, point, row in zip(placed["flight_id"], points, rows, strict=True)
    )
    lines = ",\n".join(
        json.dumps(feature, ensure_ascii=False, allow_nan=False) for feature in features
    )
    text = f'{{"type": "FeatureCollection", "features": [\n{lines}\n]}}\n'
    return text.encode("utf-8", errors="replace")


def without_position(flights: pd.DataFrame) -> pd.Series:
    """Say of each flight whether it took off nowhere: no position, 0,0, or none on the globe.

    Examples
    --------
    >>> places = {"takeoff_lat": [59.9, 0.0, 90.1, 9, None], "takeoff_lng": [180, 0.0, 9, 180.1, 9]}
    >>> without_position(pd.DataFrame(places)).tolist()
    [False, True, True, True, True]
    """
    latitude, longitude = flights[_LATITUDE], flights[_LONGITUDE]
    on_globe = latitude.between(-90, 90) & longitude.between(-180, 180)
    return ~on_globe | ((latitude == 0) & (longitude == 0))


def _value(value: Any) -> Any:
    """Return a value as JSON holds it: moments as ISO text in UTC."""
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if pd.isna(value):
        return None
    if isinstance(value, pd.Timestamp):
        return value.isoformat().replace("+00:00", "Z")
    return value if isinstance(value, bool | int | float | str) else str(value)
