"""The collector against its own OpenAPI document: what Schemathesis makes of it (make test-live)."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from reports_sent import JSON, on_a_thread
from sordino.service.signing import Signer
from sordino.service.storage.store import ReportStore

FEW = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
"""Requests for each operation and each way to ask."""

NAMES = ("reports", "aggregate", "close", "erase")
UPLOAD, MERGE, CLOSE, ERASE = (f"POST /plans/{{plan_hash}}/{name}" for name in NAMES)


def is_described(case):
    """Whether the document says all of what is right: packed records, tallies and public columns depend on the plan."""
    label = case.operation.label
    if label == UPLOAD:
        return case.media_type == JSON and "'public'" not in repr(case.body)
    return label != MERGE and "by" not in (case.query or {})


@pytest.mark.live
def test_requests_made_from_the_openapi_document_are_answered_as_it_says_and_store_nothing_else(tmp_path, plan):
    import schemathesis
    from schemathesis import GenerationMode
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    path, statuses = tmp_path / "reports.sqlite", {}
    store, accepted = ReportStore.open(path, plan), [2]
    with on_a_thread(store, 1, Signer.of_file(tmp_path / "key.pem")) as client:
        client.upload([0, 1])
        schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{client.port}/openapi.json")

        def ask(operation, mode, *, served, analyst):
            @FEW
            @given(case=operation.as_strategy(generation_mode=mode))
            def asked(case):
                if served and "plan_hash" in case.path_parameters:
                    case.path_parameters["plan_hash"] = plan.hash
                if analyst:
                    case.headers["Authorization"] = f"Bearer {client.token}"
                answer = case.call()
                case.validate_response(answer, excluded_checks=[] if is_described(case) else [positive_data_acceptance])
                statuses.setdefault(operation.label, set()).add(answer.status_code)
                if operation.label == UPLOAD and answer.status_code == 200:
                    accepted.append(answer.json()["accepted"])

            asked()

        operations = [found.ok() for found in schema.get_all_operations()]
        assert {UPLOAD, MERGE, CLOSE, ERASE} < {operation.label for operation in operations}
        last = [ERASE, CLOSE]
        for operation in sorted(operations, key=lambda one: last.index(one.label) + 1 if one.label in last else 0):
            if operation.label == ERASE:
                # Ids that were made for uploads may be made for erasure too.
                assert client.of_plan("GET", "/progress").json["reports"] == sum(accepted)
            for served, analyst in ((False, False), (True, False), (True, True)):
                ask(operation, GenerationMode.POSITIVE, served=served, analyst=analyst)
                assert client.of_plan("GET", "/progress").json["closed"] == (operation.label == CLOSE and analyst)
            if operation.label in (UPLOAD, MERGE):
                ask(operation, GenerationMode.NEGATIVE, served=True, analyst=True)
        assert [each["plan"] for each in client.ask("GET", "/plans").json] == [plan.hash]
    assert {200, 400, 404} <= statuses[UPLOAD]
    assert all(200 in seen for label, seen in statuses.items() if label != MERGE)
    again = ReportStore.open(path, plan)
    assert 2 <= again.collections[plan.hash].aggregate.n <= sum(accepted)
    again.close()
