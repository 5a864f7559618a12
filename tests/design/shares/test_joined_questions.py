"""Which histograms are asked together: the covers by brute force, and the variances by dense channels."""

from collections import Counter
from itertools import combinations, product
from math import prod, sqrt

import numpy as np
import pytest

from sordino.definition.pairwise import LDP
from sordino.design.accuracy import subtracting_helps
from sordino.design.shares.best_mechanism import best_mechanism
from sordino.design.shares.joined_questions import (
    LEAST_GAIN,
    CellsChannel,
    balanced_tables,
    join_questions,
    margin_variances,
    pair_counts,
)

PEOPLE = 10_000


def channels(epsilon):
    made = {}

    def channel(k):
        if k not in made:
            mechanism = best_mechanism(k, LDP(epsilon), 60)
            made[k] = CellsChannel(mechanism, subtracting_helps(mechanism))
        return made[k]

    return channel


def even(*sizes):
    return [np.full(k, 1 / k) for k in sizes]


def unevenness(tables, d):
    counts = pair_counts(tables)
    return sum(counts[pair] ** 2 for pair in combinations(range(d), 2))


@pytest.mark.parametrize("d", range(2, 12))
def test_each_place_stands_in_equally_many_tables_and_pairs_meet_as_evenly_as_on_any_circle(d):
    for m in range(2, min(d, 8) + 1):
        tables = balanced_tables(d, m)
        assert len(tables) <= d
        assert len(set(tables)) == len(tables)
        assert {len(set(table)) for table in tables} == {m}
        often = Counter(place for table in tables for place in table)
        assert set(often.values()) == {len(tables) * m // d}
        assert set(often) == set(range(d))
        if d % m == 0:
            assert set(often.values()) == {1}
            continue
        circles = [
            [tuple(sorted((place + shift) % d for place in (0, *rest))) for shift in range(d)]
            for rest in combinations(range(1, d), m - 1)
        ]
        # A set that has fewer shifts stands for all of them.
        whole = [table for table in tables for _ in range(d // len(tables))]
        assert unevenness(whole, d) == min(unevenness(circle, d) for circle in circles)


@pytest.mark.parametrize(("d", "m"), [(13, 4), (23, 5), (50, 7), (439, 3), (441, 8)])
def test_many_places_are_balanced_too(d, m):
    tables = balanced_tables(d, m)
    often = Counter(place for table in tables for place in table)
    assert (len(set(often.values())), set(often), len(tables) <= d) == (1, set(range(d)), True)
    assert max(pair_counts(tables).values()) <= 3


@pytest.mark.parametrize(
    ("epsilon", "most", "alone"), [("3", 0.0093, 0.0124), ("4", 0.0074, 0.0116), ("6", 0.0056, 0.0112)]
)
def test_five_questions_need_fewer_people(epsilon, most, alone):
    channel = channels(epsilon)
    found = join_questions(even(*[2] * 5), channel)
    one = float(margin_variances(even(2), channel(2))[0])
    assert sqrt(5 * one / PEOPLE) == pytest.approx(alone, abs=5e-5)
    assert all(sqrt(5 * one / PEOPLE / gain) <= most for gain in found.gains)


@pytest.mark.parametrize(("sizes", "epsilon"), [([2, 2], "3"), ([2, 3, 2], "4"), ([3, 4], "5"), ([2, 2, 2, 2], "4")])
def test_margins_vary_as_the_dense_channel_says(sizes, epsilon):
    """Every code of every cell, its contribution to a margin by least squares of the whole channel."""
    rng = np.random.default_rng(len(sizes))
    shares = [rng.dirichlet(np.full(k, 3.0)) for k in sizes]
    mechanism, subtract = channels(epsilon)(prod(sizes))
    rows = mechanism.probabilities()
    cells = np.array([prod(own) for own in product(*shares)])
    # The best unbiased weights at even cells, where all codes of a symmetric channel are alike.
    law = rows.mean(axis=0)
    left = (rows / law).T @ np.linalg.pinv((rows / law) @ rows.T)
    found = margin_variances(shares, CellsChannel(mechanism, subtract))
    index = list(product(*map(range, sizes)))
    for axis, own in enumerate(shares):
        inside = np.array([[cell[axis] == value for cell in index] for value in range(len(own))], dtype=float)
        weights = left @ inside.T
        assert rows @ weights == pytest.approx(inside.T, abs=1e-9)
        variance = (cells @ rows) @ weights**2 - own**2
        assert found[axis] == pytest.approx(variance.mean(), rel=1e-6)


def test_gains_are_of_the_people_that_each_question_has():
    channel = channels("4")
    sizes = [2, 3, 2, 2, 3]
    found = join_questions(even(*sizes), channel)
    assert all(gain == 1 or gain >= LEAST_GAIN for gain in found.gains)
    joined = [place for place, gain in enumerate(found.gains) if gain > 1]
    for place in joined:
        alone = float(margin_variances(even(sizes[place]), channel(sizes[place]))[0])
        precision = 0.0
        for table in (table for table in found.tables if place in table):
            own = [sizes[one] for one in table]
            precision += 1 / float(margin_variances(even(*own), channel(prod(own)))[table.index(place)])
        assert found.gains[place] == pytest.approx(precision / len(found.tables) * len(joined) * alone)


@pytest.mark.parametrize(
    ("sizes", "epsilon"),
    [
        ([2, 2, 2], "1.3"),
        ([2, 2, 2, 2], "1.4"),
        ([3, 3, 3], "2.5"),
        ([5, 5], "3.7"),
        ([10, 10], "5.2"),
        ([2], "8"),
        ([2, 65], "8"),
        ([1, 1], "4"),
    ],
)
def test_what_gains_nothing_is_asked_one_at_a_time(sizes, epsilon):
    assert join_questions(even(*sizes), channels(epsilon)) is None


def test_nobodys_question_pays_for_anothers():
    """Ten values gain nothing at epsilon 4; beside them yes and no are joined by themselves."""
    found = join_questions(even(10, 2, 2, 10), channels("4"))
    assert found.tables == ((1, 2),)
    assert [gain == 1 for gain in found.gains] == [True, False, False, True]
