"""Whatever is sent to whatever route, the server answers with what the caller can act on: never a 5xx."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from server_process import PROJECT, Served

SAMPLES = 6
MANY = 200


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    with Served(PROJECT / "langgraph.json", tmp_path_factory.mktemp("fuzzed")) as served:
        yield served


def probe(served: Served, examples: int) -> None:
    schema = schemathesis.openapi.from_url(f"{served.url}/openapi.json")
    endless = ("/stream", "/stream/events", "/custom/")
    failures: list[str] = []
    for result in schema.get_all_operations():
        operation = result.ok()
        if any(part in operation.path for part in endless) and operation.method.lower() == "get":
            continue
        if operation.path.endswith("/stream/events"):
            continue

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def send(case) -> None:
            answer = case.call(base_url=served.url, timeout=30)
            if answer.status_code >= 500:
                failures.append(f"{case.method} {case.formatted_path} {case.body!r}: {answer.text[:300]}")

        send()
    assert not failures, "\n".join(failures[:10]) + "\n" + served.stderr()[-3000:]


@pytest.mark.timeout(300)
def test_no_request_breaks_the_server(fuzzed):
    probe(fuzzed, SAMPLES)


@pytest.mark.soak
def test_no_request_breaks_the_server_at_length(fuzzed):
    probe(fuzzed, MANY)
