"""Near words, for whoever mistyped one: of attributes, columns, options and values."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["missing_attribute", "near"]

# Words that are offered at most.
MOST = 3


def near(word: str, words: Iterable[str]) -> str:
    """Return `` Did you mean x?`` for the words nearest to one that isn't among them, or nothing.

    Examples
    --------
    >>> near("commercial", ["COMMERCIAL", "TRAINING"])
    ' Did you mean COMMERCIAL?'
    >>> near("sonar", ["DRONE"])
    ''
    """
    by_case: dict[str, str] = {}
    for known in words:
        by_case.setdefault(known.casefold(), known)
    folded = word.casefold()
    matches = [folded] if folded in by_case else get_close_matches(folded, by_case, n=MOST)
    return f" Did you mean {' or '.join(by_case[match] for match in matches)}?" if matches else ""


def missing_attribute(owner: str, name: str, names: Iterable[str]) -> AttributeError:
    """Return the error for an attribute that isn't there, with near ones.

    Parameters
    ----------
    owner : str
        What lacks it: ``"A Fleet"``, ``"fleetkit.metrics"``.
    name : str
        The attribute that was asked for.
    names : iterable of str
        Those that there are.

    Examples
    --------
    >>> str(missing_attribute("A Fleet", "flihgts", ["flights", "projects"]))
    "A Fleet has no attribute 'flihgts'. Did you mean flights?"
    """
    suggestion = "" if name.startswith("_") else near(name, names)
    # An object of None keeps Python from adding a suggestion of its own to ours.
    return AttributeError(f"{owner} has no attribute {name!r}.{suggestion}", name=name, obj=None)
