"""Equipment by status and condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from fleetkit.arguments import texts
from fleetkit.context import setting
from fleetkit.metrics._frames import FrameT, to_kind_of, to_pandas

__all__ = ["equipment_condition"]


def equipment_condition(
    equipment: FrameT,
    *,
    status_order: Sequence[str] | None = None,
    condition_order: Sequence[str] | None = None,
) -> FrameT:
    """Count the equipment by status and condition, tokens as the API writes them.

    Parameters
    ----------
    equipment : frame of any engine
        With ``status`` and ``condition``.
    status_order, condition_order : sequence of str, optional
        Severity, from best to worst; default: those of the frame's fleet. Tokens in neither come
        after, by name.

    Returns
    -------
    frame of the kind of `equipment`
        ``status`` and ``condition`` (ordered categoricals of the tokens that occur), ``equipment``
        (count); one row per pair that occurs, in order of severity, null last.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Status and condition
        As the service writes them, from best to worst in the order of the settings; unknown
        ones come last.
    Worst condition
        The worst that any ACTIVE equipment has, where more than half of the order's
        conditions are better, or it is the last.

    Examples
    --------
    >>> equipment = pd.DataFrame({
    ...     "status": ["RETIRED", "ACTIVE", "ACTIVE"], "condition": ["POOR", "GOOD", "GOOD"],
    ... })
    >>> equipment_condition(equipment)
        status condition  equipment
    0   ACTIVE      GOOD          2
    1  RETIRED      POOR          1
    """
    rows = to_pandas(equipment, "equipment", ["status", "condition"])
    orders = {"status_order": status_order, "condition_order": condition_order}
    for name, order in orders.items():
        column = name.removesuffix("_order")
        tokens = setting(equipment, name) if order is None else texts(order, name)
        rows[column] = _ordered(rows[column], tokens)
    counted = rows.groupby(["status", "condition"], dropna=False, observed=True).size()
    result = counted.rename("equipment").reset_index()
    return to_kind_of(result.sort_values(["status", "condition"], ignore_index=True), equipment)


def _ordered(tokens: pd.Series[Any], order: Sequence[str]) -> pd.Series[Any]:
    """Return tokens as an ordered categorical of those that occur, unknown ones after, by name."""
    present = set(tokens.dropna().astype(str))
    known = [token for token in order if token in present]
    categories = pd.Index([*known, *sorted(present.difference(known))], dtype="str")
    return pd.Series(pd.Categorical(tokens.astype("str"), categories, ordered=True), tokens.index)
