"""How much of the quoted value each client stands for."""

from __future__ import annotations

from fleetkit.metrics._frames import FrameT, to_kind_of, to_pandas
from fleetkit.metrics._money import sum_prices
from fleetkit.metrics._project_words import with_words

__all__ = ["client_shares"]


def client_shares(projects: FrameT) -> FrameT:
    """Sum the prices of each client's projects, and their share of all in that currency.

    All projects passed count, whatever their status.

    Parameters
    ----------
    projects : frame of any engine
        With ``client_account_name``, ``currency``, ``agreed_price``.

    Returns
    -------
    frame of the kind of `projects`
        ``currency`` (null last), ``client`` (or "Unassigned"), ``projects``, ``value`` (in that
        currency; null where nothing is priced), ``priced`` (projects with a price), ``share``
        (0 … 1, of the currency's value; null where that isn't above 0, or a client's is below 0:
        those of the others are then not shares of a whole; and where there is no currency: prices
        may be in several); by currency, most valuable first.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Client's share
        Agreed prices of the client's projects / those of all that are counted, each currency by
        itself.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "client_account_name": ["Fjord", "Kirk", "Fjord"], "currency": ["EUR"] * 3,
    ...     "agreed_price": [500.0, 250.0, 250.0],
    ... })
    >>> client_shares(projects)
      currency client  projects  value  priced  share
    0      EUR  Fjord         2  750.0       2   0.75
    1      EUR   Kirk         1  250.0       1   0.25
    """
    rows = to_pandas(projects, "projects", ["currency", "client_account_name", "agreed_price"])
    rows = with_words(rows, ["client"])
    result = sum_prices(rows, ["currency", "client"])
    values = result.groupby("currency", dropna=False)["value"]
    whole, least = values.transform("sum"), values.transform("min")
    is_whole = (whole > 0) & (least >= 0) & result["currency"].notna()
    result["share"] = result["value"] / whole.where(is_whole)
    order = ["currency", "value", "client"]
    result = result.sort_values(order, ascending=[True, False, True], ignore_index=True)
    return to_kind_of(
        result[["currency", "client", "projects", "value", "priced", "share"]], projects
    )
