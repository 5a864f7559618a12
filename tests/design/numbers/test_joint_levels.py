"""Several numbers of everybody: taken where they are better and only there, figures that were promised, deltas to the
worst belief."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from asked_numbers import single_answers
from sordino import (
    Dependence,
    LinearTable,
    Nats,
    Number,
    Query,
    RandomizedResponse,
    Sampled,
    Together,
    WindowResponse,
    sampled_mean,
)
from sordino.audit.answers import answers
from sordino.definition.sampling import sampling_deltas, sampling_level
from sordino.design.numbers.drawn_answers import keeps_deltas
from sordino.design.numbers.joint_levels import joint_levels
from sordino.design.numbers.mean_among import among
from sordino.design.numbers.sampled_mean import read_deltas, worst_error
from sordino.estimation.moment_estimator import MomentEstimator


def chosen(deltas, epsilon, dependence=None):
    return sampled_mean(deltas, epsilon, dependence or Dependence.unknown(len(deltas)))


def offered(deltas, epsilon, dependence):
    return joint_levels(*read_deltas(deltas, epsilon, dependence), dependence)


def worst_by_hand(asked):
    """The sum over the numbers of the largest variance, n times, from the channels' own weights, in fine steps."""
    fine, total = np.linspace(-1, 1, 2001), 0.0
    for place in range(asked.d):
        shares = [
            (weight / sum(asked.weights), query)
            for together, weight in zip(asked.queries, asked.weights, strict=True)
            for query in together.queries
            if query.statistic.place == place
        ]
        (mechanism,) = {query.mechanism for _, query in shares}
        law = np.array(
            [
                [mechanism.weight(v, c) / mechanism.denominator for c in range(mechanism.outputs)]
                for v in range(mechanism.k)
            ]
        )
        points = np.linspace(-1, 1, mechanism.k)
        basis = np.stack([np.ones(mechanism.outputs), np.arange(mechanism.outputs)], axis=1)
        counts = basis @ np.linalg.lstsq(law @ basis, points)[0]
        share = sum(share for share, _ in shares)
        total += (np.interp(fine, points, law @ counts**2) / share - fine**2).max()
    return total


@pytest.mark.first_cases(2)
@pytest.mark.parametrize(
    ("d", "epsilon", "most"), [(2, "5", 1.20), (2, "6", 0.745), (2, "8", 0.318), (3, "8", 1.523), (2, "12", 0.0695)]
)
def test_numbers_of_everybody_at_a_large_epsilon(d, epsilon, most):
    asked = chosen([epsilon] * d, epsilon)
    (everybody,) = asked.queries
    assert isinstance(everybody, Together)
    assert worst_error(asked) <= most + 5e-4
    assert worst_by_hand(asked) <= worst_error(asked) * (1 + 1e-12)
    assert worst_by_hand(asked) == pytest.approx(worst_error(asked), rel=1e-4)
    assert Nats.of(epsilon) - Nats.of("1/1000000000") < sampling_level(answers(asked)) <= epsilon


@pytest.mark.parametrize(
    ("d", "epsilon", "most", "signs"), [(3, "6.5", 2.53, 3.07), (5, "11", 3.87, 5.0), (4, "8.6", 3.24, 4.02)]
)
def test_groups_of_numbers_where_all_are_too_many(d, epsilon, most, signs):
    asked = chosen([epsilon] * d, epsilon)
    sizes = {len(query.queries) for query in asked.queries}
    assert sizes == {d - 1}
    told = [query.statistic.place for together in asked.queries for query in together.queries]
    assert sorted(told) == sorted([*range(d)] * (d - 1))
    assert len(set(asked.weights)) == 1
    assert worst_error(asked) <= most < signs - 0.4
    assert worst_by_hand(asked) == pytest.approx(worst_error(asked), rel=1e-3)
    assert sampling_level(answers(asked)) <= epsilon


@pytest.mark.first_cases(3)
@pytest.mark.parametrize(("d", "epsilon"), [(2, "1"), (2, "3"), (3, "4"), (6, "8"), (12, "4")])
def test_signs_are_kept_where_they_are_better(d, epsilon):
    asked = chosen([epsilon] * d, epsilon)
    assert not any(isinstance(query, Together) for query in asked.queries)


SETTINGS = [
    (["2", "6", "6"], "6", ["0"] * 3),
    (["0.5", "4"], "4", ["0"] * 2),
    (["2", "4", "6"], "8", ["0.2", "0.05", "0"]),
    (["4", "6"], "8", ["0.2"] * 2),
    (["3", "6"], "6", ["1", "0.3"]),
    (["8"] * 4, "8", ["0.01"] * 4),
    (["3"] * 6, "12", ["0"] * 6),
    (["0.0001", "9", "9"], "9", ["0", "0", "0.1"]),
]


@pytest.mark.first_cases(5)
@pytest.mark.parametrize(("deltas", "epsilon", "q"), SETTINGS)
def test_everything_that_is_offered_keeps_every_delta(deltas, epsilon, q):
    """Exactly, and nearly reaches one of them, or epsilon: nothing is left that could be told."""
    dependence = Dependence.bounded(q)
    for asked in offered(deltas, epsilon, dependence):
        bounds, most = read_deltas(deltas, epsilon, dependence)
        assert keeps_deltas(asked, bounds, most, dependence)
        told = sampling_deltas(answers(asked), dependence)
        assert all(loss <= delta for loss, delta in zip(told, deltas, strict=True))
        assert sampling_level(answers(asked)) <= epsilon
    assert worst_error(chosen(deltas, epsilon, dependence)) <= worst_error(
        single_answers(deltas, epsilon, dependence).asked
    )


@pytest.mark.parametrize(("deltas", "levels"), [("26", [2, 6]), pytest.param("46", [4, 4], marks=pytest.mark.long)])
def test_a_small_delta_leaves_the_others_what_it_does_not_use(deltas, levels):
    """With nothing to fear from dependence, levels are cut where a delta says so, and no further.

    Nothing of both together is wasted, nor taken from the one that could use it.
    """
    asked = chosen([*deltas], "8", Dependence.bounded(["0"] * 2))
    (everybody,) = asked.queries
    np.testing.assert_allclose(sorted(float(answer.level) for answer in answers(asked)[0]), levels, atol=1e-6)
    assert [query.statistic.place for query in everybody.queries] == [0, 1]


@pytest.mark.parametrize("d", [1, 49, 200])
def test_one_number_and_very_many_are_not_asked_together(d):
    assert offered(["9"] * d, "9", Dependence.unknown(d)) == ()


def test_bits_alone_are_not_offered():
    assert offered(["0.9"] * 3, "0.9", Dependence.bounded(["0"] * 3)) == ()
    assert all(
        any(isinstance(mechanism, LinearTable | WindowResponse) for mechanism in asked.mechanisms)
        for asked in offered(["3"] * 3, "3", Dependence.unknown(3))
    )


XOR = np.array([[["1/4" if (a == b) == (c == 1) else 0 for c in (0, 1)] for b in (0, 1)] for a in (0, 1)])
"""Two fair independent signs, and the third their product."""


def losses_under(asked, prior):
    """What a report tells of each sign, to whoever believes the prior, exactly."""
    records = [(at, Fraction(share)) for at, share in np.ndenumerate(prior) if Fraction(share)]
    laws = {at: laws_by_hand(asked, [2.0 * bit - 1 for bit in at]) for at, _ in records}
    found = []
    for place in range(prior.ndim):
        rows = []
        for value in (0, 1):
            own = [(laws[at], share) for at, share in records if at[place] == value]
            mass = sum(share for _, share in own)
            rows.append([sum(law[code] * share for law, share in own) / mass for code in range(asked.outputs)])
        found.append(Nats.log(max(max(pair) / min(pair) for pair in set(zip(*rows, strict=True)))))
    return found


def laws_by_hand(asked, record):
    """Pr(code | record) of numbers at -1 or 1, from the weights of the channels."""
    law = []
    for together, weight in zip(asked.queries, asked.weights, strict=True):
        rows = []
        for query in together.queries if isinstance(together, Together) else (together,):
            value = query.mechanism.k - 1 if record[query.statistic.place] > 0 else 0
            mechanism = query.mechanism
            rows.append([Fraction(mechanism.weight(value, c), mechanism.denominator) for c in range(mechanism.outputs)])
        for chances in product(*rows):
            share = Fraction(weight, sum(asked.weights))
            for chance in chances:
                share *= chance
            law.append(share)
    return law


def test_two_numbers_of_one_person_tell_the_third_that_is_made_of_them():
    """Pairwise nothing depends on anything; bounds on single moments say so, and two answers together break them."""
    coin = RandomizedResponse(2, "2")
    asked = Together((Query(Number(0), coin), Query(Number(1), coin)))
    pairwise = {(i, (j,)): 0 for i in range(3) for j in range(3) if i != j}
    dependence = Dependence.bounded([1, 1, 1], pairwise)
    told = sampling_deltas(answers(asked), dependence)
    losses = losses_under(Sampled((asked,), (1,)), XOR)
    assert losses[2] > Nats.of(1)
    assert all(loss <= delta for loss, delta in zip(losses, told, strict=True))
    # The bound of one moment is exact where it is the only other answer.
    assert [str(delta) for delta in told[:2]] == [str(loss) for loss in losses[:2]]
    # One answer of the two tells nothing of the third, and is bounded so.
    assert sampling_deltas(answers(asked.queries[0]), dependence)[2] == Nats.of(0)


@pytest.mark.long
def test_plans_for_two_numbers_fear_what_is_made_of_them():
    """The third number's delta is small, and only pairs are known to be independent."""
    pairwise = {(i, (j,)): 0 for i in range(3) for j in range(3) if i != j}
    dependence = Dependence.bounded([1, 1, 1], pairwise)
    several = chosen(["8", "8", "8"], "8", dependence)
    assert len(several.queries[0].queries) == 3
    assert all(loss <= Nats.of(8) for loss in losses_under(several, XOR))
    few = chosen(["8", "8", "0.5"], "8", dependence)
    assert all(told <= d for told, d in zip(sampling_deltas(answers(few), dependence), ["8", "8", "0.5"], strict=True))
    assert joint_levels(*read_deltas(["8", "8", "0.5"], "8", dependence), dependence) == ()


@pytest.mark.statistical
def test_errors_are_as_large_as_is_said():
    asked = chosen(["6", "6"], "6")
    estimator = MomentEstimator.of(asked)
    claimed, worst = estimator.largest_variance(), np.zeros(2)
    for people in ([[1.0, 1], [-1, -1]], [[0.0, 0.2], [0, -0.2]], [[0.4, -0.5], [-0.4, 0.5]]):
        records = np.repeat(people, 200, axis=0)
        means = [estimator.means(asked.tally(asked.privatize(records))) for _ in range(500)]
        worst = np.maximum(worst, np.mean((np.array(means) - records.mean(axis=0)) ** 2, axis=0) * 400)
    # Six deviations of a mean of 500 squares.
    assert (worst <= claimed * (1 + 6 * np.sqrt(2 / 500))).all()
    assert (worst >= claimed * (0.8 - 6 * np.sqrt(2 / 500))).all()


def test_numbers_among_others_are_moved_together():
    asked = chosen(["6", "6"], "6")
    moved = among(asked, [1, 0])
    assert [query.statistic.place for query in moved.queries[0].queries] == [1, 0]
    assert [query.mechanism for query in moved.queries[0].queries] == list(asked.mechanisms)
