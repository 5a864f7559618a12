"""A category with a number's sign: how far its laws differ is what the best event tells, of all events, one by one."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sordino import Dependence, SordinoError


def laws(draw, k):
    """Of (category, number) given two values of an attribute: joint laws of k categories and five numbers."""
    numbers = np.array([-1, -0.4, 0, 0.7, 1])
    return numbers, draw.dirichlet(np.full(5 * k, draw.choice([0.1, 1.0])), size=2).reshape(2, k, 5)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_event_tells_more_and_one_tells_as_much(k):
    draw = np.random.default_rng(k)
    for _ in range(40):
        numbers, joint = laws(draw, k)
        p, m = joint.sum(axis=2), joint @ numbers
        stated = np.maximum(abs(p[0] - p[1]), abs(m[0] - m[1])).sum() / 2
        # Pr(read in the event), of records of each category and number, by the definition of the sign.
        apart = []
        for event in product([0, 1], repeat=2 * k):
            read = np.array(event).reshape(k, 2)
            chance = read[:, :1] * (1 - numbers) / 2 + read[:, 1:] * (1 + numbers) / 2
            apart.append(((joint[0] - joint[1]) * chance).sum())
        assert stated == pytest.approx(max(apart), abs=1e-12)


def test_a_bound_is_about_two_others_and_the_rest_bounds_it_too():
    tenth = Fraction(1, 10)
    known = Dependence(Dependence.bounded([0.5, 1, 1]).rest, category_signs={(0, (2, 1)): tenth})
    assert [float(known.of_category_sign(i, (2, 1))) for i in range(3)] == [0.1, 1, 1]
    # The other way round it is another reading: of the sign of what is no number.
    assert known.of_category_sign(0, (1, 2)) == known.of_table(0, (1, 2)) == known.of(0, (1, 2)) == known.rest[0]
    rest = (Fraction(1),) * 3
    for key in [(0, (0, 1)), (1, (0, 1))]:
        with pytest.raises(SordinoError, match="reveals both"):
            Dependence(rest, category_signs={key: tenth})
    for pair in [(1, 1), (1,), (0, 1, 2)]:
        with pytest.raises(SordinoError, match="two attributes"):
            Dependence(rest, category_signs={(2, pair): tenth})
    for key in [(3, (0, 1)), (0, (1, 3))]:
        with pytest.raises(SordinoError, match="about 3 attributes"):
            Dependence(rest, category_signs={key: tenth})


@pytest.mark.parametrize("k", [2, 3])
def test_a_prior_gives_what_the_best_event_tells(k):
    """Of four attributes in any order, one of them asked about nothing."""
    draw, numbers = np.random.default_rng(k), [Fraction(-1), Fraction(-2, 5), Fraction(1, 2)]
    for _ in range(6):
        order = draw.permutation(4)
        given, category, number = (int(order.tolist().index(axis)) for axis in range(3))
        shape = tuple(np.array([3, k, 3, 2])[order].tolist())
        prior = draw.choice([1, 2, 5, 30], size=shape).astype(object)
        prior = prior * Fraction(1, int(prior.sum()))
        values = [numbers if place == number else None for place in range(4)]
        known = Dependence.from_prior(prior, [(number,)], values, [(category, number)])
        read = [[[Fraction(0)] * 2 for _ in range(k)] for _ in range(3)]
        for cell, p in np.ndenumerate(prior):
            for sign in (0, 1):
                read[cell[given]][cell[category]][sign] += p * (1 + (2 * sign - 1) * numbers[cell[number]]) / 2
        laws = [[chance / sum(map(sum, own)) for both in own for chance in both] for own in read]
        best = max(
            sum(first - second for first, second, inside in zip(*both, event, strict=True) if inside)
            for both in product(laws, repeat=2)
            for event in product([0, 1], repeat=2 * k)
        )
        assert known.of_category_sign(given, (category, number)) == best <= known.of_rest(given)
        assert known.of_category_sign(category, (category, number)) == 1
        assert known.category_signs.keys() == {(i, (category, number)) for i in range(4)}


def test_a_prior_has_signs_of_numbers_with_categories_alone():
    prior, values = np.full((2, 2, 2), Fraction(1, 8), dtype=object), [None, None, [-1, 1]]
    for pair, words in [((2, 1), "a sign must be of a number"), ((0, 1), "a sign must be"), ((1, 1), "two attributes")]:
        with pytest.raises(SordinoError, match=words):
            Dependence.from_prior(prior, [(0,)], values, [pair])
