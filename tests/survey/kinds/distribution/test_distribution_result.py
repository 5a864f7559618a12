"""What people are shown of a number that is told in more bins than anybody can read."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import sordino

PEOPLE = 20_000


def estimated(bins, ranges=(), **against):
    survey = {
        "version": 1,
        "epsilon": "2",
        "attribute": {"age": {"number": {"low": 20, "high": 80, "bins": bins}}},
        "ask": [{"distribution": "age"} | ({"ranges": ranges} if ranges else {})],
    }
    plan = sordino.plan(survey, PEOPLE)
    people = pa.table({"age": np.random.default_rng(2).uniform(20, 80, PEOPLE)})
    (result,) = sordino.estimate(plan, sordino.aggregate(plan, sordino.privatize(plan, people)), **against).results
    return result


def test_parts_of_many_bins_are_their_sums_with_errors_of_their_own():
    result = estimated(20)
    rows, mechanism = list(result.rows()), result.question.mechanism
    ends = [0, 2, 5, 8, 10, 12, 15, 18, 20]
    assert [(part["from"], part["to"]) for part in result.parts] == [
        (20 + 3 * low, 20 + 3 * high) for low, high in pairwise(ends)
    ]
    codes, law = [mechanism.code_values(bin_) for bin_ in np.eye(20)], result.estimate.shares.law
    for part, (low, high) in zip(result.parts, pairwise(ends), strict=True):
        inside = rows[low:high]
        for name in ("estimate", "fitted"):
            assert part[name] == pytest.approx(sum(row[name] for row in inside))
        counted = np.sum(codes[low:high], axis=0)
        plain = np.sqrt((law @ counted**2 - (law @ counted) ** 2) / result.n)
        # What is known of the channel can add to what the reports show, of many reports hardly anything.
        assert plain * (1 - 1e-9) <= part["stderr"] < 1.02 * plain
        assert part["stderr"] < sum(row["stderr"] for row in inside)


@pytest.mark.parametrize("against", [{}, {"forged": 30}, {"watched": True, "simultaneous": True}])
def test_a_range_that_is_a_bin_has_the_row_of_that_bin(against):
    *bins, one, other, everybody, _, _ = estimated(12, [[45, 50], [75, 80], [20, 80]], **against).rows()
    assert one == pytest.approx(bins[5])
    assert other == pytest.approx(bins[11])
    assert everybody["estimate"] == pytest.approx(1)
    assert everybody.get("moved", 0) == pytest.approx(0, abs=1e-9)


def test_parts_count_among_what_holds_together():
    assert estimated(20, simultaneous=True).each == pytest.approx(1 - 0.05 / 30)
    few = estimated(12, simultaneous=True)
    assert few.each == pytest.approx(1 - 0.05 / 14)
    assert few.parts == []
