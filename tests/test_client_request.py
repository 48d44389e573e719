"""What can't be right is said before anything is sent."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hostile import hostile, reply

from fleetkit.client import Client
from fleetkit.client.address import read
from fleetkit.client.request import build
from fleetkit.errors import InvalidValue

KEY = "key_abc"


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("https://api.example.com", "https://api.example.com"),
        ("https://api.example.com/", "https://api.example.com"),
        ("https://api.example.com/v1", "https://api.example.com"),
        (" HTTPS://Api.Example.com/v1/ ", "https://api.example.com"),
        ("https://api.example.com/fleet/v1/equipment", "https://api.example.com/fleet"),
        ("https://gateway.example/v1/fleet", "https://gateway.example/v1/fleet"),
        ("https://gateway.example/v1/fleet/v1/services/svc_1", "https://gateway.example/v1/fleet"),
        ("https://gateway.example/v1/v1/", "https://gateway.example/v1"),
        ("https://api.example.com:8443", "https://api.example.com:8443"),
        ("HTTPS://api.example.com:443/v1", "https://api.example.com"),
        ("http://127.0.0.1:80", "http://127.0.0.1"),
        ("https://127.0.0.1:80", "https://127.0.0.1:80"),
        ("https://[::443]", "https://[::443]"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://[::1]:8000/v1", "http://[::1]:8000"),
        ("http://localhost:8000", "http://localhost:8000"),
    ],
)
def test_a_base_url_is_read_as_it_was_meant(given, url):
    assert read(given).url == url


@pytest.mark.parametrize(
    "given",
    [
        "",
        "api.example.com",
        "localhost:8000",
        "ftp://api.example.com",
        "https://",
        "https://user:hunter2@api.example.com",
        "https://api.example.com?key=hunter2",
        "https://api.example.com#hunter2",
        "https://api.example.com:port",
        "https://api.example.com:0",
        "https://api.exa mple.com",
        "https://*.example",
        "https://[::1",
        "http://api.example.com",
        "http://127.0.0.1.example.com",
        "http://192.168.0.7:8000",
        "http://api.example.com\\[::1]",
        None,
    ],
)
def test_a_base_url_that_is_none_is_refused_without_quoting_secrets(given):
    with pytest.raises(InvalidValue) as caught:
        Client(given, KEY)
    assert "hunter2" not in str(caught.value)


def test_plain_http_to_another_machine_is_sent_only_when_asked_for():
    assert read("http://api.example.com", allow_http=True).url == "http://api.example.com"
    with pytest.raises(InvalidValue, match=r"^http://\[2001:db8::1\]:8000 is not encrypted"):
        read("http://[2001:db8::1]:8000")


@pytest.mark.parametrize(
    "options",
    [
        {"auth": "Basic"},
        {"concurrency": 0},
        {"concurrency": 2.5},
        {"timeout": 0},
        {"timeout": float("inf")},
        {"patience": -1},
    ],
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InvalidValue):
        Client("https://api.example.com", KEY, **options)


def test_the_key_shows_in_no_representation():
    with Client("https://api.example.com", "key_hunter2") as client:
        assert "hunter2" not in repr(client) + str(client) + repr(vars(client))


@pytest.mark.parametrize(
    ("id", "path"),
    [
        ("eq_1", "/v1/equipment/eq_1"),
        ("eq/1", "/v1/equipment/eq%2F1"),
        ("../projects", "/v1/equipment/..%2Fprojects"),
        ("eq_1?limit=1", "/v1/equipment/eq_1%3Flimit%3D1"),
        ("eq_1#x", "/v1/equipment/eq_1%23x"),
        ("eq%2F1", "/v1/equipment/eq%252F1"),
        ("eq_ø", "/v1/equipment/eq_%C3%B8"),
        ("eq\r\n1", "/v1/equipment/eq%0D%0A1"),
    ],
)
def test_an_id_stays_one_segment_of_the_path_on_the_wire(id, path):
    body = reply({"success": True, "data": {"id": id}})
    with hostile(lambda asked: body) as server, Client(server.base_url, KEY) as client:
        client.record("equipment", id)
    assert [request.path for request in server.asked] == [path]


@pytest.mark.parametrize("id", ["", ".", "..", "...", " ", None, 7])
def test_an_id_that_no_record_has_is_refused(id):
    with pytest.raises(InvalidValue, match="is not an identifier"):
        build("equipment", id)


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.pages("flights"),
        lambda client: client.pages("equipment"),
        lambda client: client.pages("drones"),
        lambda client: client.pages("project_list", {"status": "FLYING"}),
        lambda client: client.pages("project_list", {"status": "draft"}),
        lambda client: client.pages("project_list", {"page": 2}),
        lambda client: client.pages("equipment_list", {"status": "ACTIVE"}),
        lambda client: client.record("project_list", "proj_1"),
        lambda client: client.record("flights", "eq_1"),
        lambda client: client.records("project", "proj_1"),
        lambda client: client.flight_pages("eq_1"),
        lambda client: client.flight_pages(["eq_1"], flight_type="SPORT"),
        lambda client: client.flight_pages([], flight_type="training"),
        lambda client: client.flight_pages(["eq_1"], date_from="2026-10-01"),
        lambda client: client.flight_pages(["eq_1"], date_from=datetime(2026, 10, 1)),
        lambda client: client.flight_pages(["eq_1", ".."]),
        lambda client: client.flight_pages(
            ["eq_1"],
            date_from=datetime(2026, 10, 2, tzinfo=UTC),
            date_to=datetime(2026, 10, 1, tzinfo=UTC),
        ),
    ],
)
def test_a_wrong_argument_raises_before_anything_is_sent(call):
    with hostile(lambda asked: reply(status=500)) as server, Client(server.base_url, KEY) as client:
        with pytest.raises(ValueError):  # noqa: PT011
            call(client)
        assert server.asked == []


@pytest.mark.parametrize("params", [{"limit": 101}, {"limit": 0}, {"page": 0}, {"page": True}])
def test_page_and_limit_stay_in_their_ranges(params):
    with pytest.raises(InvalidValue, match="whole number"):
        build("equipment_list", params=params)


def test_times_are_sent_in_utc_with_milliseconds():
    oslo = timezone(timedelta(hours=2))
    asked = build("flights", "eq_1", {"dateFrom": datetime(2026, 10, 1, 1, 30, tzinfo=oslo)})
    assert asked.target == "/v1/equipment/eq_1/flights?dateFrom=2026-09-30T23%3A30%3A00.000Z"
