"""Rows that stand for several people: each sends a report of her own, and no order tells whose row it was."""

import numpy as np
import pytest

from sordino import KeyedSource, Plan, SordinoError, Survey, privatize
from sordino.survey.results.result import results
from sordino.tables import weighted_rows as counts
from sordino.tables.release import Release
from sordino.tables.reports import privatize_table, read_codes, tally_table

ENDINGS = (".csv", ".csv.gz", ".parquet")

TABLES = {
    "version": 1,
    "epsilon": "3",
    "attribute": {
        "smoker": {"categories": ["yes", "no", "quit"], "delta": "3"},
        "age": {"number": {"low": 20, "high": 80}, "missing": "0.1"},
    },
    "ask": [{"histogram": "smoker"}, {"mean": ["age"]}],
}


@pytest.fixture(scope="module")
def plan():
    return Plan.of(Survey.read(TABLES), 10_000)


def rows(**changes):
    columns = {"smoker": ["no", "yes", "quit", "no"], "age": [20.0, None, 80.0, 50.0], "people": [7000, 2000, 0, 1000]}
    return columns | changes


@pytest.mark.parametrize("ending", ENDINGS)
def test_each_person_of_a_row_sends_a_report_of_her_own(tmp_path, plan, write_rows, ending):
    path, reports = write_rows(tmp_path / f"p{ending}", rows()), tmp_path / f"r{ending}"
    assert privatize_table(plan, path, reports, release=Release(count_column="people")).n == 10_000
    shares, mean = results(plan, tally_table(plan, [reports]))
    assert shares.n + mean.n == 10_000
    for place, truth in enumerate((0.2, 0.8, 0.0)):
        assert abs(shares.estimate.value[place] - truth) < 6 * shares.estimate.stderr[place]
    truths = {"age": (7 * 20 + 50) / 8, "age missing": 0.2}
    for row in mean.rows():
        assert abs(row["estimate"] - truths[row["value"]]) < 6 * row["stderr"]


def test_reports_are_in_the_order_of_their_codes_and_pieces_are_bounded(monkeypatch, plan, tmp_path, write_rows):
    monkeypatch.setattr(counts, "PIECE", 100)
    path, seen = write_rows(tmp_path / "p.csv", rows()), []
    privatize_table(plan, path, tmp_path / "r.csv", seen.append, release=Release(count_column="people"))
    codes = np.concatenate(list(read_codes(plan, tmp_path / "r.csv")))
    assert max(seen) <= 100
    assert sum(seen) == len(codes) == 10_000
    assert (np.diff(codes.astype(np.int64)) >= 0).all()


def test_people_are_made_in_the_order_of_the_rows(monkeypatch):
    monkeypatch.setattr(counts, "PIECE", 4)
    made = [pieces for (pieces,) in counts.each_person([np.arange(5)], np.array([0, 6, 1, 0, 3]))]
    assert [len(piece) for piece in made] == [4, 4, 2]
    np.testing.assert_array_equal(np.concatenate(made), [1] * 6 + [2] + [4] * 3)


BAD = {
    "negative": ([1, -2, -3, 1], "row 2, people: .* found a wrong value in 2 of 4 rows \\(negative\\)"),
    "fractions": ([1, 2, 2.5, 1], "row 3, people: .*1 of 4 rows \\(numbers with a fraction"),
    "missing": ([None, 1, None, 1.5], "row 1, people: .*a missing one in 2 of 4 rows; a wrong value in 1 of 4"),
    "too large": ([1, 2, 10**10, 1], "row 3, people: .*beyond 1,000,000,000"),
    "nobody": ([0, 0, 0, 0], "must hold people; found 0 in each row of people"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_counts_that_are_none_are_refused(tmp_path, plan, write_rows, ending, name):
    people, found = BAD[name]
    path = write_rows(tmp_path / f"p{ending}", rows(people=people))
    with pytest.raises(SordinoError, match=found):
        privatize_table(plan, path, tmp_path / f"r{ending}", release=Release(count_column="people"))
    assert not (tmp_path / f"r{ending}").exists()


def test_values_of_rows_that_stand_for_nobody_are_looked_at_too(tmp_path, plan, write_rows):
    path = write_rows(tmp_path / "p.csv", rows(smoker=["no", "yes", "sometimes", "no"]))
    with pytest.raises(SordinoError, match="row 3, smoker"):
        privatize_table(plan, path, tmp_path / "r.csv", release=Release(count_column="people"))


def test_a_column_that_is_none_and_what_does_not_go_with_it_are_refused(tmp_path, plan, write_rows):
    path = write_rows(tmp_path / "p.parquet", rows())
    with pytest.raises(SordinoError, match="nobody_has_it"):
        privatize(plan, path, count_column="nobody_has_it")
    for more, found in (
        ({"id_column": "age"}, "people who share a row have no ids"),
        ({"source": KeyedSource(bytes(32), "task"), "id_column": "age"}, "found a key"),
        ({"jobs": 2}, "rows with counts are read by one job"),
        ({"engine": "spark"}, "counts of people are DuckDB"),
    ):
        with pytest.raises(SordinoError, match=found):
            privatize(plan, path, **more, count_column="people")
