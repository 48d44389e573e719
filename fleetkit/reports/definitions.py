"""What every figure of a report means, chapter by chapter: its appendix."""

from __future__ import annotations

__all__ = ["DEFINITIONS"]

DEFINITIONS: dict[str, dict[str, str]] = {
    "flight_hours": {
        "Flight": "One flight log. It counts once for the fleet, a pilot or a project, also where "
        "a drone and its camera both list it; each piece of equipment counts it too.",
        "Flown hours": "Seconds in the logs / 3,600. A flight whose duration is missing or not "
        "above 0 counts as a flight and adds no hours.",
        "Operational and commercial hours": "All hours but those of MAINTENANCE flights; hours of "
        "COMMERCIAL flights.",
        "Aircraft": "Equipment of the types declared as aircraft; else of every type that the logs "
        "show flying with no other piece of equipment.",
        "Active aircraft": "Aircraft with at least one flight in the period.",
        "Hours per aircraft and day": "Hours of all aircraft / (aircraft × calendar days), "
        "aircraft that did not fly included.",
        "Recent": "A pilot who has flown the hours and flights of the rule within its window. "
        "Recency lapses on the first day on which that no longer holds without another flight.",
        "Night and BVLOS share": "Of the flights, or hours, whose log says yes or no.",
        "Unassigned": "Flights whose log names no pilot; left out of recency.",
        "Change": "Against the period before and the same period a year before; blank where the "
        "data don't cover all of it. Of a period that isn't over, against the same days.",
        "So far": "A period that isn't over ends when its data were fetched. Rates divide by the "
        "days that have passed, the one of the fetch included.",
        "No data": "Before the day of the first flight, and after the data were fetched, nothing "
        "is known: blank, not 0.",
        "Not recorded": "There are flights, and none of them has a duration. Where some have one, "
        "hours are theirs.",
        "Flew on after recency lapsed": "Flights of the period from the day of the lapse on, of "
        "pilots who were not recent on its last day.",
    },
    "equipment_condition": {
        "Status and condition": "As the service writes them, from best to worst in the order of "
        "the settings; unknown ones come last.",
        "Registration": "Stands until the end of its day of expiry. Of equipment in service only.",
        "Counter and logs": "The flights and hours that the equipment's own record states, beside "
        "those of its flight logs. They agree where the flights are equal and the hours differ by "
        "no more than 0.1 h or 1 %.",
        "Idle days": "Days since the last flight of any kind. Of equipment in service that ever "
        "flew; what never flew is counted apart.",
        "Flown while expired": "Flights after the expiry that stands in the equipment's record, of "
        "equipment of any status. Earlier expiries are not known.",
        "Worst condition": "The worst that any ACTIVE equipment has, where it stands behind the "
        "middle of the order of conditions, or last in it.",
    },
    "project_pipeline": {
        "Open": "Neither COMPLETED nor CANCELLED.",
        "Backlog": "CONFIRMED, SCHEDULED or IN_PROGRESS.",
        "To invoice": "DELIVERED.",
        "Awaiting payment": "INVOICED.",
        "Value": "Sum of agreed prices, each currency by itself: money is never added across "
        "currencies.",
        "Weighted value": "Value × the probability of its stage, which is an assumption of the "
        "settings.",
        "Estimated margin": "Agreed price − estimated cost of projects that have both; in per cent "
        "of the sum of their prices.",
        "Late": "The scheduled date is past and the project is DRAFT, CONFIRMED or SCHEDULED.",
        "Stalled": "CONFIRMED without a scheduled date, and untouched for 3 days or more.",
        "Days untouched": "Days since the record was last changed; not the time in its stage.",
    },
    "time_in_stage": {
        "Time in stage": "Days between the syncs that saw a project enter a stage and leave it. "
        "The median, and the 90th percentile (p90), of stays whose both ends a sync saw; who "
        "stands in a stage is counted apart: at least so long where no sync saw it enter.",
        "Conversion": "Of the projects that a sync saw in a stage and that have left it: the share "
        "that went on to a later one, and neither back nor to CANCELLED. On hold, a project is "
        "still where it was. A stage that a project passed between two syncs wasn't seen.",
    },
    "condition_history": {
        "Change of status or condition": "Seen by a sync, on that day; of several changes between "
        "two syncs the ends are seen.",
    },
    "restatements": {
        "Moved by": "Hours of a month's flights now, less those that the same month had in the "
        "state that the last report shows; a flight counts in the month of its date.",
        "Late log": "A flight of a reported month that no list showed then.",
        "Edit": "A flight whose record reads otherwise than then, in any field but the time of its "
        "last change.",
        "Moved in, moved out": "A flight that is, or was, in another month, or outside of what the "
        "report's filter means.",
        "Verified": "Read whole by a sync. In between, a list whose counters and time of change "
        "stand still is taken to stand still; each is verified again in turn.",
        "Vanished": "A flight that was there then and is in no list now.",
        "Stage move": "A project whose status a sync found to be another one: forward or back "
        "along DRAFT → CONFIRMED → SCHEDULED → IN_PROGRESS → DELIVERED → INVOICED → COMPLETED, "
        "held (to ON_HOLD), resumed (from it), cancelled.",
        "Impossible move": "Back along the stages, or out of COMPLETED or CANCELLED. The service "
        "doesn't say which moves it allows; this is our reading.",
        "Price change": "Another base rate or currency of a service, or another price modifier of "
        "a tier.",
        "Seen": "The sync that saw a change; it happened between the sync before and that one.",
    },
}
