"""Which questions are fitted together: none whose cells' errors depend on each other, and where it is nearer."""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino import LDP, KeyedSource, best_mechanism
from sordino.estimation.joint.joint_fit import NoisyMargin, is_nearer, joint_fit
from sordino.estimation.simplex import project
from sordino.papers.simulation import total_variation

K, PEOPLE = 34, 5000


@pytest.fixture(scope="module")
def by_distances():
    """People at three places of either line: the truth, and what their reports say by default and alone."""
    line = {"categories": K, "protect": {"metric": {"per": 1}}}
    asked = [{"table": ["x", "y"]}, {"histogram": "x"}]
    tables = {"version": 1, "epsilon": "1", "attribute": {"x": line, "y": line}, "ask": asked}
    with pytest.warns(sordino.SordinoWarning, match="'0' and '33', which lie furthest apart"):
        plan = sordino.plan(tables, PEOPLE)
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


HEALTH, SMOKERS = np.array([0.13, 0.3, 0.38, 0.16, 0.03]), np.array([0.3, 0.38, 0.45, 0.52, 0.65])
BY_HEALTH = np.stack([HEALTH * SMOKERS, HEALTH * (1 - SMOKERS)], axis=1)
BY_DIABETES = BY_HEALTH.sum(axis=0)[:, None] * np.array([[0.15, 0.85], [0.11, 0.89]])
RARE = (5, 2, 2), {(0, 1): BY_HEALTH, (1, 2): BY_DIABETES}
"""Of three in a hundred people health is poor, and two thirds of them smoke: two tables that share one attribute."""

CLASSES, WITHIN = (np.random.default_rng(2).dirichlet(np.ones(k), size) for k, size in ((3, None), (6, (3, 7))))
PAIRS = (
    (6,) * 7,
    {(i, j): np.einsum("c,ca,cb->ab", CLASSES, WITHIN[:, i], WITHIN[:, j]) for i, j in combinations(range(7), 2)},
)
"""All tables of two of seven attributes, of people in three classes."""


def surveys(population, n, count):
    """Noisy tables of some surveys of people who have these shares, and the shares."""
    (shape, tables), random = population, np.random.default_rng(3)
    truths = [table.ravel() for table in tables.values()]
    channels = [best_mechanism(len(truth), LDP("2")) for truth in truths]
    for _ in range(count):
        margins = []
        for places, truth, channel in zip(tables, truths, channels, strict=True):
            variance = channel.variance(truth) / (n / len(truths))
            noise = np.sqrt(variance) * random.standard_normal(len(truth))
            # As errors of all cells of a table, they add up to 0.
            noise -= variance * noise.sum() / variance.sum()
            margins.append(NoisyMargin(places, truth + noise, variance))
        yield shape, margins, truths


def error(fits, truths):
    return sum(float(((fit - truth) ** 2).sum()) for fit, truth in zip(fits, truths, strict=True))


@pytest.mark.parametrize(
    ("population", "n", "count", "least", "most"), [(RARE, 10_000, 40, 0, 4), (PAIRS, 50_000, 2, 2, 2)]
)
def test_tables_are_fitted_together_where_that_is_expected_to_be_nearer(population, n, count, least, most):
    """Of poor health the joint fit had a fifth too few smokers, and was farther in every cell than each table's own."""
    taken, together, alone = 0, 0.0, 0.0
    for shape, margins, truths in surveys(population, n, count):
        fit = joint_fit(shape, margins)
        taken += is_nearer(shape, margins, fit)
        together += error([fit.margin(margin.places) for margin in margins], truths)
        alone += error([project(margin.shares) for margin in margins], truths)
    assert least <= taken <= most
    assert (together < alone) == (least > 0)


def test_the_same_tables_are_fitted_alike_again():
    ((shape, margins, _),) = surveys(RARE, 3000, 1)
    assert len({is_nearer(shape, margins, joint_fit(shape, margins)) for _ in range(3)}) == 1
