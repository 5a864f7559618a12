"""One distribution for several tables: where all agree it is found again, and noise alone moves nothing."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.optimize import nnls

from sordino import SordinoError
from sordino.estimation.joint import joint_fit as fitting
from sordino.estimation.joint.joint_fit import Mixture, NoisyMargin, joint_fit
from sordino.estimation.simplex import project

SHAPE = (3, 2, 4)

PAIRS = list(combinations(range(3), 2))


def population():
    joint = np.random.default_rng(7).dirichlet(np.ones(24) / 2).reshape(SHAPE)
    return {pair: joint.sum(axis=next(i for i in range(3) if i not in pair)).reshape(-1) for pair in PAIRS}


def measured(places, shares, sigma, random=None):
    """A table, with noise of this standard deviation, or known as well without."""
    noise = 0.0 if random is None else sigma * random.standard_normal(len(shares))
    return NoisyMargin(tuple(places), shares + noise, np.full(len(shares), sigma**2))


def noisy(sigma, seed=5):
    random = np.random.default_rng(seed)
    return [measured(pair, table, sigma, random) for pair, table in population().items()]


def test_exact_tables_are_found_again():
    tables = population()
    fit = joint_fit(SHAPE, [measured(pair, table, 1e-4) for pair, table in tables.items()])
    for pair, table in tables.items():
        assert fit.margin(pair) == pytest.approx(table, abs=1e-3)
        assert fit.margin(pair).min() >= 0


def test_tables_agree_about_what_they_share_and_are_nearer_than_each_by_itself():
    tables, margins = population(), noisy(0.05)
    fit = joint_fit(SHAPE, margins)
    first, second, third = (fit.margin(pair) for pair in PAIRS)
    assert first.reshape(3, 2).sum(axis=1) == pytest.approx(second.reshape(3, 4).sum(axis=1))
    assert first.reshape(3, 2).sum(axis=0) == pytest.approx(third.reshape(2, 4).sum(axis=1))
    away = [np.abs(a - b).sum() for a, b in zip((first, second, third), tables.values(), strict=True)]
    alone = [np.abs(project(margin.shares) - b).sum() for margin, b in zip(margins, tables.values(), strict=True)]
    assert sum(away) < sum(alone)


def test_what_noise_explains_is_independence():
    own = [np.array([0.5, 0.3, 0.2]), np.array([0.6, 0.4]), np.array([0.1, 0.2, 0.3, 0.4])]
    random = np.random.default_rng(1)
    tables = [np.outer(own[i], own[j]).reshape(-1) for i, j in PAIRS]
    margins = [
        NoisyMargin(pair, table + 0.04 * random.standard_normal(len(table)), np.full(len(table), 0.06**2))
        for pair, table in zip(PAIRS, tables, strict=True)
    ]
    fit = joint_fit(SHAPE, margins)
    for i, j in PAIRS:
        table = fit.margin((i, j)).reshape(SHAPE[i], SHAPE[j])
        assert table == pytest.approx(np.outer(table.sum(axis=1), table.sum(axis=0)))


def test_a_fit_leaves_noise_where_it_is():
    """Half a unit a cell, less what follows the tables."""
    margins = noisy(0.01)
    fit = joint_fit(SHAPE, margins)
    left = sum(float((((fit.margin(one.places) - one.shares) / 0.01) ** 2).sum()) for one in margins)
    assert 0.3 < left / sum(len(one.shares) for one in margins) < 0.9


def test_each_cell_counts_by_its_own_variance():
    """Two histograms of one attribute, each of which knows another half of its values."""
    truth = np.array([0.1, 0.2, 0.3, 0.4])
    well, badly = 1e-4, 1e-1
    margins = [
        NoisyMargin((0,), np.array([0.1, 0.2, 0.1, 0.6]), np.array([well, well, badly, badly])),
        NoisyMargin((0,), np.array([0.3, 0.0, 0.3, 0.4]), np.array([badly, badly, well, well])),
    ]
    assert joint_fit((4,), margins).margin([0]) == pytest.approx(truth, abs=0.03)


def test_slopes_are_those_of_the_sum():
    """Against finite differences along ways on which all stays a distribution."""
    random, shape = np.random.default_rng(2), (3, 2, 4, 2)
    sets = [(0, 1), (2, 0), (1, 2, 3), (3,)]
    margins = [
        NoisyMargin(at, random.dirichlet(np.ones(k)), random.uniform(0.5, 2, k))
        for at, k in ((at, int(np.prod([shape[i] for i in at]))) for at in sets)
    ]
    fit = fitting._Objective(margins)
    mixture = Mixture(random.dirichlet(np.ones(3)), tuple(random.dirichlet(np.ones(k), 3) for k in shape))
    by_class, within = fit.slopes(mixture, fit.rest(mixture))

    def rise(*ways):
        """Per unit of a way of the weights, then of each attribute's shares."""
        now, h = (mixture.weights, *mixture.within), 1e-6
        ends = [[one + side * h * way for one, way in zip(now, ways, strict=True)] for side in (1, -1)]
        more, less = (fit.of(fit.rest(Mixture(weights, tuple(shares)))) for weights, *shares in ends)
        return (more - less) / (2 * h)

    none = [0.0] * len(shape)
    way = random.standard_normal(3)
    way -= mixture.weights * way.sum()
    assert by_class @ way == pytest.approx(rise(way, *none), rel=1e-5)
    for place, own in enumerate(mixture.within):
        way = random.standard_normal(own.shape)
        way -= own * way.sum(axis=1, keepdims=True)
        told = float((mixture.weights[:, None] * within[place] * way).sum())
        assert told == pytest.approx(rise(0.0, *none[:place], way, *none[place + 1 :]), rel=1e-5)


def test_classes_reach_the_best_that_any_distribution_on_the_product_does():
    """Without a stop, against non-negative least squares on the listed product."""
    margins = noisy(0.05)
    values = np.unravel_index(np.arange(24), SHAPE)
    rows, wanted = [1e4 * np.ones((1, 24))], [np.array([1e4])]
    for one in margins:
        cells = np.ravel_multi_index([values[at] for at in one.places], [SHAPE[at] for at in one.places])
        rows.append((cells == np.arange(len(one.shares))[:, None]) / 0.05)
        wanted.append(one.shares / 0.05)
    _, norm = nnls(np.concatenate(rows), np.concatenate(wanted))
    fit = fitting._Objective(margins)
    fit.noise = 0.0
    found = fitting._descend(fit, fitting._apart(fitting.pooled_margins(SHAPE, margins), 64))
    assert fit.of(fit.rest(found)) == pytest.approx(norm**2 / 2, rel=0.02)


def test_products_that_nobody_could_list_are_fitted():
    """30 attributes of ten values, each like the one before: 10^30 combinations."""
    random, d, k, sigma = np.random.default_rng(3), 30, 10, 0.01
    step = 0.6 * np.eye(k) + 0.4 / k
    table = (step / k).reshape(-1)
    margins = [measured(pair, table, sigma, random) for pair in pairwise(range(d))]
    fit = joint_fit((k,) * d, margins)
    tables = [fit.margin(one.places).reshape(k, k) for one in margins]
    for one, other in pairwise(tables):
        assert one.sum(axis=0) == pytest.approx(other.sum(axis=1), abs=1e-12)
    away = np.mean([np.abs(one.reshape(-1) - table).sum() for one in tables])
    alone = np.mean([np.abs(project(one.shares) - table).sum() for one in margins])
    assert away < 0.8 * alone


def test_tables_that_contradict_each_other_are_left_alone():
    first, second = np.array([0.5, 0.0, 0.0, 0.5]), np.array([0.1, 0.2, 0.3, 0.4])
    assert joint_fit((2, 2), [measured((0, 1), first, 0.01), measured((0, 1), second, 0.01)]) is None


def test_too_many_cells_for_any_classes_are_left_alone():
    cells = np.broadcast_to(0.0, 5000 * 5000)
    assert joint_fit((5000, 5000), [NoisyMargin((0, 1), cells, cells)]) is None


def mixture(classes=5):
    random = np.random.default_rng(4)
    within = tuple(random.dirichlet(np.ones(k), classes) for k in SHAPE)
    return Mixture(random.dirichlet(np.ones(classes)), within)


def listed(mixture):
    """The share of each combination."""
    return np.einsum("c,ci,cj,ck->ijk", mixture.weights, *mixture.within)


def test_margins_are_sums_over_the_listed_product():
    found, joint = mixture(), listed(mixture())
    assert found.margin([1]) == pytest.approx(joint.sum(axis=(0, 2)))
    assert found.margin([2, 0]) == pytest.approx(joint.sum(axis=1).T.reshape(-1))
    assert found.margin([1, 2, 0]) == pytest.approx(joint.transpose(1, 2, 0).reshape(-1))
    assert found.margin([]) == pytest.approx([1])


def test_raked_mixtures_are_the_scaled_product():
    known = {0: np.array([0.2, 0.5, 0.3]), 2: np.array([0.0, 0.1, 0.2, 0.7])}
    joint = listed(mixture())
    for _ in range(200):
        joint *= (known[0] / joint.sum(axis=(1, 2)))[:, None, None]
        joint[..., 1:] *= known[2][1:] / joint.sum(axis=(0, 1))[1:]
        joint[..., 0] = 0
    raked = mixture().rake(known)
    assert listed(raked) == pytest.approx(joint, abs=1e-8)
    assert raked.margin([0]) == pytest.approx(known[0], abs=1e-9)


def test_values_that_nobody_has_cannot_be_raked_to_a_share():
    nobody = Mixture(np.ones(1), (np.array([[1.0, 0.0]]),))
    with pytest.raises(SordinoError, match="must show each value"):
        nobody.rake({0: np.array([0.5, 0.5])})
    apart = Mixture(np.array([0.5, 0.5]), (np.eye(2), np.eye(2)))
    assert apart.rake({0: np.array([1.0, 0.0])}).margin([1]) == pytest.approx([1, 0])
    with pytest.raises(SordinoError, match="none that it reaches"):
        apart.rake({0: np.array([0.4, 0.6]), 1: np.array([0.6, 0.4])})
