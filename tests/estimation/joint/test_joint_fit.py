"""One distribution for several tables: where all agree it is found again, and noise alone moves nothing."""

from itertools import combinations

import numpy as np
import pytest

from sordino.errors import SordinoError
from sordino.estimation.joint.joint_fit import NoisyMargin, joint_fit

SHAPE = (3, 2, 4)
PAIRS = list(combinations(range(3), 2))


def population():
    joint = np.random.default_rng(7).dirichlet(np.ones(24) / 2).reshape(SHAPE)
    return {pair: joint.sum(axis=next(i for i in range(3) if i not in pair)).reshape(-1) for pair in PAIRS}


def test_exact_tables_are_found_again():
    tables = population()
    found = joint_fit(SHAPE, [NoisyMargin(pair, table, 1e-8) for pair, table in tables.items()])
    for table, fitted in zip(tables.values(), found, strict=True):
        assert fitted == pytest.approx(table, abs=2e-3)
        assert fitted.min() >= 0


def test_tables_agree_about_what_they_share_and_are_nearer_than_each_by_itself():
    tables, random = population(), np.random.default_rng(5)
    noisy = [
        NoisyMargin(pair, table + 0.05 * random.standard_normal(len(table)), 0.05**2) for pair, table in tables.items()
    ]
    first, second, third = joint_fit(SHAPE, noisy)
    assert first.reshape(3, 2).sum(axis=1) == pytest.approx(second.reshape(3, 4).sum(axis=1))
    assert first.reshape(3, 2).sum(axis=0) == pytest.approx(third.reshape(2, 4).sum(axis=1))
    away = [np.abs(a - b).sum() for a, b in zip((first, second, third), tables.values(), strict=True)]
    alone = [np.abs(margin.shares - b).sum() for margin, b in zip(noisy, tables.values(), strict=True)]
    assert sum(away) < sum(alone)


def test_what_noise_explains_is_independence():
    own = [np.array([0.5, 0.3, 0.2]), np.array([0.6, 0.4]), np.array([0.1, 0.2, 0.3, 0.4])]
    random = np.random.default_rng(1)
    noisy = [
        NoisyMargin(
            (i, j),
            np.outer(own[i], own[j]).reshape(-1) + 0.04 * random.standard_normal(own[i].size * own[j].size),
            0.06**2,
        )
        for i, j in PAIRS
    ]
    for (i, j), fitted in zip(PAIRS, joint_fit(SHAPE, noisy), strict=True):
        table = fitted.reshape(SHAPE[i], SHAPE[j])
        assert table == pytest.approx(np.outer(table.sum(axis=1), table.sum(axis=0)))


def test_products_that_are_too_large_are_refused_in_words():
    with pytest.raises(SordinoError, match="at most 16,777,216 cells"):
        joint_fit((5000, 5000), [NoisyMargin((0, 1), np.zeros(25_000_000), 1.0)])
