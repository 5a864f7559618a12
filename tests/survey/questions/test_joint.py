"""Which questions are fitted together: none whose cells' errors depend on each other."""

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino import KeyedSource
from sordino.papers.simulation import total_variation

K, PEOPLE = 34, 5000


@pytest.fixture(scope="module")
def by_distances():
    """People at three places of either line: the truth, and what their reports say by default and alone."""
    line = {"categories": K, "protect": {"metric": {"per": 1}}}
    asked = [{"table": ["x", "y"]}, {"histogram": "x"}]
    plan = sordino.plan({"version": 1, "epsilon": "1", "attribute": {"x": line, "y": line}, "ask": asked}, PEOPLE)
    generator = np.random.default_rng(1)
    x = generator.choice([2, 3, 17], PEOPLE, p=[0.5, 0.2, 0.3])
    y = np.clip(x + generator.integers(-1, 2, PEOPLE), 0, K - 1)
    people = pa.table({"x": x, "y": y, "id": np.arange(PEOPLE)})
    counted = sordino.aggregate(plan, sordino.privatize(plan, people, KeyedSource(bytes(32), "joint"), id_column="id"))
    truth = np.bincount(x * K + y, minlength=K * K) / PEOPLE
    return truth, *(sordino.estimate(plan, counted, method=method).results[0] for method in (None, "simplex"))


def test_a_table_by_distances_is_not_fitted_jointly_which_was_farther_from_the_truth(by_distances):
    truth, found, alone = by_distances
    assert total_variation(found.fitted, truth) <= 1.02 * total_variation(alone.fitted, truth)
    assert found.estimate.method == "simplex"
