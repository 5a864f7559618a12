"""Numbers through files: scaled by declared ends, refused by row and column, clipped on request, repeated by key."""

import numpy as np
import pytest

from sordino import Plan, SordinoError, Survey
from sordino.tables.release import Release, Released
from sordino.tables.reports import privatize_table, tally_table
from sordino.tables.values import read_values

ENDINGS = (".csv", ".csv.gz", ".parquet")

TABLES = {
    "version": 1,
    "epsilon": "2",
    "attribute": {
        "smoker": {"categories": ["yes", "no"], "delta": "0.5"},
        "age": {"number": {"low": 20, "high": 80, "clip": True}, "column": "years"},
        "height": {"number": {"low": 140, "high": 200}, "delta": "1"},
    },
    "dependence": {"rest": 0.25},
    "ask": [{"histogram": "smoker"}, {"mean": ["height", "age"]}, {"covariance": ["age", "height"]}],
}


@pytest.fixture(scope="module")
def plan():
    return Plan.of(Survey.read(TABLES), 10_000)


def people(**changes):
    columns = {"smoker": ["no", "yes", "no"], "years": [20, 50.5, 80.0], "height": [140.0, 170.0, 185.0]}
    return columns | changes


@pytest.mark.parametrize("ending", ENDINGS)
def test_numbers_are_scaled_by_their_declared_ends(tmp_path, plan, write_rows, ending):
    path = write_rows(tmp_path / f"p{ending}", people())
    ((smoker, means, covariance),) = read_values(plan, path)
    np.testing.assert_array_equal(smoker, [1, 0, 1])
    np.testing.assert_allclose(means, [[-1, -1], [0, 1 / 60], [0.5, 1]], atol=1e-15)
    np.testing.assert_array_equal(covariance, means[:, ::-1])
    assert privatize_table(plan, path, tmp_path / f"r{ending}") == Released(3, {"age": 0})


@pytest.mark.parametrize("ending", ENDINGS)
def test_numbers_beyond_the_ends_are_clipped_where_that_is_asked(tmp_path, plan, write_rows, ending):
    path = write_rows(tmp_path / f"p{ending}", people(years=[-3.0, 1e9, 80.0]))
    ((_, means, _),) = read_values(plan, path)
    np.testing.assert_array_equal(means[:, 1], [-1, 1, 1])
    assert privatize_table(plan, path, tmp_path / f"r{ending}") == Released(3, {"age": 2})


BAD = {
    "beyond an end": ("height", [150.0, 200.0000001, 150.0], "row 2, height: a value must be a number from 140 to 200"),
    "below an end": ("height", [150.0, 150.0, 139.9], "row 3, height: a value must be a number from 140 to 200"),
    "not a number": ("height", [150.0, float("nan"), 150.0], "row 2, height"),
    "infinite": ("height", [float("inf"), 150.0, 150.0], "row 1, height"),
    "infinite, clipped": ("years", [20.0, float("-inf"), 30.0], "row 2, years"),
    "not a number, clipped": ("years", [20.0, 30.0, float("nan")], "row 3, years"),
}


@pytest.mark.each_value
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("bad", BAD)
def test_a_bad_number_is_named_by_row_and_column(tmp_path, plan, write_rows, bad, ending):
    column, values, words = BAD[bad]
    path = write_rows(tmp_path / f"p{ending}", people(**{column: values}))
    with pytest.raises(SordinoError) as raised:
        privatize_table(plan, path, tmp_path / f"r{ending}")
    assert words in str(raised.value)
    # Values stay out of messages: the ends are the survey's own.
    assert not {"200.0000001", "139.9", "inf", "nan"} & set(str(raised.value).replace(",", " ").split())
    assert not (tmp_path / f"r{ending}").exists()


def test_words_and_gaps_are_no_numbers(tmp_path, plan, write_rows):
    path = write_rows(tmp_path / "p.csv", people(height=["150", "tall", "160"]))
    with pytest.raises(
        SordinoError, match="row 2, height: a value must be a number from 140 to 200; found a wrong value"
    ):
        privatize_table(plan, path, tmp_path / "r.csv")
    path = write_rows(tmp_path / "q.csv", people(height=["150", "", "160"]))
    with pytest.raises(
        SordinoError, match="row 2, height: a value must be given; found a missing one in 1 of 3 rows: fill it in"
    ):
        privatize_table(plan, path, tmp_path / "r.csv")


def test_dates_are_no_numbers(tmp_path, plan, write_rows):
    path = write_rows(tmp_path / "p.parquet", people(height=[True, False, True]))
    with pytest.raises(SordinoError, match="must have numbers in height, years; found height of type BOOLEAN"):
        privatize_table(plan, path, tmp_path / "r.parquet")


def test_a_key_repeats_reports_about_numbers(tmp_path, plan, write_rows):
    n = 4000
    ids = list(range(n))
    rng = np.random.default_rng(3)
    columns = {
        "who": ids,
        "smoker": rng.choice(["yes", "no"], n).tolist(),
        "years": rng.uniform(20, 80, n).tolist(),
        "height": rng.uniform(140, 200, n).tolist(),
    }
    path = write_rows(tmp_path / "p.parquet", columns)
    order = rng.permutation(n)
    mixed = write_rows(tmp_path / "m.parquet", {name: [values[i] for i in order] for name, values in columns.items()})
    made = [tmp_path / f"r{i}.parquet" for i in range(2)]
    for table, reports in zip((path, mixed), made, strict=True):
        privatize_table(plan, table, reports, release=Release("who", tmp_path / "key"))
    tallies = [tally_table(plan, [reports]).counts for reports in made]
    np.testing.assert_array_equal(*tallies)
    # The statistic within a question is drawn by other words than the question: all of them come up in each.
    bits = plan.sampled.split(tally_table(plan, [made[0]]))[2]
    drawn, weights = bits.counts.reshape(-1, 2).sum(axis=1), np.array(plan.questions[2].query.weights)
    assert (np.abs(drawn / bits.n - weights / weights.sum()) < 0.06).all()
