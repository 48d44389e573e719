"""Pages of equipment, projects and services → tables.

These lists are short, so they all take the lenient path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pandas as pd

from fleetkit.columns import Column, table_columns
from fleetkit.errors import DataError, InvalidValue
from fleetkit.interface import CORRECT_IT, brief, shortened
from fleetkit.schema import EQUIPMENT, PROJECT, SERVICE, TIER, Record
from fleetkit.tables.frames import to_pandas
from fleetkit.tables.records import (
    columns_of,
    data_of,
    encodable,
    id_of,
    records_of,
    wrong_value,
)
from fleetkit.tables.unknown import add_unknown
from fleetkit.tables.values import json_text, shown

__all__ = ["equipment", "projects", "record", "services", "specifications", "tiers"]

# PHP writes an object without entries as [].
_NOTHING: tuple[Any, ...] = (None, [], {}, "")
_KINDS = {
    "equipment": (EQUIPMENT, table_columns("equipment")),
    "project": (PROJECT, table_columns("projects", detail=True)),
    "service": (SERVICE, table_columns("services")),
}


def equipment(pages: Iterable[bytes]) -> pd.DataFrame:
    """Read pages of ``GET /v1/equipment`` (reference, section 2.1).

    Parameters
    ----------
    pages : iterable of bytes
        Whole answers, in order.

    Returns
    -------
    DataFrame
        One row per piece of equipment; ``total_flight_hours`` in [h], ``weight`` and
        ``purchase_cost`` as reported. `specifications` is a table of its own.

    Raises
    ------
    DataError
        A value that can't be read; the message names record and field.

    Examples
    --------
    >>> page = b'{"success": true, "data": [{"id": "eq_1", "name": "Kite", "weight": "1.5"}]}'
    >>> equipment([page])[["equipment_id", "name", "weight"]]
      equipment_id  name  weight
    0         eq_1  Kite     1.5
    """
    return _table(records_of(pages, EQUIPMENT.name), *_KINDS["equipment"])


def specifications(pages: Iterable[bytes]) -> pd.DataFrame:
    """Read the free-form specifications out of pages of ``GET /v1/equipment``.

    Returns
    -------
    DataFrame
        ``equipment_id, name, value``: one row per entry; values that aren't text as JSON text.

    Examples
    --------
    >>> page = b'{"success": true, "data": [{"id": "eq_1", "specifications": {"cells": 6}}]}'
    >>> specifications([page])
      equipment_id   name value
    0         eq_1  cells     6
    """
    rows = [
        (id_of(piece, EQUIPMENT), encodable(name, "name"), _entry(value))
        for piece in records_of(pages, EQUIPMENT.name)
        for name, value in (_part(piece, "specifications", dict, EQUIPMENT) or {}).items()
    ]
    return pd.DataFrame(rows, columns=["equipment_id", "name", "value"], dtype="str")


def _entry(value: Any) -> str | None:
    if value is None:
        return None
    return encodable(value, "value") if isinstance(value, str) else json_text(value)


def projects(pages: Iterable[bytes], detail: bool = False) -> pd.DataFrame:
    """Read pages of ``GET /v1/projects`` (reference, section 2.3).

    Parameters
    ----------
    pages : iterable of bytes
        Whole answers, in order.
    detail : bool
        Include ``client_account_email`` and ``crm_deal_name``, which only by-id answers carry.

    Returns
    -------
    DataFrame
        One row per project; ``agreed_price`` and ``estimated_cost`` in ``currency``, ``status``
        an ordered categorical in the reference's order.

    Raises
    ------
    DataError
        A value that can't be read; the message names record and field.
    """
    expected = table_columns("projects", detail=detail)
    return _table(records_of(pages, PROJECT.name), PROJECT, expected)


def services(pages: Iterable[bytes]) -> pd.DataFrame:
    """Read the answer of ``GET /v1/services`` (reference, section 2.4); tiers are their own table.

    Returns
    -------
    DataFrame
        One row per service; ``base_rate`` in ``currency`` per ``unit_type``.

    Raises
    ------
    DataError
        A value that can't be read; the message names record and field.
    """
    return _table(records_of(pages, SERVICE.name), *_KINDS["service"])


def tiers(pages: Iterable[bytes]) -> pd.DataFrame:
    """Read the pricing tiers out of the answer of ``GET /v1/services`` (section 2.5).

    Returns
    -------
    DataFrame
        One row per tier, with its ``service_id``; ``price_modifier_percent`` in [%].

    Raises
    ------
    DataError
        A value that can't be read; the message names record and field.
    """
    records: list[dict[str, Any]] = []
    owners: list[str] = []
    for service in records_of(pages, SERVICE.name):
        part = _part(service, "tiers", list, SERVICE) or []
        for tier in part:
            if not isinstance(tier, dict):
                raise DataError(
                    f"Service {shortened(str(service.get('id')))}: a tier is {shown(tier)}.",
                    advice=CORRECT_IT,
                )
        owner = id_of(service, SERVICE)
        _check_distinct(owner, [id_of(tier, TIER) for tier in part])
        records += part
        owners += [owner] * len(part)
    frame = _table(records, TIER, table_columns("tiers"))
    frame.insert(1, "service_id", pd.Series(owners, dtype="str"))
    return frame


def _check_distinct(service: str, tiers: list[str]) -> None:
    """Refuse a tier that a service lists twice: it would count twice."""
    for tier, times in Counter(tiers).items():
        if times > 1:
            raise DataError(
                f"Service {shortened(service)}: its tiers list {shortened(tier)} {times} times.",
                advice="Correct the service's tiers, or tell the service's makers.",
            )


def _part(given: dict[str, Any], name: str, kind: type, record: Record) -> Any:
    """Return an object or a list inside a record; None where nothing is in it, of whatever kind."""
    part = given.get(name)
    if part in _NOTHING:
        return None
    if not isinstance(part, kind):
        why = f"is not {'an object' if kind is dict else 'a list'}"
        raise wrong_value(record, given, name, part, why)
    return part


def record(kind: str, body: bytes) -> pd.Series:
    """Read the answer of a by-id endpoint.

    Parameters
    ----------
    kind : {"equipment", "project", "service"}
        Name of the endpoint.
    body : bytes
        The whole answer.

    Returns
    -------
    Series
        Named by the record's id; the same index as the table's columns, a project's detail fields
        among them.

    Raises
    ------
    DataError
        A value that can't be read; the message names record and field.

    Examples
    --------
    >>> one = record("project", b'{"success": true, "data": {"id": "proj_1", "status": "DRAFT"}}')
    >>> one.name, one["status"]
    ('proj_1', 'DRAFT')
    """
    if kind not in _KINDS:
        raise InvalidValue(
            f"{brief(kind)} is not a kind of record.", advice=f"Kinds are: {', '.join(_KINDS)}."
        )
    shape, expected = _KINDS[kind]
    data = data_of(body)
    if not isinstance(data, dict):
        raise DataError(f"The answer holds {shown(data)} where one {shape.name} should be.")
    return _table([data], shape, expected).iloc[0].rename(id_of(data, shape))


def _table(
    records: list[dict[str, Any]], shape: Record, expected: tuple[Column, ...]
) -> pd.DataFrame:
    read = columns_of(records, shape, expected)
    inside = tuple(column for column in expected if column.path)
    return add_unknown(to_pandas(read.known, inside), read.unknown, shape, expected)
