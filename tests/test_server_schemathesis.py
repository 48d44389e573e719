"""The OpenAPI document is true: requests made up from it find no answer that contradicts it."""

import pytest
from hypothesis import HealthCheck, given, settings

from fleetkit.schema import ENDPOINTS

pytestmark = pytest.mark.slow
QUIET = [HealthCheck.too_slow, HealthCheck.filter_too_much]


@pytest.fixture(scope="module")
def operations(tiny):
    import schemathesis

    document = schemathesis.openapi.from_url(f"{tiny.base_url}/openapi.json")
    operations = [result.ok() for result in document.get_all_operations()]
    return {operation.path: operation for operation in operations}


def test_the_document_describes_the_seven_endpoints(operations):
    described = {path for path in operations if path.startswith("/v1/")}
    assert described == {endpoint.path for endpoint in ENDPOINTS.values()}


@pytest.mark.parametrize("path", [endpoint.path for endpoint in ENDPOINTS.values()])
def test_no_answer_contradicts_the_openapi_document(operations, tiny, path):
    from schemathesis.checks import CHECKS

    @settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=QUIET)
    @given(case=operations[path].as_strategy())
    def ask(case):
        key = {"X-API-Key": tiny.api_key}
        case.call_and_validate(base_url=tiny.base_url, headers=key, checks=list(CHECKS.get_all()))

    ask()
