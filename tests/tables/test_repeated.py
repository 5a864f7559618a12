"""Reports made with a key are the same again, byte by byte; each id keeps its own in any order of the rows."""

import hashlib
import os
import stat

import numpy as np
import pytest

from sordino import CyclicSubsets, KeyedSource, SordinoError
from sordino.tables import reports
from sordino.tables.release import Release
from sordino.tables.reports import privatize_table

BATCH, ROWS = 2048, 5000
"""Rows that are read at a time here, and more of them."""


@pytest.fixture
def plan(make_plan):
    return make_plan({"categories": 1000}, epsilon="4")


@pytest.fixture
def people(tmp_path, write_rows):
    """Write people with whole numbers as ids; returns a file's name."""

    def write(name, ids, values):
        return write_rows(tmp_path / name, {"who": ids, "value": values})

    return write


@pytest.fixture
def codes_of(tmp_path, read_codes):
    """Privatize a table with the key of this test, and read the reports."""
    runs = []

    def codes(plan, data, ending=".parquet", task="reports", key="key"):
        runs.append(tmp_path / f"r{len(runs)}{ending}")
        privatize_table(plan, data, runs[-1], release=Release("who", tmp_path / key, task))
        return read_codes(runs[-1])[1]

    codes.runs = runs
    return codes


def test_a_second_run_gives_the_same_bytes(plan, people, codes_of, ending):
    data = people(f"people{ending}", list(range(500)), [i % 1000 for i in range(500)])
    codes_of(plan, data, ending)
    codes_of(plan, data, ending)
    first, second = (path.read_bytes() for path in codes_of.runs)
    assert first == second


def test_each_id_keeps_its_report_in_any_order_and_format(plan, people, codes_of, monkeypatch):
    monkeypatch.setattr("sordino.tables.duckdb.ROWS", BATCH)
    rng = np.random.default_rng(1)
    ids, values, order = rng.permutation(10**7)[:ROWS], rng.integers(0, 1000, ROWS), rng.permutation(ROWS)
    codes = codes_of(plan, people("people.csv", ids.tolist(), values.tolist()))
    mixed = people("mixed.parquet", ids[order].tolist(), values[order].tolist())
    np.testing.assert_array_equal(codes_of(plan, mixed, ".csv"), codes[order])
    some = people("some.csv.gz", [str(one) for one in ids[order[:50]].tolist()], values[order[:50]].tolist())
    np.testing.assert_array_equal(codes_of(plan, some), codes[order[:50]])


def test_reports_are_those_of_the_library(tmp_path, plan, people, codes_of):
    ids = [f"person {i}" for i in range(300)]
    codes = codes_of(plan, people("people.csv", ids, [i % 1000 for i in range(300)]), task="wave 2")
    key = bytes.fromhex((tmp_path / "key").read_text().splitlines()[1])
    records = KeyedSource(key, f"{plan.hash} wave 2").for_records(ids)
    np.testing.assert_array_equal(codes, plan.questions[0].query.mechanism.privatize(np.arange(300) % 1000, records))


def test_only_a_corrected_value_draws_afresh(plan, people, codes_of):
    ids, values = list(range(4000)), [7] * 4000
    codes = codes_of(plan, people("people.csv", ids, values))
    corrected = codes_of(plan, people("corrected.csv", ids, [8] * 2000 + values[2000:]))
    np.testing.assert_array_equal(codes[2000:], corrected[2000:])
    assert np.mean(codes[:2000] == corrected[:2000]) < 0.2


def test_another_task_key_or_plan_draws_afresh(plan, people, codes_of, make_plan):
    assert isinstance(plan.questions[0].query.mechanism, CyclicSubsets)
    data = people("people.csv", list(range(4000)), [7] * 4000)
    codes = codes_of(plan, data)
    other = make_plan({"categories": 1000}, epsilon="3.9999")
    assert other.questions[0].query.mechanism.outputs == plan.questions[0].query.mechanism.outputs
    for again in (codes_of(plan, data, task="wave 2"), codes_of(plan, data, key="key 2"), codes_of(other, data)):
        assert np.mean(codes == again) < 0.2


def test_reports_carry_no_ids(plan, people, codes_of, tmp_path):
    data = people("people.csv", [f"Zebra{i}" for i in range(50)], [7] * 50)
    for ending in (".csv", ".parquet"):
        codes_of(plan, data, ending)  # whose columns are plan and code
        assert b"Zebra" not in codes_of.runs[-1].read_bytes()
    digests = [hashlib.sha256(f"Zebra{i}".encode()).digest()[:8] for i in range(50)]
    written = codes_of.runs[-1].read_bytes()
    assert not any(digest in written or digest[::-1] in written for digest in digests)


def test_a_key_is_made_only_for_reports_that_are_written(tmp_path, plan, people, listing):
    data = people("people.csv", [1, 2, 2], [1, 2, 3])
    before = listing()
    with pytest.raises(SordinoError, match="row 3, who"):
        privatize_table(plan, data, tmp_path / "r.csv", release=Release("who", tmp_path / "key"))
    assert listing() == before
    privatize_table(
        plan, people("people.csv", [1, 2, 3], [1, 2, 3]), tmp_path / "r.csv", release=Release("who", tmp_path / "key")
    )
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


def test_a_key_needs_ids(tmp_path, plan, people, listing):
    data = people("people.csv", [1, 2], [1, 2])
    before = listing()
    with pytest.raises(SordinoError, match=r"a key needs the ids of the rows .* name it: `id_column`"):
        privatize_table(plan, data, tmp_path / "r.csv", release=Release(key=tmp_path / "key"))
    assert listing() == before


def test_existing_reports_are_not_replaced_with_a_key_either(tmp_path, plan, people, codes_of):
    data = people("people.csv", [1, 2], [1, 2])
    codes_of(plan, data)
    before = codes_of.runs[0].read_bytes()
    with pytest.raises(SordinoError, match="second release"):
        privatize_table(plan, data, codes_of.runs[0], release=Release("who", tmp_path / "key"))
    assert codes_of.runs[0].read_bytes() == before


def test_a_key_that_others_can_read_makes_no_reports(tmp_path, plan, people, codes_of, listing):
    data = people("people.csv", [1, 2], [1, 2])
    codes_of(plan, data)
    os.chmod(tmp_path / "key", 0o640)  # noqa: PTH101
    before = listing()
    with pytest.raises(SordinoError, match="owner only"):
        privatize_table(plan, data, tmp_path / "new.csv", release=Release("who", tmp_path / "key"))
    assert listing() == before


def test_ids_without_a_key_only_tell_rows_apart(tmp_path, plan, people, read_codes):
    data = people("people.csv", list(range(200)), [5] * 200)
    runs = []
    for name in ("a.csv", "b.csv"):
        privatize_table(plan, data, tmp_path / name, release=Release("who"))
        runs.append(read_codes(tmp_path / name)[1])
    assert (runs[0] != runs[1]).any()


def test_a_table_that_changes_while_its_ids_are_compared_is_refused(plan, people, codes_of, monkeypatch, tmp_path):
    """Those that are equal would be looked for in another file."""
    data, compared = people("people.csv", [1, 2, 3], [4, 4, 4]), reports.IdComparison.finish

    def compare(comparison):
        people("people.csv", [1, 1, 3], [4, 4, 4])
        compared(comparison)

    monkeypatch.setattr(reports.IdComparison, "finish", compare)
    with pytest.raises(SordinoError, match="must not change while it is read"):
        codes_of(plan, data)
    assert not codes_of.runs[-1].exists()
    assert not (tmp_path / "key").exists()
