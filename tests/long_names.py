"""Names of 200 letters without a space, as an API may hold them, and a page that shows one."""

from __future__ import annotations

import pandas as pd
from a_section import ABOUT, loaded, section

from fleetkit.reports import render

LENGTH = 200
_WORDS = {
    "Latin": "Überlandleitungsinspektionsdrohne",
    "Cyrillic": "Электрооборудование",
    "Greek": "ΗλεκτρονικόςΕξοπλισμός",
    "Arabic": "طائرةبدونطيارللتفتيش",
    "Hebrew": "רחפןבדיקהתשתיות",
    "Devanagari": "निरीक्षणड्रोनउपकरण",
    "Thai": "อากาศยานไร้คนขับตรวจสอบ",
    "Chinese": "無人機巡檢設備電力線路",
    "Japanese": "ドローン点検設備送電線",
    "widest": "W",
}
NAMES = {script: (word * LENGTH)[:LENGTH] for script, word in _WORDS.items()}
# Everything about a report that may hold a text from the API or from the settings.
_OF_THE_REPORT = ("organisation", "title", "heading", "full_title", "tz", "as_of")
_OF_THE_REPORT += ("previous", "year_before")
_LISTS = ("provenance", "filters", "units", "warnings")


def page(folder, name):
    """Return the HTML of a report that shows a name everywhere where one can stand."""
    made = section(folder, title=name, text=name)
    made.kpi(name, name, name, note=name)
    made.kpi("Hours", 3, f"of all {name}", previous=2, note=name)
    made.sentence(f"The project {name} is late.", front=False)
    made.line(name, f"{name} moved from {name} to {name}")
    made.note(name)
    made.coverage(name, 1, 2, name)
    made.definition(name, f"Of {name}.")
    made.attention(f"{name} is late", severity="high", who=f"{name}, {name}", when=name)
    made.table("pieces", pieces(name), title=name, caption=name, columns=COLUMNS | {"look": "Look"})
    looks = {"look": ("Look", "{}", {name: "bad"}), "price": ("Price", "{:,.0f}", "bar")}
    made.table("looks", pieces(name), title=name, columns=COLUMNS | looks, **TOTALS)
    made.table("half", pieces(name)[["name", "client"]], title="Half")
    gap = {"name": "pricing", "title": name, "gap": f"pricing.ipynb, cell 5: KeyError: '{name}'"}
    about = {**ABOUT, **dict.fromkeys(_OF_THE_REPORT, name), **dict.fromkeys(_LISTS, [name] * 3)}
    about["left_out"] = [{"title": name, "reason": name}]
    return render.html(about, [loaded(made), gap])


TOTALS = {"sums": ["price", "hours"], "per": "client"}
COLUMNS = {
    "name": "Equipment",
    "client": "Client",
    "pilot": "Pilot",
    "status": "Status",
    "registration_number": "Registration",
    "hours": ("Hours, counter", "{:,.1f}"),
    "price": ("Price", "{:,.0f}"),
}


def pieces(name):
    """Return rows that hold a name in every column of text, and a number of 300 digits."""
    texts = ("name", "client", "pilot", "status", "registration_number", "look")
    return pd.DataFrame({**{column: [name] * 3 for column in texts}, "hours": 1.5, "price": 1e300})
