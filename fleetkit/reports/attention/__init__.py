"""What needs attention: one line of each kind, graded by the worst of its items.

A line names the two or three worst and counts the others, says whose they are and since when.
``section.attention(**line)`` takes each; the first page orders those of all sections by grade,
then by how many, then by how long, and `verdict` says the gravest of them in a sentence.
"""

from fleetkit.reports.attention.data_quality import data_quality
from fleetkit.reports.attention.equipment import equipment
from fleetkit.reports.attention.lines import GRADES
from fleetkit.reports.attention.pilots import pilots
from fleetkit.reports.attention.prices import prices
from fleetkit.reports.attention.projects import projects
from fleetkit.reports.attention.restatements import restatements
from fleetkit.reports.attention.verdict import in_order, verdict

__all__ = [
    "GRADES",
    "data_quality",
    "equipment",
    "in_order",
    "pilots",
    "prices",
    "projects",
    "restatements",
    "verdict",
]
