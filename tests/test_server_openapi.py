"""The server's description of itself: valid, complete, and true."""

from __future__ import annotations

import re

import pytest
import requests
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from test_server_rules import PATHS

from fleetkit.schema import ENDPOINTS, RECORDS, SCOPES
from fleetkit.server import landing_page
from fleetkit.server.dials import Dials
from fleetkit.server.openapi import document


@pytest.mark.slow
@pytest.mark.parametrize(
    "dials",
    [
        Dials(),
        Dials(error_layout="html", over_quota="503"),
        Dials(error_layout="list", limit_out_of_range="400", page_past_end="404"),
    ],
)
def test_the_document_is_valid_openapi(dials):
    validate(document(dials))


def test_the_document_is_served_without_a_key(tiny):
    answer = requests.get(f"{tiny.base_url}/openapi.json", timeout=20)
    assert answer.json() == document(Dials())
    assert answer.json()["openapi"] == "3.1.0"


def test_the_document_has_every_endpoint_parameter_scope_and_field():
    described = document(Dials())
    for endpoint in ENDPOINTS.values():
        operation = described["paths"][endpoint.path]["get"]
        named = {parameter["name"] for parameter in operation["parameters"]}
        assert named - {"id"} == {parameter.name for parameter in endpoint.parameters}
        assert endpoint.scope in operation["description"]
        assert {"200", "401", "403", "429", "500"} <= set(operation["responses"])
        assert ("404" in operation["responses"]) == endpoint.by_id
        assert ("400" in operation["responses"]) == (endpoint.name == "flights")
    for record in RECORDS:
        schema = described["components"]["schemas"][record.name]
        assert list(schema["properties"]) == [field.name for field in record.fields]


@pytest.mark.parametrize("name", ENDPOINTS)
def test_answers_are_as_described(tiny, name):
    described, url = document(Dials()), tiny.base_url + PATHS[name]
    answer = requests.get(url, headers={"X-API-Key": tiny.api_key}, timeout=20)
    content = described["paths"][ENDPOINTS[name].path]["get"]["responses"]["200"]["content"]
    schema = content["application/json"]["schema"]
    Draft202012Validator({**schema, "components": described["components"]}).validate(answer.json())


def test_the_examples_are_as_described():
    schemas = document(Dials())["components"]["schemas"]
    for schema in schemas.values():
        for example in schema.get("examples", ()):
            whole = {**schema, "components": {"schemas": schemas}}
            Draft202012Validator(whole).validate(example)


def test_the_page_for_people_names_everything_and_nothing_outside(tiny):
    answer = requests.get(tiny.base_url, timeout=20)
    assert answer.headers["Content-Type"].startswith("text/html")
    for word in (
        *SCOPES,
        *(endpoint.path for endpoint in ENDPOINTS.values()),
        "X-API-Key",
        "NOT_FOUND",
    ):
        assert word in answer.text
    assert re.findall(r"https?:|//\w", answer.text) == []


@pytest.mark.parametrize(("retry_after", "here"), [(True, "on"), (False, "off")])
def test_the_page_for_people_calls_a_setting_as_it_is_written(retry_after, here):
    shown = landing_page.page(Dials(retry_after=retry_after))
    assert f"<td>retry_after</td><td>{here}</td><td>on, off</td>" in shown


@pytest.mark.slow
def test_the_page_for_people_is_no_wider_than_a_phone(browser):
    page = browser.new_page(viewport={"width": 360, "height": 800})
    page.set_content(landing_page.page(Dials()))
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.close()
