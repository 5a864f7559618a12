"""What the analyst takes away, brings and ends, over HTTP; and what whoever runs the collector watches."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from commands import PATIENCE, run_here
from reports_sent import JSON, Client, is_problem, make_plan, on_a_thread
from sordino import aggregate
from sordino.document.key_chain import is_signed
from sordino.service.metrics import Metrics, MetricsServer
from sordino.service.signing import Signer
from sordino.service.storage.store import ReportStore
from sordino.survey.results.aggregate_file import aggregate_text
from sordino.survey.results.sourced_aggregate import counts_hash, with_sources


@pytest.fixture
def store(tmp_path, plan, other):
    return ReportStore.open(tmp_path / "reports.sqlite", plan, other)


def test_a_plan_its_signature_and_the_list_are_public(tmp_path, store, plan, other):
    signer = Signer.of_file(tmp_path / "key.pem")
    with on_a_thread(store, 1, signer) as client:
        key = client.ask("GET", "/key").json
        assert key == {"algorithm": "Ed25519", "key": signer.public, "chain": []}
        assert [each["plan"] for each in client.ask("GET", "/plans").json] == [plan.hash, other.hash]
        for each in (plan, other):
            found = client.ask("GET", f"/plans/{each.hash}/signature").json
            assert (found["plan"], found["key"]) == (each.hash, signer.public)
            assert is_signed(client.ask("GET", f"/plans/{each.hash}").body, key["key"], found["signature"])
        assert is_problem(client.ask("GET", "/plans/other/signature"), 404, "must be served here")


def test_a_collector_without_a_key_says_so(store):
    with on_a_thread(store) as client:
        assert is_problem(client.ask("GET", "/key"), 404, "found no key: serve them with --key FILE")
        assert is_problem(client.of_plan("GET", "/signature"), 404, "found no key")


def test_the_analyst_takes_reports_and_tallies_and_brings_others(tmp_path, store, plan, other):
    codes = [n % 4 for n in range(30)]
    with on_a_thread(store, 10) as client:
        client.upload(codes[:5])
        for path in ("/aggregate", "/reports", "/estimates"):
            assert is_problem(client.as_analyst("GET", path), 409, "of 10 reports or more; found 5")
        client.upload(codes[5:], first=5)
        (tmp_path / "reports.parquet").write_bytes(client.as_analyst("GET", "/reports").body)
        assert aggregate(plan, tmp_path / "reports.parquet").counts.tolist() == np.bincount(codes).tolist()
        for confidence in ("2", "nan"):
            assert is_problem(client.as_analyst("GET", f"/estimates?confidence={confidence}"), 400, "between 0 and 1")
        tally = client.as_analyst("GET", "/aggregate").body
        assert json.loads(tally)["counts"] == np.bincount(codes).tolist()
        merged = plan.sampled.tally(np.array([3] * 7, dtype=np.uint64))
        for added in (7, 0):
            found = client.as_analyst("POST", "/aggregate", aggregate_text(plan, merged)).json
            assert (found["added"], found["reports"]) == (added, 37)
            (part,) = found["parts"]
            assert (part["source"], part["reports"], part["added"]) == (counts_hash(merged), 7, added)
            assert (
                part["outcome"]
                == ("the tally that is known: nothing was added", "reports that were not known")[added > 0]
            )
        both = json.loads(client.as_analyst("GET", "/aggregate").body)
        assert both["counts"] == np.bincount([*codes, *[3] * 7]).tolist()
        assert both["sources"] == {counts_hash(merged): [0, 0, 0, 7]}
        assert both["source"] == json.loads(tally)["source"]
        assert is_problem(client.as_analyst("POST", "/aggregate", tally), 409, "found this collector's own")
        foreign = aggregate_text(other, other.sampled.tally(np.array([4], dtype=np.uint64)))
        for body, words in (
            ("{", "a JSON file"),
            (b"\xff", "UTF-8"),
            ("[]", "list"),
            ("{}", "an aggregate"),
            (foreign, "a different plan"),
        ):
            assert is_problem(client.as_analyst("POST", "/aggregate", body), 400, words)
        assert client.as_analyst("POST", "/scrub").json["scrubbed"] == 30
        assert is_problem(client.as_analyst("GET", "/reports"), 409, "found scrubbed ones")
        assert client.upload(codes).json == {"accepted": 0, "repeated": 30, "failures": 0, "failed": []}
        assert client.as_analyst("GET", "/estimates").json["n"] == 37
        assert client.of_plan("GET", "/progress").json["reports"] == 37


def test_tallies_that_come_at_once_among_uploads_are_counted_once(store, plan):
    sources = [f"{place:032x}" for place in range(3)]

    def file(place, reports):
        tallies = {source: plan.sampled.tally([n % 4 for n in range(reports)]) for source in sources[: place + 1]}
        return aggregate_text(plan, with_sources(plan.sampled.tally([]), tallies))

    with on_a_thread(store) as client, ThreadPoolExecutor(8) as pool:
        # Each collector's tallies at several times, in no order.
        files = [file(place, reports) for reports in (40, 8, 24, 16, 32) for place in (2, 0, 1)]
        merges = [pool.submit(client.as_analyst, "POST", "/aggregate", body) for body in files]
        uploads = [pool.submit(client.upload, [0, 1, 2, 3], first=4 * n) for n in range(10)]
        answers = [future.result(PATIENCE) for future in merges + uploads]
        assert {answer.status for answer in answers} == {200}
        assert sum(answer.json["added"] for answer in answers[: len(merges)]) == 120
        found = json.loads(client.as_analyst("GET", "/aggregate").body)
        assert found["counts"] == [40] * 4
        assert {tuple(counts) for counts in found["sources"].values()} == {(10,) * 4}


def test_without_the_token_nothing_is_told_or_changed(store):
    with on_a_thread(store) as client:
        client.upload([0, 1, 2])
        before = client.of_plan("GET", "/progress").json
        for method, path in (
            *(("GET", path) for path in ("/estimates", "/aggregate", "/reports")),
            *(("POST", path) for path in ("/aggregate", "/scrub", "/close")),
        ):
            for token in ("", client.token[:-1], f"{client.token}x"):
                stranger = Client(client.plan, client.port, token)
                assert is_problem(stranger.as_analyst(method, path), 401, "needs a token"), path
        assert client.of_plan("GET", "/progress").json == before


def test_what_is_published_is_told_to_everybody_from_the_least_number_on(store):
    with on_a_thread(store, 4, published=True) as client:
        client.upload([0, 1, 2])
        for path in ("/aggregate", "/estimates"):
            assert is_problem(client.of_plan("GET", path), 409, "of 4 reports or more; found 3")
        client.upload([3], first=3)
        assert client.of_plan("GET", "/aggregate").body == client.as_analyst("GET", "/aggregate").body
        assert client.of_plan("GET", "/estimates").json["n"] == 4
        for method, path in (("GET", "/reports"), ("GET", "/page"), ("POST", "/aggregate"), ("POST", "/close")):
            assert is_problem(client.of_plan(method, path), 401, "needs a token"), path


def test_the_reports_of_each_collector_are_told_to_the_analyst_alone(store, plan):
    """Another collector's tally may be of fewer reports than anybody is told estimates of."""
    merged = plan.sampled.tally(np.array([2], dtype=np.uint64))
    with on_a_thread(store, 4, published=True) as client:
        client.upload([0, 1, 2])
        client.as_analyst("POST", "/aggregate", aggregate_text(plan, merged))
        own, others = (json.loads(ask("GET", "/aggregate").body) for ask in (client.as_analyst, client.of_plan))
        assert own["counts"] == others["counts"] == [1, 1, 2, 0]
        assert own["sources"] == {counts_hash(merged): [0, 0, 1, 0]}
        assert others.keys() == (own.keys() - {"source", "sources"}) | {"hides_sources"}
        # Nobody could say which of its reports are counted already.
        again = client.as_analyst("POST", "/aggregate", json.dumps(others))
        assert is_problem(again, 409, "a public tally of several collectors")
        assert client.as_analyst("POST", "/aggregate", json.dumps(own)).json["added"] == 0
        unknown = json.dumps(own | {"foo": 1})
        assert is_problem(client.as_analyst("POST", "/aggregate", unknown), 400, "only the fields of an aggregate")


def test_a_reader_with_a_token_reads_the_tally_that_everybody_does(store, plan):
    merged = plan.sampled.tally(np.array([2], dtype=np.uint64))
    tokens = [store.add_token(role, role) for role in ("analyst", "reader")]
    with on_a_thread(store, 4, published=True) as client:
        client.upload([0, 1, 2])
        analyst, reader = (Client(plan, client.port, token) for token in tokens)
        assert analyst.as_analyst("POST", "/aggregate", aggregate_text(plan, merged)).status == 200
        own, read = (json.loads(one.as_analyst("GET", "/aggregate").body) for one in (analyst, reader))
        assert read == json.loads(client.of_plan("GET", "/aggregate").body)
        assert "sources" in own.keys() - read.keys()


def test_the_openapi_document_tells_every_route_and_problem(store):
    with on_a_thread(store) as client:
        document = client.ask("GET", "/openapi.json").json
        assert len(document["paths"]) == 15
        upload = document["paths"]["/plans/{plan_hash}/reports"]["post"]
        assert list(upload["requestBody"]["content"]) == ["application/vnd.sordino-reports; version=1", JSON]
        assert {"200", "400", "404", "409", "413", "415", "429", "503", "507"} <= set(upload["responses"])
        assert "401" in document["paths"]["/plans/{plan_hash}/scrub"]["post"]["responses"]


def test_livez_and_metrics_have_a_port_of_their_own(store):
    metrics = Metrics()
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        MetricsServer(metrics, listener),
        on_a_thread(store, 1, None, metrics) as client,
    ):
        port = listener.getsockname()[1]
        client.upload([0, 1, 1])
        client.upload([0, 1, 2])
        assert client.ask("GET", "/livez", port=port).json == {"status": "alive"}
        told = client.ask("GET", "/metrics", port=port)
        assert told.headers["content-type"].startswith("text/plain")
        assert {
            'sordino_reports_total{outcome="accepted"} 3.0',
            'sordino_reports_total{outcome="repeated"} 2.0',
            'sordino_reports_total{outcome="failed"} 1.0',
            'sordino_answers_total{status="200"} 2.0',
            "sordino_waiting 0.0",
        } <= set(told.body.decode().splitlines())
        assert client.ask("GET", "/metrics").status == 404


def test_a_new_plan_of_a_store_must_be_meant(tmp_path, store, plan):
    store.close()
    third = make_plan(6)
    third.save(tmp_path / "third.json")
    words = ["serve", tmp_path / "third.json", "--store", tmp_path / "reports.sqlite", "--port", 0]
    code, _, err = run_here(*words)
    assert code == 2
    assert (
        "those of another: collect its reports in a store of their own, or serve it beside the others with --add" in err
    )
