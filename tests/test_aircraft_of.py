"""Which equipment of a narrowed fleet is aircraft: what it is in the whole organisation."""

import pytest

import fleetkit as fk
from fleetkit.reports import aircraft_of


@pytest.mark.slow
def test_a_narrowed_fleet_has_the_aircraft_of_its_organisation(tiny):
    # Kestrel 1 flew alone, so drones are aircraft, also Kestrel 2, which never flew; the camera
    # never flew alone. Both COMMERCIAL flights were flown with the camera.
    both = ["eq_kestrel", "eq_spare"]
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        for chosen, expected in (
            (fk.Filter(), both),
            (fk.Filter(flight_type="COMMERCIAL"), both),
            (fk.Filter(equipment="eq_spare"), ["eq_spare"]),
            (fk.Filter(type="CAMERA"), []),
        ):
            assert sorted(aircraft_of(fleet.where(chosen))["equipment_id"]) == expected
        assert list(aircraft_of(fleet).columns) == list(fleet.equipment().columns)
        drones, cameras = fk.Filter(type="DRONE"), fk.Filter(type="CAMERA")
        use = fk.compare("utilisation", drones, cameras, fleet=fleet, period="2026-10").iloc[0]
        assert use[["aircraft", "active", "aircraft_other", "active_other"]].tolist() == [
            2,
            1,
            0,
            0,
        ]
        missing = fleet.where(type=["DRONE", "CAMERA"]).summary().completeness
        assert missing.set_index("column").loc["registration_number", "of"].tolist() == 2
