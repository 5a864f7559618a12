"""Over many simulated surveys: tables that are fitted together are nearer to the truth than each by itself."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from sordino import LDP, best_mechanism
from sordino.estimation.joint.joint_fit import NoisyMargin, joint_fit
from sordino.estimation.simplex import project

pytestmark = pytest.mark.statistical

D, K = 12, 6


def classes(random):
    """The tables of all pairs, of people in five classes."""
    weights, within = random.dirichlet(np.ones(5)), random.dirichlet(np.full(K, 0.7), (5, D))
    return {(i, j): np.einsum("c,ca,cb->ab", weights, within[:, i], within[:, j]) for i, j in combinations(range(D), 2)}


def chain(random):
    """The tables of neighbours, each attribute depending on the one before."""
    own, tables = random.dirichlet(np.ones(K)), {}
    for pair in pairwise(range(D)):
        tables[pair] = own[:, None] * random.dirichlet(np.full(K, 0.5), K)
        own = tables[pair].sum(axis=0)
    return tables


def independent(random):
    """The tables of all pairs, none of which tells anything."""
    own = random.dirichlet(np.ones(K), D)
    return {(i, j): np.outer(own[i], own[j]) for i, j in combinations(range(D), 2)}


@pytest.mark.parametrize(
    ("population", "factor"),
    [(classes, 0.5), (chain, 1.0), (independent, 0.3)],
    ids=["classes", "chain", "independent"],
)
@pytest.mark.parametrize("epsilon", ["1", "4"])
def test_fits_are_nearer_than_each_table_by_itself(population, factor, epsilon):
    random, together, alone = np.random.default_rng(1), [], []
    for _ in range(6):
        tables = {pair: table.reshape(-1) for pair, table in population(random).items()}
        margins = []
        for pair, table in tables.items():
            variance = best_mechanism(K * K, LDP(epsilon)).variance(table) / 4000
            margins.append(NoisyMargin(pair, table + np.sqrt(variance) * random.standard_normal(K * K), variance))
        fit = joint_fit((K,) * D, margins)
        assert fit is not None
        together += [np.abs(fit.margin(pair) - table).sum() for pair, table in tables.items()]
        alone += [np.abs(project(one.shares) - tables[one.places]).sum() for one in margins]
    assert np.mean(together) < factor * np.mean(alone)
