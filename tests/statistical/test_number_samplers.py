"""Samplers of queries about numbers against their law by chi-square, with a power check; estimates against errors."""

import numpy as np
import pytest
from scipy import stats

from enumerated import laws_of, numbers_of, table
from sordino import (
    BitFlips,
    Number,
    Product,
    Query,
    RandomizedResponse,
    Sampled,
    Signs,
    WindowResponse,
)
from sordino.design.numbers.best_table import best_table
from sordino.design.numbers.sampled_levels import best_window
from sordino.estimation.moment_estimator import MomentEstimator

pytestmark = pytest.mark.statistical

REPORTS = 400_000
NEVER = 1e-9
"""A right sampler fails once in a thousand million runs."""


def bit(epsilon):
    return RandomizedResponse(2, epsilon)


def flips(epsilon):
    odds = np.exp(float(epsilon))
    return BitFlips(table(*(round(2**40 * weight) for weight in (odds, odds**0.6, odds**0.3, 1))))


BUILD = {
    "one bit": lambda e: Query(Number(0), bit(e)),
    "sampled": lambda e: Sampled(tuple(Query(Number(j), bit(e)) for j in range(3)), (1, 5, 2)),
    "moments": lambda e: Sampled(
        (Query(Number(0), bit(e)), Query(Product(0, 1), bit("1")), Query(Product(1, 1), bit(e))), (1, 1, 1)
    ),
    "levels": lambda e: Query(Number(1, 5), WindowResponse(5, e, 2)),
    "signs": lambda e: Query(Signs((1, 0)), flips(e)),
    "sampled signs": lambda e: Sampled(
        (Query(Signs((1, 3)), flips(e)), Query(Signs((0, 1)), flips(e)), Query(Number(2), bit(e))), (2, 1, 1)
    ),
    "everything": lambda e: Sampled(
        (
            Query(Signs((1, 3)), flips(e)),
            Query(Number(2), bit(e)),
            Query(Number(1, 5), WindowResponse(5, e, 2)),
            Query(Number(0, 5), WindowResponse(5, e, 2)),
            Query(Product(0, 1), bit("2")),
        ),
        (2, 1, 3, 1, 1),
    ),
}
EPSILONS = [("0.5", "0.65", "0.35"), ("1", "1.3", "0.7"), ("4", "5.2", "2.8")]


def record_of(asked):
    return np.array([0.9, -0.6, 1.0, -1.0])[: numbers_of(asked)]


def law_of(asked):
    return np.array([float(share) for share in laws_of(asked, record_of(asked).tolist())])


def p_value(codes, law):
    counts = np.bincount(codes.astype(np.int64), minlength=len(law))
    expected = len(codes) * law
    return stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), len(law) - 1)


@pytest.mark.parametrize(("epsilon", "more", "less"), EPSILONS)
@pytest.mark.parametrize("name", BUILD)
def test_a_sampler_follows_its_law_and_a_30_percent_wrong_one_does_not(name, epsilon, more, less):
    build = BUILD[name]
    records = np.tile(record_of(build(epsilon)), (REPORTS, 1))
    law = law_of(build(epsilon))
    assert p_value(build(epsilon).privatize(records), law) > NEVER
    for wrong in (more, less):
        assert p_value(build(wrong).privatize(records), law) < NEVER


def test_signs_that_are_read_together_are_independent():
    signs = Query(Signs((0, 1)), flips("1"))
    records = np.tile([0.5, -0.25], (REPORTS, 1))
    law = np.array([float(share) for share in laws_of(signs, [0.5, -0.25])])
    codes = signs.privatize(records)
    assert p_value(codes, law) > NEVER
    # A second sign that went on with the words of the first would be found.
    words = np.random.default_rng(2).random(REPORTS)
    read = (words < 0.75).astype(int) + 2 * (words < 0.375)
    drawn = np.random.default_rng(3).choice(4, REPORTS, p=np.array(signs.mechanism.table, dtype=float) / 2**64)
    assert p_value(read ^ drawn, law) < NEVER


ASKED = {
    "one bit": Query(Number(0), bit("1")),
    "moments": Sampled(
        (Query(Number(0), bit("1")), Query(Product(0, 1), bit("2")), Query(Product(1, 1), bit("4"))), (2, 1, 1)
    ),
    "signs": Query(Signs((0, 1)), flips("2")),
    "drawn signs": Sampled(tuple(Query(Signs((j, (j + 1) % 5)), flips("3")) for j in range(5)), (1, 1, 1, 1, 1)),
    "levels": Query(Number(0, best_window("3").k), best_window("3")),
    "table": Query(Number(0, best_table("2").k), best_table("2")),
    "two about one": Sampled(
        (Query(Number(0), bit("2")), Query(Number(0, 5), WindowResponse(5, "3")), Query(Number(1), bit("2"))), (1, 1, 1)
    ),
    "everything": Sampled(
        (
            Query(Signs((0, 2)), flips("2")),
            Query(Number(0), bit("2")),
            Query(Number(1, 3), WindowResponse(3, "2")),
            Query(Signs((2, 1)), flips("2")),
        ),
        (2, 1, 2, 1),
    ),
}


@pytest.mark.parametrize("name", ASKED)
def test_estimates_vary_as_their_covariance_says(name):
    """2,000 surveys of 600 people drawn at random, with dependent numbers whose means are far from 0."""
    asked, surveys, people = ASKED[name], 2000, 600
    estimator, d = MomentEstimator.of(asked), numbers_of(asked)
    rng = np.random.default_rng(11)
    means, told = [], []
    for _ in range(surveys):
        records = np.sign(rng.uniform(-0.4, 1, (people, d)))
        records[:, -1] = np.where(rng.random(people) < 0.7, records[:, 0], records[:, -1])
        tally = asked.tally(asked.privatize(0.9 * records))
        means.append(estimator.means(tally))
        told.append(estimator.covariance(tally))
    seen, expected = np.cov(np.array(means).T).reshape(estimator.moments.m, -1), np.mean(told, axis=0)
    scale = np.sqrt(np.outer(np.diag(seen), np.diag(seen)))
    assert (np.abs(np.diag(seen) / np.diag(expected) - 1) < 6 * np.sqrt(2 / surveys)).all()
    assert (np.abs(seen - expected) / scale < 6 / np.sqrt(surveys)).all()
    truth = estimator.moments.values(0.9 * np.sign(rng.uniform(-0.4, 1, (10**6, d))))[:, 0].mean()
    assert abs(np.mean(means, axis=0)[0] - truth) < 6 * np.sqrt(seen[0, 0] / surveys) + 6e-3
    assert (np.diag(seen) < estimator.noise() / people * 1.2).all()
