"""Bounds on dependence: from a prior, against events and channels listed one by one; and declared ones, checked."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from in_one import in_one
from sordino import Dependence, SordinoError
from sordino.definition.rest import Rest
from sordino.definition.sampling import dependent_loss

XOR = np.zeros((2, 2, 2), dtype=object)
for second, third in itertools.product((0, 1), repeat=2):
    XOR[second ^ third, second, third] = Fraction(1, 4)


def some_prior(shape, seed):
    rng = random.Random(seed)
    weights = {cell: rng.choice([0, 1, 2, 5, 30]) for cell in itertools.product(*map(range, shape))}
    for place, k in enumerate(shape):
        for value in range(k):
            weights[tuple(value if j == place else 0 for j in range(len(shape)))] += 1
    total = sum(weights.values())
    return {cell: Fraction(weight, total) for cell, weight in weights.items()}


def as_array(prior, shape):
    array = np.zeros(shape, dtype=object)
    for cell, probability in prior.items():
        array[cell] = probability
    return array


def conditional_law(prior, i, a, of):
    """The law of a function of the record given x_i = a."""
    law, total = {}, sum(p for cell, p in prior.items() if cell[i] == a)
    for cell, p in prior.items():
        if cell[i] == a:
            law[of(cell)] = law.get(of(cell), 0) + p / total
    return law


def best_event(prior, shape, i, of):
    """The largest difference that any event makes between two values of x_i."""
    laws = [conditional_law(prior, i, a, of) for a in range(shape[i])]
    outcomes = sorted({outcome for law in laws for outcome in law})
    events = itertools.chain.from_iterable(itertools.combinations(outcomes, r) for r in range(len(outcomes) + 1))
    return max(
        sum(first.get(o, 0) - second.get(o, 0) for o in event) for event in events for first in laws for second in laws
    )


@pytest.mark.each_value
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [(2, 2, 2), (2, 3, 2), (3, 2), (4, 1, 2)])
def test_a_prior_gives_what_the_best_event_tells(shape, seed):
    prior, places = some_prior(shape, seed), range(len(shape))
    statistics = [(j,) for j in places]
    found = Dependence.from_prior(as_array(prior, shape), statistics)
    for i in places:
        others = [j for j in places if j != i]
        assert found.of_rest(i) == best_event(prior, shape, i, lambda cell, o=others: tuple(cell[j] for j in o))
        for statistic in statistics:
            if i in statistic:
                assert found.of(i, statistic) == 1
            else:
                assert found.of(i, statistic) == best_event(
                    prior, shape, i, lambda cell, s=statistic: tuple(cell[j] for j in s)
                )


VALUES = {1: [Fraction(1, 3)], 2: [Fraction(-1), Fraction(1, 2)], 3: [Fraction(-1, 2), Fraction(0), Fraction(1)]}


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [(2, 3, 2), (3, 2), (3, 1, 2)])
def test_a_bit_about_a_number_tells_no_more_than_half_the_gap(shape, seed, epsilon):
    prior, places = some_prior(shape, seed), range(len(shape))
    values = [VALUES[k] for k in shape]
    statistics = [(j,) for j in places] + [(j, k) for j in places for k in places if j <= k]
    found = Dependence.from_prior(as_array(prior, shape), statistics, values)

    def number(cell, statistic):
        x, y = values[statistic[0]][cell[statistic[0]]], values[statistic[-1]][cell[statistic[-1]]]
        return x if len(statistic) == 1 else 2 * x * x - 1 if statistic[0] == statistic[1] else x * y

    for i, statistic in itertools.product(places, statistics):
        laws = [conditional_law(prior, i, a, lambda cell, s=statistic: number(cell, s)) for a in range(shape[i])]
        means = [sum(value * p for value, p in law.items()) for law in laws]
        alone = set(statistic) == {i}
        assert found.of(i, statistic) == (1 if alone else max(a - b for a in means for b in means) / 2)
        # The bit is 1 with probability 1/2 + tanh(epsilon/2) s / 2.
        bits = [[0.5 + sign * math.tanh(epsilon / 2) * float(mean) / 2 for mean in means] for sign in (-1, 1)]
        loss = max(math.log(max(bit) / min(bit)) for bit in bits)
        assert loss <= math.log1p(float(found.of(i, statistic)) * math.expm1(epsilon)) + 1e-12


def test_pairs_that_are_independent_may_tell_all_together():
    found = Dependence.from_prior(XOR, [(1,), (2,), (0, 1), (1, 2)], [[-1, 1]] * 3)
    assert [found.of(0, s) for s in ((1,), (2,), (0, 1))] == [0, 0, 0]
    assert found.of(0, (1, 2)) == found.of_rest(0) == 1


@pytest.mark.parametrize("values", [None, [None, [-1, 1], None], [[-1, 1], None, [-1, 1]], [[-1, 1], [-1, 1], None]])
def test_categories_have_no_products(values):
    with pytest.raises(SordinoError, match="only numbers have products"):
        Dependence.from_prior(XOR, [(1, 2)], values)


@pytest.mark.parametrize("q", ["0", "1/10", "3/5", "1"])
def test_the_prior_of_the_papers_experiment_has_its_q(q):
    d, q = 8, Fraction(q)
    prior = np.full((2,) * d, (1 - q) / 2**d, dtype=object)
    prior[(0,) * d] += q / 2
    prior[(1,) * d] += q / 2
    found = Dependence.from_prior(prior, [(j,) for j in range(d)])
    assert found.rest == (q,) * d
    assert {bound for (i, statistic), bound in found.statistics.items() if i not in statistic} == {q}


def test_decimals_are_read_as_they_are_written():
    assert Dependence.from_prior([[0.1, 0.4], [0.4, 0.1]], [(0,)]).of_rest(0) == Fraction(3, 5)
    third = 1 / 3
    assert float(Dependence.from_prior([[third, 0], [third, third]], [(0,)]).of_rest(1)) == pytest.approx(0.5)


@in_one(
    ("prior", "values", "words"),
    [
        ([[0.5, 0.2], [0.1, 0.1]], None, "sum to 1"),
        ([[0.5, 0.5], [0, 0]], None, "value 1 of attribute 0"),
        ([[0.5, 0], [0.5, 0]], None, "value 1 of attribute 1"),
        ([[1.5, -0.5], [0, 0]], None, "a negative one"),
        ([[0.5, math.nan], [0.5, 0]], None, "array of probabilities"),
        ([[0.5, 0.5], [0.5]], None, "array of probabilities"),
        ([[0.5, "many"], [0.5, 0]], None, "array of probabilities"),
        (1, None, "no axis"),
        ([], None, "none"),
        ([[0.25, 0.25], [0.25, 0.25]], [[0, 1]], "about each attribute"),
        ([[0.25, 0.25], [0.25, 0.25]], [[0, 1], [0, 2]], "attribute 1 must be 2 numbers in [-1, 1]"),
        ([[0.25, 0.25], [0.25, 0.25]], [[0, 1], [1, 1]], "ascending"),
        ([[0.25, 0.25], [0.25, 0.25]], [[0, 1], [0, math.nan]], "numbers"),
    ],
)
def test_what_is_no_prior_is_refused(prior, values, words):
    with pytest.raises(SordinoError) as error:
        Dependence.from_prior(prior, [(0,), (1,)], values)
    assert words in str(error.value)


def test_statistics_of_no_attribute_are_refused():
    with pytest.raises(SordinoError, match="2 attributes"):
        Dependence.from_prior([[0.25, 0.25], [0.25, 0.25]], [(2,)])


@in_one("statistic", [(0,), (0, 0)])
@in_one("bound", [0, "0.3", "0.999999999"])
def test_what_is_about_an_attribute_alone_has_no_bound_below_one(statistic, bound):
    with pytest.raises(SordinoError, match="must have the bound 1"):
        Dependence.bounded([0, 1], {(0, statistic): bound})
    with pytest.raises(SordinoError, match="must have the bound 1"):
        Dependence((Fraction(0), Fraction(1)), {(0, statistic): Fraction(bound)})
    # To say what holds anyway is no mistake.
    assert Dependence.bounded([0, 1], {(0, statistic): 1}).of(0, statistic) == 1
    # Of the other attribute it is a bound like any other, and so is that of a product: x_0 x_1 need not tell x_0.
    assert Dependence.bounded([0, 1], {(1, statistic): bound}).of(1, statistic) == Fraction(bound)
    assert Dependence.bounded([0, 1], {(0, (0, 1)): bound}).of(0, (0, 1)) == Fraction(bound)


def test_a_statistic_about_nothing_is_refused():
    with pytest.raises(SordinoError, match="about 1 attributes"):
        Dependence.bounded([0], {(0, ()): 0})


def test_bounds_stay_as_they_were_checked():
    bounds = {(1, (0,)): Fraction(1, 2)}
    dependence = Dependence((Fraction(1, 2), Fraction(1, 2)), bounds)
    bounds[0, (0,)] = Fraction(0)
    assert dependence.of(0, (0,)) == 1
    with pytest.raises(TypeError):
        dependence.statistics[0, (0,)] = Fraction(0)


@pytest.mark.parametrize("bound", [Fraction(1, 10**401), Fraction(10**500, 10**500 + 1), Fraction(1, 10**6000 + 1)])
def test_bounds_of_more_digits_than_can_be_read_again_are_refused(bound):
    for declare in (
        lambda: Dependence.bounded([bound, 1]),
        lambda: Dependence.bounded([1, 1], {(0, (1,)): bound}),
        lambda: Dependence((bound, Fraction(1))),
        lambda: Dependence((Fraction(1),) * 2, {(0, (1,)): bound}),
        lambda: dependent_loss(1, bound),
        lambda: Rest.of([bound], 1),
    ):
        with pytest.raises(SordinoError) as caught:
            declare()
        assert len(str(caught.value)) < 200


def test_a_prior_of_many_digits_gives_bounds_that_can_be_read_again():
    small = [Fraction(1, 10**399 + place) for place in range(3)]
    prior = [[small[0], small[1]], [small[2], 1]]
    found = Dependence.from_prior(prior, [(0,), (1,)])
    for i, bound in enumerate(found.rest):
        law = {cell: Fraction(prior[cell[0]][cell[1]]) for cell in itertools.product((0, 1), repeat=2)}
        right = best_event(law, (2, 2), i, lambda cell, other=1 - i: cell[other])
        assert right.denominator > 10**401
        assert right <= bound <= right + Fraction(1, 10**400)
        assert Dependence.bounded([bound]).rest == (bound,) == Dependence.bounded([str(bound)]).rest
        assert found.of(i, (1 - i,)) == bound
