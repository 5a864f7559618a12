"""A collector over HTTP, as a process of its own: what it acknowledges, refuses and tells."""

import json
import socket
from ipaddress import ip_address

import numpy as np
import pytest

from reports_sent import BINARY, JSON, NOTED, STARTED, STOPPED, is_problem, log_events, on_a_thread, served
from sordino import estimate
from sordino.cli.commands.serve_command import serve
from sordino.document.key_chain import is_signed
from sordino.errors import UnavailableError
from sordino.service.analyst import _estimate
from sordino.service.storage.store import ReportStore
from sordino.service.uploads import PACKED
from sordino.survey.kinds.coverage import Coverage
from surveys import planned


@pytest.fixture(scope="module")
def plan(two_questions):
    return two_questions


@pytest.fixture(scope="module")
def client(tmp_path_factory, plan):
    """A collector on a thread of this process."""
    store = ReportStore.open(tmp_path_factory.mktemp("collector") / "reports.sqlite", plan)
    with on_a_thread(store, 50) as asked:
        yield asked


def test_devices_fetch_the_plan_and_see_all_that_were_served(client, plan):
    assert client.ask("GET", "/livez").json == {"status": "alive"}
    (served,) = client.ask("GET", "/plans").json
    assert served["plan"] == plan.hash
    assert client.of_plan("GET", "").body == plan.bytes
    assert is_problem(client.ask("GET", "/plans/other"), 404, "must be served here")


def test_reports_are_acknowledged_counted_once_and_estimated(client, plan):
    assert is_problem(client.as_analyst("GET", "/estimates"), 409, "50 reports or more")
    people = np.arange(4000)
    codes = plan.sampled.outputs - 1 - people % plan.sampled.outputs
    expected = {"accepted": 4000, "repeated": 0, "failures": 0, "failed": []}
    assert client.upload(codes).json == expected
    assert client.upload(codes).json == {"accepted": 0, "repeated": 4000, "failures": 0, "failed": []}
    reports = [
        {"id": f"{10**6:032x}", "code": "0"},
        {"id": f"{0:032x}", "code": "0"},
        {"id": f"{7:032x}", "code": "99"},
    ]
    answer = client.of_plan("POST", "/reports", json.dumps({"reports": reports}), Content_Type=JSON).json
    assert (answer["accepted"], answer["repeated"]) == (1, 0)
    assert [failed["id"] for failed in answer["failed"]] == [reports[1]["id"], reports[2]["id"]]
    found = client.of_plan("GET", "/progress").json
    assert (found["reports"], found["people"], found["closed"]) == (4001, 1000, False)
    told = client.as_analyst("GET", "/estimates").json
    tally = plan.sampled.tally(np.append(codes, 0).astype(np.uint64))
    rows = estimate(plan, tally).to_arrow().to_pylist()
    assert told["n"] == 4001
    for row, own in zip(told["rows"], rows, strict=True):
        assert {key: own[key] for key in ("attribute", "value", "estimate", "stderr", "low", "high")} == {
            key: row[key] for key in ("attribute", "value", "estimate", "stderr", "low", "high")
        }
    # One question is pooled with none.
    assert told["pooled"] == []


def test_what_becomes_of_one_report_is_said_of_each_and_to_every_page(client):
    """Answers are the same bytes whatever the code; a report that fails between others changes none of them."""
    accepted, repeated = ({"accepted": n, "repeated": 1 - n, "failures": 0, "failed": []} for n in (1, 0))
    headers, bodies = set(), set()
    for code in range(4):
        for expected in (accepted, repeated, repeated):
            answer = client.upload([code], first=(1 << 90) + code)
            assert answer.json == expected
            assert answer.headers["access-control-allow-origin"] == "*"
            headers.add(tuple(sorted(name for name in answer.headers if name != "date")))
            bodies.add(answer.body)
        failed = client.upload([99], first=(1 << 91) + code).json
        assert (failed["accepted"], failed["failures"], len(failed["failed"])) == (0, 1, 1)
        assert client.upload([1 - code % 2], first=(1 << 90) + code).json["failures"] == 1
    assert (len(headers), len(bodies)) == (1, 2)


def test_an_answer_names_the_first_failures_and_counts_all(client):
    answer = client.upload([99] * 5000, first=1 << 99)
    assert (answer.json["accepted"], answer.json["failures"], len(answer.json["failed"])) == (0, 5000, 256)
    assert [failed["id"] for failed in answer.json["failed"]] == [f"{(1 << 99) + place:032x}" for place in range(256)]
    assert len(answer.body) < 1 << 15


def test_estimates_hold_what_several_questions_tell():
    numbers = {name: {"number": {"low": 0, "high": 10}} for name in ("x", "y")}
    plan = planned({"version": 1, "epsilon": "2", "attribute": numbers, "ask": [{"mean": ["x"]}, {"mean": ["x", "y"]}]})
    tally = plan.sampled.tally(np.arange(4000, dtype=np.uint64) % plan.sampled.outputs)
    (row,) = _estimate(plan, tally, Coverage(), (), 1, None).document["pooled"]
    assert (row["value"], row["pooled"]) == ("x", ["mean of x", "mean of x, y"])


def test_estimates_and_the_end_are_the_analysts(client):
    for path, method in (("/estimates", "GET"), ("/close", "POST")):
        for header in ({}, {"Authorization": "Bearer other"}, {"Authorization": f"Basic {client.token}"}):
            answer = client.of_plan(method, path, **header)
            assert is_problem(answer, 401, "this needs a token")
            assert client.token not in answer.body.decode()
    assert not client.of_plan("GET", "/progress").json["closed"]


def test_what_is_not_served_is_a_problem_too(client):
    for method, path, status, words in (
        ("GET", "/nothing", 404, "one that is served"),
        ("DELETE", f"/plans/{client.plan.hash}", 405, "one that is served"),
        ("GET", f"/plans/{client.plan.hash}/estimates?confidence=SECRET", 400, "others at query.confidence"),
    ):
        answer = client.ask(method, path)
        assert is_problem(answer, status, words)
        assert b"SECRET" not in answer.body


def test_bodies_that_are_no_upload_are_refused_and_nothing_is_kept(client, plan):
    before = client.of_plan("GET", "/progress").json
    wide = 16 + 1
    for body, media, status, words in (
        (bytes(wide), "text/plain", 415, "media type"),
        (bytes(wide), PACKED, 415, "media type"),
        (bytes(wide), f"{PACKED}; version=2", 415, "media type"),
        (b"", BINARY, 400, "whole records"),
        (bytes(wide + 1), BINARY, 400, f"whole records of {wide} bytes; found {wide + 1} bytes"),
        (bytes((1 << 24) + wide), BINARY, 413, "at most"),
        (b"{", JSON, 400, "reports must be as"),
        (b" " * ((1 << 20) + 1), JSON, 413, "at most 1048576 bytes"),
        (b"[" * (1 << 20), JSON, 400, "otherwise at the body"),
        (b'{"reports": [{}, {}]}', JSON, 400, "otherwise at reports.0"),
        (b'{"reports": [{"id": "%032d", "code": "1", "answer": "SECRET"}]}' % 5, JSON, 400, "otherwise at reports.0"),
        (b'{"reports": []}', JSON, 400, "found 0 reports"),
        (b'{"reports": [{"id": "00", "code": "SECRET"}]}', JSON, 400, "otherwise at reports.0.id"),
        (b'{"reports": [{"id": "%032d", "code": 1}]}' % 5, JSON, 400, "otherwise at reports.0.code"),
        (
            b'{"reports": [{"id": "%032d", "code": "18446744073709551616"}]}' % 5,
            JSON,
            400,
            "otherwise at reports.0.code",
        ),
    ):
        answer = client.of_plan("POST", "/reports", body, Content_Type=media)
        assert is_problem(answer, status, words)
        assert b"SECRET" not in answer.body
    assert client.of_plan("GET", "/progress").json == before
    assert client.ask("POST", "/plans/other/reports", bytes(wide), Content_Type=BINARY).status == 404


def test_a_plan_is_closed_for_ever_an_end_keeps_all_and_no_address(tmp_path, plan):
    with served(tmp_path, plan, "--metrics-port", 0, "--key", tmp_path / "key.pem") as (client, said):
        key = client.ask("GET", "/key").json["key"]
        assert client.ask("GET", "/livez", port=client.metrics).json == {"status": "alive"}
        assert is_signed(plan.bytes, key, client.of_plan("GET", "/signature").json["signature"])
        client.address, forwarded = "127.0.0.77", {"X_Forwarded_For": "203.0.113.77", "Forwarded": "for=203.0.113.77"}
        assert client.upload([0, 1, 2], **forwarded).json["accepted"] == 3
        assert client.upload([], **forwarded).status == 400
        with socket.create_connection(("127.0.0.1", client.port), source_address=(client.address, 0)) as broken:
            broken.sendall(b"no HTTP\r\n\r\n")
            assert b" 400 " in broken.recv(1000)
        told = client.ask("GET", "/metrics", port=client.metrics).body.decode()
        assert client.as_analyst("POST", "/close").json["closed"]
        assert is_problem(client.upload([1], first=3), 409, "closed plan takes no reports")
        kept = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    out, err, code = said
    assert code == 0
    assert log_events(err) == [NOTED, STARTED, "Invalid HTTP request received.", NOTED, STOPPED]
    assert "stopped" in out
    kept += b"".join(path.read_bytes() for path in tmp_path.iterdir()) + (told + out + err).encode()
    for address in (client.address, "203.0.113.77"):
        assert address.encode() not in kept
        assert ip_address(address).packed not in kept
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    held = store.collections[plan.hash]
    assert (held.aggregate.n, held.is_closed, store.new_token()) == (3, True, None)
    store.close()


def test_a_port_that_is_taken_is_told_before_anything_is_made(tmp_path, plan, client):
    plan.save(tmp_path / "plan.json")
    store = tmp_path / "new.sqlite"
    with pytest.raises(
        UnavailableError, match=f"listen at 127.0.0.1, port {client.port}; found address already in use"
    ):
        serve.main(
            [str(tmp_path / "plan.json"), "--store", str(store), "--port", str(client.port)], standalone_mode=False
        )
    assert not store.exists()
