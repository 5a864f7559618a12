"""What is drawn for a regression on categories: levels, channels, and how often each query is drawn."""

from itertools import product

import numpy as np
import pytest

from sordino import LDP, Dependence, Nats, Number, Product, Query, RandomizedResponse, Sampled, best_mechanism
from sordino.design.numbers.numbers_accuracy import unknown_people
from sordino.design.numbers.sampled_regression import counting_mechanism, least_error_shares, sampled_regression
from sordino.domain.scaled import Indicator
from sordino.query.categorical import BinaryProduct, CategoryAndSign, TwoCategories


def asked_of(deltas, dependence, categories):
    amounts = [Nats.of(delta) for delta in deltas]
    return sampled_regression(amounts, max(amounts), dependence, 3, [0, 1, 2], categories)


def levels(asked):
    return {q.statistic.parameters: np.log(float(max_ratio(q.mechanism))) for q in asked.queries}


def max_ratio(mechanism):
    rows = mechanism.probabilities()
    return (rows.max(axis=0) / rows.min(axis=0)).max()


def test_every_product_is_told_and_the_pairs_tell_the_rest():
    asked = asked_of(["2"] * 4, Dependence.unknown(4), {1: 3, 2: 4})
    assert {query.statistic for query in asked.queries} == {
        Product(0, 0),
        Product(0, 3),
        CategoryAndSign(1, 3, 0),
        CategoryAndSign(1, 3, 3),
        CategoryAndSign(2, 4, 0),
        CategoryAndSign(2, 4, 3),
        TwoCategories(1, 3, 2, 4),
    }


def test_a_category_of_two_is_asked_by_one_bit_where_that_is_worth_it():
    drawn = {}
    for level in ("1/4", "6"):
        asked = asked_of([level] * 4, Dependence.unknown(4), {1: 2, 2: 2})
        drawn[level] = {query.statistic for query in asked.queries}
        told = {name for statistic in drawn[level] for name, _ in statistic.counted_moments}
        inside = [Indicator(place, 1) for place in (1, 2)]
        assert told >= {(0,), (3,), (0, 3), *((0, one) for one in inside), *((3, one) for one in inside), (*inside,)}
        assert told >= {(one,) for one in inside}
    assert {BinaryProduct(1, 3, 1), BinaryProduct(2, 3, 1)} <= drawn["1/4"]
    assert not any(isinstance(statistic, BinaryProduct) for statistic in drawn["6"])


def test_each_statistic_keeps_its_own_deltas_and_what_is_asked_together_has_a_bound_of_its_own():
    """Nothing tells of attributes 0 to 3; of 4 all but the categories 1 and 2 together, and 2 with the sign of 3."""
    amounts = ["1/2", "1", "3/2", "2", "5/4"]
    none = Dependence.bounded([0]).rest[0]
    parts = {(4, (2,)): none, (4, (3,)): none, (4, (2, 3)): none}
    known = Dependence(Dependence.bounded([0, 0, 0, 0, 1]).rest, parts, {(4, (1, 2)): none}, {}, {(4, (2, 3)): none})
    found = levels(sampled_regression([Nats.of(a) for a in amounts], Nats.of("2"), known, 3, [0, 1, 2], {1: 3, 2: 4}))
    assert found == pytest.approx(
        {
            "product 0 0": 0.5,
            "product 0 3": 0.5,
            "category-sign 1 3 0": 0.5,
            "category-sign 1 3 3": 1,
            "category-sign 2 4 0": 0.5,
            "category-sign 2 4 3": 1.5,
            "two-categories 1 3 2 4": 1,
        },
        rel=1e-9,
    )


@pytest.mark.parametrize(("k", "level"), list(product([4, 8, 12], ["1/2", "1", "2", "4"])))
def test_channels_are_near_the_best_ones_and_count_codes(k, level):
    found = counting_mechanism(k, Nats.of(level))
    assert found.counts_codes
    assert found.total_variance <= 1.12 * best_mechanism(k, LDP(level)).total_variance


def test_weights_make_the_least_error():
    """No other weights near them make a smaller sum of variances, each 1 / sum of p / M, M by the dense channel."""
    queries = (
        Query(CategoryAndSign(1, 3, 0), RandomizedResponse(6, "1")),
        Query(CategoryAndSign(1, 3, 2), RandomizedResponse(6, "2")),
        Query(Product(0, 2), RandomizedResponse(2, "1")),
        Query(Number(0), RandomizedResponse(2, "2")),
    )
    importance = {(0,): 2.0, (2,): 1.0, (0, 2): 3.0, queries[0].statistic.counted_moments[0][0]: 5.0}
    squares = []
    for query in queries:
        rows = query.mechanism.probabilities()
        told = {}
        for name, grid in query.statistic.counted_moments:
            code = np.linalg.solve(rows, grid)
            told[name] = (rows @ code**2).max()
        squares.append(told)

    def error(shares):
        precision = {m: sum(p / own[m] for p, own in zip(shares, squares, strict=True) if m in own) for m in importance}
        return sum(weight / precision[m] for m, weight in importance.items())

    weights = np.array(least_error_shares(Sampled(queries, (1,) * 4), importance), dtype=float)
    best = error(weights / weights.sum())
    draw = np.random.default_rng(0)
    for size in (0.01, 0.1, 0.5):
        for _ in range(200):
            other = weights * np.exp(size * draw.standard_normal(4))
            assert error(other / other.sum()) > best * (1 - 1e-3)
    assert error(np.full(4, 1 / 4)) > 1.02 * best


def test_unknown_people_go_with_nothing():
    records = unknown_people(4, {1: np.array([0.25, 0.75]), 2: np.full(3, 1 / 3)})
    first, second = (np.rint(records[:, place] * 2**20).astype(int) for place in (1, 2))
    assert np.bincount(first) / len(first) == pytest.approx([0.25, 0.75], abs=1e-3)
    assert np.abs(np.corrcoef(np.column_stack([first == 1, second == 1, records[:, 0]]).T) - np.eye(3)).max() < 0.05
