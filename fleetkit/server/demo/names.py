"""Invented names of manufacturers, people, clients and places; none refers to anybody real."""

from __future__ import annotations

__all__ = [
    "CLIENTS",
    "FIRST_NAMES",
    "KINDS",
    "LAST_NAMES",
    "OPERATIONS",
    "PLACES",
    "PROJECT_TYPES",
    "Kind",
]

from typing import NamedTuple


class Kind(NamedTuple):
    """A model of equipment: what it is, its weight and cost, and how long it can fly."""

    type: str
    category: str
    manufacturer: str
    model: str
    weight: float
    cost: float
    minutes: float
    metres_per_second: float
    specifications: dict[str, str]


# Each type's share of a fleet is its share of this list.
KINDS = (
    Kind("DRONE", "MULTIROTOR", "Aerovia", "A4", 1.4, 6900, 24, 6, {"propulsion": "4 × 380 W"}),
    Kind("DRONE", "MULTIROTOR", "Aerovia", "A6 Pro", 6.3, 14800, 27, 7, {"ip_rating": "IP45"}),
    Kind("CAMERA", "RGB", "Optovar", "V61", 0.9, 8700, 0, 0, {"sensor": "61 MP full frame"}),
    Kind("DRONE", "MULTIROTOR", "Skarabé", "Heavy 8", 12.8, 32500, 21, 6, {"payload": "6 kg"}),
    Kind("SENSOR", "LIDAR", "Tessel", "L2-X", 1.1, 41200, 0, 0, {"range": "450 m"}),
    Kind("DRONE", "VTOL", "Nordvind", "Tern", 4.9, 21900, 48, 17, {"wingspan": "2.1 m"}),
    Kind("BATTERY", "POWER", "Ampère & Søn", "TB-900", 1.35, 640, 0, 0, {"capacity": "900 Wh"}),
    Kind("CAMERA", "THERMAL", "Optovar", "T640", 0.6, 11300, 0, 0, {"resolution": "640 × 512"}),
    Kind("DRONE", "MULTIROTOR", "Aerovia", "A4", 1.4, 6900, 24, 6, {"propulsion": "4 × 380 W"}),
    Kind("DRONE", "FIXED_WING", "Nordvind", "Skua", 3.2, 17400, 56, 19, {"wingspan": "1.8 m"}),
    Kind(
        "CAMERA", "ZOOM", "Optovar", "Z30", 0.75, 5400, 0, 0, {"zoom": "30×", "stabilised": "yes"}
    ),
    Kind("CONTROLLER", "GROUND_STATION", "Aerovia", "RC-5", 1.2, 1650, 0, 0, {}),
    Kind("DRONE", "MULTIROTOR", "Aerovia", "A6 Pro", 6.3, 14800, 27, 7, {"ip_rating": "IP45"}),
    Kind("SENSOR", "MULTISPECTRAL", "Tessel", "M6", 0.4, 9800, 0, 0, {"bands": "6"}),
    Kind("DRONE", "MULTIROTOR", "Skarabé", "Mini 2", 0.9, 3100, 19, 5, {"noise": "62 dB(A)"}),
    Kind("BATTERY", "POWER", "Ampère & Søn", "TB-450", 0.7, 390, 0, 0, {"capacity": "450 Wh"}),
)
FIRST_NAMES = (
    "Ada", "Bo", "Chiara", "Łukasz", "Zoë", "José", "Ingrid", "Tomáš", "Amina", "Søren", "Maëlle",
    "Gábor", "Nuala", "Émile", "Ayşe", "Piotr", "Freja", "Joaquín", "Märta", "Owen", "Leïla",
    "Håkon", "Renata", "Ciarán",
)  # fmt: skip
LAST_NAMES = (
    "Lind", "Ødegård", "Rossetti", "Wiśnicki", "Brandt", "Núñez", "Solheim", "Dvořák", "Okafor",
    "Kjærgaard", "Lefèvre", "Szűcs", "Ní Dhálaigh", "Aubry", "Yıldız", "Zając", "Holm", "Ibáñez",
    "Ångström", "Pryce", "Haddad", "Fjellstad", "Correia", "Mac Aodha",
)  # fmt: skip
CLIENTS = (
    ("Lumengrid Nett", "lumengrid"),
    ("Quaystone Harbour Trust", "quaystone"),
    ("Tarnfell Quarries", "tarnfell"),
    ("Grünfeld Agrar", "gruenfeld"),
    ("Øresol Vind", "oeresol"),
    ("Vellum & Slate Roofing", "vellumslate"),
    ("Kommune Nesbukt", "nesbukt"),
    ("Pont-Aubrac Viaducs", "pontaubrac"),
    ("Halmarsh Water", "halmarsh"),
    ("Castellane Énergie", "castellane"),
    ("Brightmoor Rail", "brightmoor"),
    ("Estudio Mareabrava", "mareabrava"),
    ("Silvertarn Forestry", "silvertarn"),
    ("Łąkowa Budownictwo", "lakowa"),
    ("Dunmorrow County Council", "dunmorrow"),
    ("Osterlohe Solar", "osterlohe"),
    ("Fellside Mountain Rescue", "fellside"),
    ("Norrhavn Shipyard", "norrhavn"),
)
# Name, latitude, longitude [deg].
PLACES = (
    ("Havnegata 4, Nesbukt", 59.41, 10.66),
    ("Quay 7, Halmarsh", 53.74, -0.33),
    ("Kalkofen 12, Osterlohe", 52.31, 9.72),
    ("Route du Viaduc, Pont-Aubrac", 44.62, 3.01),
    ("Tarnfell Quarry, Silverdale", 54.17, -2.82),
    ("Øresolvej 88, Norrhavn", 55.68, 12.59),
    ("Camino del Faro 3, Mareabrava", 43.47, -3.79),
    ("ul. Łąkowa 19, Zalesie", 52.05, 21.03),
    ("Brightmoor Depot, Dunmorrow", 55.95, -3.19),
    ("Skogsvägen 31, Ånäs", 57.71, 11.97),
)
PROJECT_TYPES = (
    (
        "INSPECTION",
        ("Bridge inspection", "Power line inspection", "Roof survey", "Mast inspection"),
    ),
    ("MAPPING", ("Quarry volumes", "Site orthophoto", "Corridor mapping")),
    ("SURVEY", ("Topographic survey", "Coast erosion survey")),
    ("AGRICULTURE", ("Crop health", "Drainage study")),
    ("FILMING", ("Image film", "Event coverage")),
    ("THERMOGRAPHY", ("Solar park thermography", "District heating leaks")),
)
OPERATIONS = {
    "COMMERCIAL": ("INSPECTION", "MAPPING", "SURVEY", "INSPECTION", "THERMOGRAPHY", "FILMING"),
    "TRAINING": ("TRAINING", "CURRENCY", "TRAINING"),
    "MAINTENANCE": ("TEST_FLIGHT",),
    "RECREATIONAL": ("DEMONSTRATION", "FILMING"),
}
