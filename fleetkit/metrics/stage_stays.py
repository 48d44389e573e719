"""Stays of projects in a stage, as a mirror saw them."""

from __future__ import annotations

from datetime import date, datetime

import pandas as pd

from fleetkit.context import carried
from fleetkit.metrics._frames import Frame, FrameT, to_kind_of
from fleetkit.metrics._noticing import clock_of
from fleetkit.metrics._stages import NAMES, order_statuses
from fleetkit.metrics._versions import read_versions
from fleetkit.time import instant

__all__ = ["stage_stays"]

_STAYS = ["project_id", *NAMES, "status", "entered_at", "left_at", "days", "whole"]
_SECONDS_PER_DAY = 86400


def stage_stays(
    history: FrameT,
    as_of: str | date | datetime,
    *,
    watched_since: str | date | datetime | None = None,
    tz: str | None = None,
) -> FrameT:
    """List the stays of projects in a status.

    Known only since the mirror watched: a project that was there at the first sync entered its
    status at an unknown time before. Moments are those of the syncs that saw it.

    Parameters
    ----------
    history : frame of any engine
        As ``fleet.history("projects")`` returns it: ``project_id``, ``title``,
        ``client_account_name``, ``status``, ``valid_from``, ``valid_to``; with ``created_at``, an
        id that was used again is another record. Of the projects that
        ``history.attrs["known_before"]`` lists it lacks the first versions, such as those under
        another client: no entry into the first stage that it has of them was seen.
    as_of : datetime, date or str
        The moment to look from; a date means its first moment in `tz`. What came later is not
        looked at.
    watched_since : datetime, date or str, optional
        When the mirror first read projects; default: ``history.attrs["watched_since"]``, which
        ``fleet.history`` sets, or the earliest ``valid_from``.
    tz : str, optional
        IANA time zone of `as_of`; default: that of the frame's fleet, or UTC.

    Returns
    -------
    frame of the kind of `history`
        One row per project and stay: ``project_id``, ``title``, ``client_account_name``,
        ``status`` (ordered categorical), ``entered_at`` (UTC; the first sync where the entry
        wasn't seen), ``left_at`` (UTC; null while it stands), ``days`` (float64, to ``left_at`` or
        `as_of`) [d], ``whole`` (bool: entry and move to another status were both seen; not where
        the project vanished). Sorted by project and time.

    Raises
    ------
    InvalidValue
        A missing column, or what is not a moment.

    Definitions
    -----------
    Time in stage
        See `time_in_stage`.

    Examples
    --------
    >>> at = pd.to_datetime(["2026-09-01T06:00Z", "2026-09-04T06:00Z", None])
    >>> history = pd.DataFrame({
    ...     "project_id": "proj_1", "title": "Roof", "client_account_name": None,
    ...     "status": ["DRAFT", "CONFIRMED"], "valid_from": at[:2], "valid_to": at[1:],
    ... })
    >>> stage_stays(history, "2026-09-05T06:00Z")[["status", "days", "whole"]]
          status  days  whole
    0      DRAFT   3.0  False
    1  CONFIRMED   1.0  False
    """
    clock = clock_of(history, tz=tz)
    return to_kind_of(
        find_stays(history, instant(as_of, clock.tz), watched_since, clock.tz)[_STAYS],
        history,
        clock,
    )


def find_stays(
    history: Frame, as_of: datetime, watched_since: str | date | datetime | None, tz: str
) -> pd.DataFrame:
    """Return the stays, with ``entry_seen``."""
    known = carried(history).get("watched_since")
    rows = read_versions(history, "history", "project_id", [*NAMES, "status"])
    known = known if watched_since is None else watched_since
    begun = instant(known, tz) if known is not None else rows["valid_from"].min()
    rows = rows[rows["valid_from"] <= as_of].reset_index(drop=True)
    rows["valid_to"] = rows["valid_to"].where(rows["valid_to"] <= as_of)
    rows["status"] = order_statuses(rows["status"])
    codes = rows["status"].cat.codes
    same = rows.duplicated("record")
    follows = same & rows["valid_from"].eq(rows["valid_to"].shift())
    stay = (~(follows & codes.eq(codes.shift()))).cumsum()
    is_new = ~same & ~rows["project_id"].isin(carried(history).get("known_before", []))
    rows["entry_seen"] = rows["valid_from"].gt(begun) & (follows | is_new)
    grouped = rows.groupby(stay.rename("_stay"))
    ends = {"entered_at": ("valid_from", "first"), "entry_seen": ("entry_seen", "first")}
    keys = {key: (key, "first") for key in ("project_id", "record")}
    stays = grouped.agg(**keys, **ends).reset_index(drop=True)
    last = rows[~stay.duplicated(keep="last")].reset_index(drop=True)
    stays[[*NAMES, "status"]] = last[[*NAMES, "status"]]
    stays["left_at"] = last["valid_to"]
    has_next = stays["left_at"].eq(stays["entered_at"].shift(-1)) & stays.duplicated(
        "record", keep="last"
    )
    until = stays["left_at"].fillna(pd.Timestamp(as_of).tz_convert("UTC"))
    stays["days"] = (until - stays["entered_at"]).dt.total_seconds() / _SECONDS_PER_DAY
    stays["whole"] = stays["entry_seen"] & has_next
    return stays
