"""Under a key a number that is corrected within its bin keeps its report, by every engine; in another bin it does not.

Two reports drawn afresh about one bin would be two independent looks at it, though nothing that is asked has changed.
"""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from sordino import KeyedSource, privatize
from sordino.tables.jobs import pieces
from surveys import planned

ROWS = 3000
EDGES = [0, 20, 40, 60, 80, 100]
NUMBER = {"low": 0, "high": 100, "edges": EDGES}
WITHIN = 19.75
"""How far a number is moved within its bin, which begins at an edge."""


def asked(ask, **more):
    return planned({"version": 1, "epsilon": "2", "attribute": {"age": {"number": NUMBER, **more}}, "ask": [ask]})


PLANS = {
    "distribution": asked({"distribution": "age"}),
    "levels": asked({"distribution": "age", "quantiles": [0.5]}),
    "optional": asked({"distribution": "age"}, missing="0.1"),
    "above": asked({"above": "age", "threshold": 60}),
    "beside another": planned(
        {
            "version": 1,
            "epsilon": "2",
            "attribute": {"age": {"number": NUMBER}, "pet": {"categories": ["cat", "dog"]}},
            "ask": [{"distribution": "age"}, {"histogram": "pet"}],
        }
    ),
}
KEY = KeyedSource(bytes(range(32)), "first wave")

every_plan = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)


def people(ages, rows=slice(None)):
    numbers = np.arange(ROWS)
    missing = np.isnan(ages)
    table = {
        "age": pa.array(ages, mask=missing),
        "pet": pa.array(np.where(numbers % 2, "cat", "dog")),
        "who": pa.array(numbers),
    }
    return pa.table({name: column.take(numbers[rows]) for name, column in table.items()})


def ages_at(plan, offset):
    """Ages in all bins, so far above each one's lower edge."""
    ages = np.resize(EDGES[:-1], ROWS).astype(float) + offset
    if plan.questions[0].attributes[0].optional:
        ages[::7] = np.nan
    return ages


def codes_of(reports):
    return np.array([int(code) for code in reports.column("code").to_pylist()], dtype=np.uint64)


def keyed(plan, given, **options):
    return codes_of(privatize(plan, given, KEY, id_column="who", **options))


@every_plan
def test_every_engine_repeats_the_report_of_a_number_in_the_same_bin(plan, tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "LEAST", 1000)
    expected = keyed(plan, people(ages_at(plan, 0.0)))
    corrected = people(ages_at(plan, WITHIN))
    pc.write_csv(corrected, tmp_path / "people.csv")
    pq.write_table(corrected, tmp_path / "people.parquet", row_group_size=500)
    found = {
        "frame": keyed(plan, corrected),
        "csv": keyed(plan, tmp_path / "people.csv"),
        "parquet": keyed(plan, tmp_path / "people.parquet"),
        "two processes": keyed(plan, tmp_path / "people.parquet", jobs=2),
    }
    for name, codes in found.items():
        np.testing.assert_array_equal(codes, expected, err_msg=name)
    single = [keyed(plan, people(ages_at(plan, 5.0), slice(row, row + 1)))[0] for row in range(20)]
    np.testing.assert_array_equal(single, expected[:20])


@every_plan
def test_a_number_in_another_bin_draws_afresh(plan):
    before, rows = ages_at(plan, 0.0), ~np.isnan(ages_at(plan, 0.0))
    after = np.where(before >= 60, before - 60, before + 60) if plan is PLANS["above"] else (before + 20) % 100
    first, second = keyed(plan, people(before)), keyed(plan, people(after))
    if plan is PLANS["beside another"]:
        rows = rows & (first < np.uint64(plan.sampled.offsets[1]))
        np.testing.assert_array_equal(first[~rows], second[~rows])
    np.testing.assert_array_equal(first[np.isnan(before)], second[np.isnan(before)])
    assert np.mean(first[rows] != second[rows]) > 0.1


def test_reports_of_different_bins_still_come_from_different_distributions():
    """Codes of two bins, each drawn for its own people, against the channel's rows."""
    plan = PLANS["distribution"]
    mechanism, ages = plan.questions[0].query.mechanism, ages_at(plan, 3.0)
    codes = keyed(plan, people(ages))
    for place, low in enumerate(EDGES[:-1]):
        own = codes[ages == low + 3.0].astype(int)
        codes_sent = range(mechanism.outputs)
        expected = np.array([mechanism.weight(place, code) / mechanism.denominator for code in codes_sent])
        found = np.bincount(own, minlength=mechanism.outputs)
        assert (np.abs(found - len(own) * expected) < 6 * np.sqrt(len(own) * expected) + 1e-9).all()
