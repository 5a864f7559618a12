"""Public values at the collector: kept with each report, counted by cell, and shown by groups that are large enough."""

import json

import numpy as np
import pytest

from reports_sent import BINARY, JSON, is_problem, on_a_thread, uploaded
from sordino import Plan, Survey
from sordino.once.journal.journal import upload_of
from sordino.once.ledger.ask import collector_words
from sordino.service import analyst
from sordino.service.storage.store import ReportStore
from sordino.service.uploads import pack, read_json, unpack
from sordino.survey.answering.report_draw import draw_report
from sordino.survey.results.aggregate_file import aggregate_of
from sordino.survey.results.sourced_aggregate import sources_of

SURVEY = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"x": {"categories": ["a", "b", "c"]}},
    "public": {"region": {"categories": ["north", "south"]}, "arm": {"categories": ["u", "v", "w"]}},
    "ask": [{"histogram": "x"}],
}
RECORD = {"version": 1, "record": {"x": "b", "region": "south", "arm": "u"}}


@pytest.fixture(scope="module")
def grouped():
    return Plan.of(Survey.read(SURVEY), 1000)


@pytest.fixture
def place(tmp_path):
    return tmp_path / "reports.sqlite"


@pytest.fixture
def store(place, grouped):
    return ReportStore.open(place, grouped)


def numbers(plan, *reports):
    """Of codes and cells."""
    codes, cells = np.array(reports, dtype=np.uint64).T
    return plan.cells.join(codes, cells)


def in_json(*reports):
    return json.dumps({"reports": list(reports)}).encode()


def test_what_a_device_sends_is_what_is_kept(grouped):
    report = draw_report(grouped, RECORD)
    assert report.document["public"] == {"region": "south", "arm": "u"}
    upload = read_json(grouped, upload_of(collector_words(draw_report(grouped, RECORD))).encode())
    code, cell = grouped.cells.split(upload.codes)
    assert (int(code[0]) < 3, grouped.cells.labels(int(cell[0]))) == (True, report.document["public"])


def test_packed_reports_have_a_cell_behind_their_code(grouped):
    upload = uploaded(numbers(grouped, (0, 0), (2, 5)))
    body = pack(grouped, upload)
    assert [body[at + 16 : at + 18] for at in (0, 18)] == [b"\x00\x00", b"\x02\x05"]
    assert unpack(grouped, body).codes.tolist() == upload.codes.tolist()


def test_a_report_that_comes_by_itself_is_read_as_among_others(grouped, plan):
    """Every code and cell of two bytes, sendable or not."""
    for own, width in ((grouped, 18), (plan, 17)):
        rows = [bytes(range(16)) + number.to_bytes(width - 16) for number in range(256 ** (width - 16))]
        together = unpack(own, b"".join(rows))
        alone = [unpack(own, bytearray(row)) for row in rows[:: 1 if width == 17 else 7]]
        assert [int(upload.codes[0]) for upload in alone] == together.codes[:: 1 if width == 17 else 7].tolist()
        assert {upload.ids for upload in alone} == {together.id_at(1)} == {bytes(range(16))}
        assert {(upload.codes.dtype, upload.codes.shape) for upload in alone} == {(together.codes.dtype, (1,))}


@pytest.mark.parametrize("wrong", [b"\x03\x00", b"\xff\x00", b"\x00\x06", b"\x00\xff"])
def test_a_code_beyond_the_last_is_no_report_of_another_cell(store, grouped, wrong):
    with on_a_thread(store) as client:
        body = pack(grouped, uploaded(numbers(grouped, (1, 1))))
        found = client.of_plan("POST", "/reports", body + bytes(15) + b"\x09" + wrong, Content_Type=BINARY).json
        assert (found["accepted"], found["failures"]) == (1, 1)
        assert client.of_plan("GET", "/progress").json["reports"] == 1


@pytest.mark.parametrize(
    "public", [{}, {"region": "north"}, {"region": "north", "arm": "x"}, {"region": 1, "arm": "u"}, 3]
)
def test_reports_in_json_name_a_value_of_each_column(store, public):
    report = {"id": "0" * 32, "code": "1"}
    with on_a_thread(store) as client:
        found = client.of_plan("POST", "/reports", in_json({**report, "public": public}), Content_Type=JSON)
        assert is_problem(found, 400, "reports.0.public must hold the plan's public values")
        assert is_problem(client.of_plan("POST", "/reports", in_json(report), Content_Type=JSON), 400, "reports.0")
        right = {**report, "public": {"arm": "u", "region": "north"}}
        for accepted in (1, 0):
            found = client.of_plan("POST", "/reports", in_json(right), Content_Type=JSON).json
            assert (found["accepted"], found["repeated"]) == (accepted, 1 - accepted)
        # The same id with another public value is another report, which is refused.
        moved = {**right, "public": {"arm": "v", "region": "north"}}
        assert client.of_plan("POST", "/reports", in_json(moved), Content_Type=JSON).json["failures"] == 1


def test_a_plan_without_public_columns_takes_none(tmp_path, plan):
    with on_a_thread(ReportStore.open(tmp_path / "r.sqlite", plan)) as client:
        report = {"id": "0" * 32, "code": "1", "public": {}}
        assert is_problem(client.of_plan("POST", "/reports", in_json(report), Content_Type=JSON), 400, "reports.0")


def test_cells_survive_scrubbing_opening_and_merging(place, grouped):
    store, own = ReportStore.open(place, grouped), numbers(grouped, (0, 0), (1, 5), (2, 5))
    collection = store.collections[grouped.hash]
    collection.add([uploaded(own)])
    before = collection.aggregate
    assert sum(collection.scrub()) == 3
    collection.add([uploaded(numbers(grouped, (1, 2)), first=10)])
    other = grouped.tally(numbers(grouped, (0, 3), (0, 3)))
    assert [part.added for part in collection.merge(other)] == [2]
    assert [part.added for part in collection.merge(other)] == [0]
    store.close()
    store = ReportStore.open(place, grouped)
    found = store.collections[grouped.hash].sourced_aggregate
    expected = before + grouped.tally(numbers(grouped, (1, 2), (0, 3), (0, 3)))
    assert {cell: counts.tolist() for cell, counts in found.cells.items()} == {
        cell: counts.tolist() for cell, counts in expected.cells.items()
    }
    assert len(sources_of(found)) == 2
    store.close()


def test_the_reports_that_the_analyst_takes_have_their_values(tmp_path, store, grouped):
    import pyarrow.parquet as pq

    with on_a_thread(store) as client:
        client.upload(numbers(grouped, (0, 0), (1, 5)))
        (tmp_path / "r.parquet").write_bytes(client.as_analyst("GET", "/reports").body)
    found = pq.read_table(tmp_path / "r.parquet").to_pydict()
    assert (found["region"], found["arm"]) == (["north", "south"], ["u", "w"])


def test_estimates_and_pages_by_groups_of_enough_reports(store, grouped):
    draw = np.random.default_rng(1)
    reports = [(draw.integers(0, 3), 3 * (n >= 95) + n % 3) for n in range(100)]
    with on_a_thread(store, 20) as client:
        client.upload(numbers(grouped, *reports))
        found = client.as_analyst("GET", "/estimates?by=region").json
        assert [(one["group"], one["n"], one["estimated"]) for one in found["groups"]] == [
            ("north", 95, True),
            ("south", 5, False),
        ]
        assert {row["group"] for row in found["group_rows"]} == {"north"}
        assert client.of_plan("GET", "/progress").json["groups"]["region"] == {"north": None, "south": None}
        page = client.as_analyst("GET", "/page?by=region").body.decode()
        assert "too few reports (5)" in page
        assert is_problem(client.as_analyst("GET", "/estimates?by=x"), 400, "must be by public columns")


def test_what_is_published_by_groups_has_none_of_few_reports(store, grouped):
    with on_a_thread(store, 20, published=True) as client:
        client.upload(numbers(grouped, *((n % 3, n % 2) for n in range(60))))
        assert client.of_plan("GET", "/estimates?by=arm").status == 200
        client.upload(numbers(grouped, (0, 5)), first=100)
        # The number of all without those of the others would be that of the one.
        assert is_problem(client.of_plan("GET", "/estimates?by=arm"), 401, "token")
        assert client.of_plan("GET", "/estimates").status == 200
        assert client.as_analyst("GET", "/estimates?by=arm").status == 200


def test_what_is_published_by_groups_is_worked_out_once(store, grouped, monkeypatch):
    worked_out, work = [], analyst.make_views
    monkeypatch.setattr(analyst, "make_views", lambda *own, **more: worked_out.append(0) or work(*own, **more))
    with on_a_thread(store, 20, published=True) as client:
        client.upload(numbers(grouped, *((n % 3, n % 2) for n in range(60))))
        found = [client.of_plan("GET", "/estimates?by=arm").body for _ in range(5)]
        assert (len(set(found)), len(worked_out)) == (1, 1)
        client.upload(numbers(grouped, (1, 1)), first=100)
        assert client.of_plan("GET", "/estimates?by=arm").body != found[0]
        client.of_plan("GET", "/estimates?by=arm&confidence=0.9")
        assert len(worked_out) == 3
        assert is_problem(client.of_plan("GET", "/estimates?by=arm&confidence=nan"), 400, "confidence")


def test_what_is_published_has_no_cell_of_few_reports(store, grouped):
    with on_a_thread(store, 20, published=True) as client:
        client.upload(numbers(grouped, *((n % 3, n % 2) for n in range(60))))
        told = client.of_plan("GET", "/aggregate").json
        assert [sum(one["counts"]) for one in told["cells"]] == [30, 30]
        client.upload(numbers(grouped, (0, 5)), first=100)
        told = client.of_plan("GET", "/aggregate").json
        assert "cells" not in told
        assert sum(told["counts"]) == 61
        assert aggregate_of(grouped, told, "a file").n == 61
        assert is_problem(client.of_plan("POST", "/aggregate", json.dumps(told).encode()), 401, "token")
        whole = client.as_analyst("GET", "/aggregate").json
        assert sum(sum(one["counts"]) for one in whole["cells"]) == 61
