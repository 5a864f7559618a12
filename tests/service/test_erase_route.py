"""Whoever knows a report's id takes it back over HTTP, and learns nothing by it."""

import json

import pytest

from reports_sent import JSON, is_problem, on_a_thread
from sordino.service.storage.store import ReportStore


@pytest.fixture
def client(tmp_path, plan):
    with on_a_thread(ReportStore.open(tmp_path / "reports.sqlite", plan)) as client:
        yield client


def erase(client, body):
    return client.of_plan("POST", "/erase", body, Content_Type=JSON)


def test_a_report_is_taken_back_by_its_id_and_every_answer_is_the_same(client):
    client.upload([0, 1, 2])
    answers = [erase(client, json.dumps({"id": f"{number:032x}"})) for number in (1, 1, 999)]
    assert {answer.status for answer in answers} == {200}
    assert len({answer.body for answer in answers}) == 1
    headers = [{name: text for name, text in answer.headers.items() if name != "date"} for answer in answers]
    assert headers[0] == headers[1] == headers[2]
    assert client.of_plan("GET", "/progress").json["reports"] == 2
    assert client.upload([1], first=1).json["repeated"] == 1
    client.as_analyst("POST", "/scrub")
    client.as_analyst("POST", "/close")
    assert erase(client, json.dumps({"id": f"{0:032x}"})).body == answers[0].body


def test_what_is_no_id_is_refused_and_not_repeated(client):
    for body in (b"", b"{}", b"[1]", b'{"id": 1}', b'{"id": "SECRET"}', b'{"id": "' + b"A" * 32 + b'"}', b"[" * 9000):
        answer = erase(client, body)
        assert is_problem(answer, 400, '{"id": 32 hexadecimal digits}')
        assert b"SECRET" not in answer.body
    assert erase(client, b" " * (1 << 17)).status == 413
    assert client.ask("POST", "/plans/other/erase", b"{}").status == 404
