"""Pooled estimates: against every single report's part in the weighted sum, decoded one by one."""

import numpy as np
import pytest

from sordino import (
    Aggregate,
    Blockwise,
    HadamardResponse,
    Number,
    Product,
    Query,
    RandomizedResponse,
    Sampled,
    SubsetSelection,
)
from sordino.domain.bins import Bins
from sordino.domain.scaled import Ranges
from sordino.estimation.joint.pooled_shares import PooledPart, pool, tells_sums
from sordino.estimation.joint.table_cells import sums_over
from sordino.estimation.share_estimate import estimate
from sordino.query.bin import BinMiddles

SINGLE, TABLE = RandomizedResponse(2, "1"), HadamardResponse(6, "2")
SUMS = sums_over((2, 3), [0])


def shares_part(mechanism, counts, sums):
    found = estimate(mechanism, Aggregate(mechanism.fingerprint, int(counts.sum()), counts), "unbiased")
    return PooledPart.of_shares(found, sums, subtract_totals=False)


def each_report(mechanism, sums):
    """What every code adds to each sum, by the decoder of one report."""
    return np.array([mechanism.decode(law) for law in np.eye(mechanism.counters)]) @ sums.T


def tallies(seed):
    rng = np.random.default_rng(seed)
    return rng.multinomial(900, [0.4, 0.6]), rng.multinomial(2100, np.full(TABLE.counters, 1 / TABLE.counters))


def test_shares_are_weighed_for_people_as_pooled_and_vary_as_the_weighted_reports_do():
    counts = tallies(4)
    parts = [(SINGLE, np.eye(2), counts[0]), (TABLE, SUMS, counts[1])]
    found = pool([shares_part(mechanism, own, sums) for mechanism, sums, own in parts])
    precision, values, variances = [], [], []
    for mechanism, sums, own in parts:
        added = each_report(mechanism, sums)
        matrix = np.array([[mechanism.weight(x, y) for y in range(mechanism.outputs)] for x in range(mechanism.k)])
        # Of people of one of the two values the table's reports add alike squares, whatever else they are.
        common = (found.value + (1 - found.value.sum()) / 2) @ sums / sums.sum(axis=1)[0]
        law = common @ (matrix / mechanism.denominator).astype(float)
        precision.append(own.sum() / (law @ added**2 - (law @ added) ** 2))
        reports = np.repeat(added, own, axis=0)
        values.append(reports.mean(axis=0))
        variances.append(reports.var(axis=0) / len(reports))
    weights = np.array(precision) / np.sum(precision, axis=0)
    np.testing.assert_allclose(found.value, (weights * values).sum(axis=0), rtol=1e-4)
    np.testing.assert_allclose(found.stderr, np.sqrt((weights**2 * variances).sum(axis=0)), rtol=1e-4)
    assert found.n == 3000
    # Two questions know more than either.
    assert (found.stderr**2 < np.min(variances, axis=0)).all()


def test_answers_change_weights_by_the_common_population_alone():
    first, second = (shares_part(TABLE, tallies(seed)[1], SUMS) for seed in (4, 5))
    assert (first.value != second.value).all()
    np.testing.assert_array_equal(first.weight, second.weight)
    shares = np.array([0.1, 0.9])
    np.testing.assert_allclose(first.weight_at(shares), second.weight_at(shares), rtol=1e-9)
    assert (first.weight_at(shares) != first.weight).all()


@pytest.mark.parametrize("surveys", [300, pytest.param(1500, marks=pytest.mark.long)])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5])
def test_pooled_shares_of_random_surveys_err_less_than_the_best_question_s_and_are_right_on_average(share, surveys):
    """Weights by the plan alone give the table too much where values are rare: errors 1.2 to 1.5 times the best."""
    single, table = RandomizedResponse(2, "4"), RandomizedResponse(24, "4")
    sums, n = sums_over((2, 12), [0]), 30_000
    rng, population = np.random.default_rng(2), np.array([share, 1 - share])
    cells = population @ sums / 12
    drawn = [
        rng.multinomial(n, own.forward(shares) / own.forward(shares).sum(), surveys)
        for own, shares in ((single, population), (table, cells))
    ]
    errors, z = [], []
    for counts in zip(*drawn, strict=True):
        parts = [
            shares_part(own, each, of) for own, of, each in zip((single, table), (np.eye(2), sums), counts, strict=True)
        ]
        found = pool(parts)
        errors.append([one.value[0] - share for one in (found, *parts)])
        z.append(errors[-1][0] / found.stderr[0])
    spread, mean = np.std(errors, axis=0), np.mean(errors, axis=0)
    assert spread[0] < 1.02 * spread[1:].min()
    assert abs(mean[0]) < 0.1 * spread[0]
    assert 0.9 < np.std(z) < 1.1


def test_where_all_reports_agree_nothing_is_sure():
    assert (shares_part(SINGLE, np.array([50, 0]), np.eye(2)).variance > 0).all()


def test_expected_shares_decide_weights_and_an_empty_block_makes_none_endless():
    """A block of which nobody is expected is told nearly exactly: its weight is large, and a number."""
    mechanism = Blockwise([[0, 1], [2, 3]], "1")
    found = estimate(mechanism, mechanism.tally(mechanism.privatize([0, 1, 2] * 200)), "unbiased")
    alike, rare = (
        PooledPart.of_shares(found, np.eye(4), subtract_totals=False, shares=shares).weight
        for shares in (None, np.array([0.5, 0.5, 0, 0]))
    )
    assert np.isfinite(rare).all()
    assert (rare[:2] < alike[:2]).all()
    assert (rare[2:] > 10 * alike[2:]).all()


def test_a_block_that_nobody_reports_is_as_unsure_as_its_own_row():
    """Neither an estimate of 0 nor reports that say nothing of a value make its share surely 0."""
    mechanism = Blockwise([[0, 1], [2, 3]], "1")
    found = estimate(mechanism, mechanism.tally(mechanism.privatize([0, 1] * 200)), "unbiased")
    part = PooledPart.of_shares(found, np.eye(4), subtract_totals=False)
    assert (part.value[2:] == 0).all()
    np.testing.assert_allclose(np.sqrt(part.variance), found.stderr, rtol=1e-9)


def two_values(statistic, epsilon):
    return Query(statistic, RandomizedResponse(2, epsilon))


def test_a_mean_of_several_questions_is_that_of_all_their_reports():
    """A bit counts as plus or minus its factor, and weighs as one over the square of that."""
    statistics = (Number(0), Number(1), Product(0, 1))
    alone = Sampled((two_values(Number(0), "1"),), (1,))
    moments = Sampled(tuple(two_values(statistic, "2") for statistic in statistics), (1, 1, 1))
    both = Ranges(("age", "pulse"), (20.0, 40.0), (80.0, 60.0))
    asked = (
        (alone, np.array([300, 500]), Ranges(("age",), (20.0,), (80.0,))),
        (moments, np.array([100, 250, 80, 90, 60, 40]), both),
    )
    # A bit weighs as much as it lets expect: its factor's square, less the square of the mean that is expected.
    likely = np.array([-0.5, 0.5, 0.3]), np.full(3, 1 / 3)
    found = pool(
        [
            PooledPart.of_mean(one, Aggregate(one.fingerprint, int(n.sum()), n), 0, ranges, likely)
            for one, n, ranges in asked
        ]
    )
    told, weight = [], []
    for epsilon, (_, counts, _) in zip((1, 2), asked, strict=True):
        factor = (np.exp(epsilon) + 1) / (np.exp(epsilon) - 1)
        told += [-factor] * counts[0] + [factor] * counts[1]
        weight += [1 / (factor**2 - 0.01)] * (counts[0] + counts[1])
    mean = np.average(told, weights=weight)
    assert found.value == pytest.approx([50 + 30 * mean])
    spread = np.sqrt(np.square(weight) @ np.square(told - mean)) / np.sum(weight)
    assert found.stderr == pytest.approx([30 * spread], rel=1e-2)


def test_what_nobody_answered_takes_nothing_from_a_mean():
    """Of the product nobody says anything: a regression is refused, the mean of its number is told."""
    moments = Sampled(tuple(two_values(statistic, "2") for statistic in (Number(0), Product(0, 1))), (1, 1))
    counts, ranges = np.array([100, 250, 0, 0]), Ranges.unit(2)
    part = PooledPart.of_mean(
        moments, Aggregate(moments.fingerprint, 350, counts), 0, ranges, (np.zeros(1), np.ones(1))
    )
    factor = (np.exp(2) + 1) / (np.exp(2) - 1)
    assert part.value == pytest.approx([150 / 350 * factor], rel=1e-9)


def test_a_rare_number_is_held_where_epsilon_is_large():
    """Most such surveys have nobody with the largest number: normal limits held the mean in a quarter of them."""
    asked, n, surveys, held = two_values(Number(0), "8"), 30, 60, 0
    ranges, likely = Ranges(("age",), (0.0,), (100.0,)), (np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    law = np.array([[float(share) for share in asked.law([end])] for end in (-1.0, 1.0)])
    draws = np.random.default_rng(1).multinomial(n, [0.995, 0.005] @ law, size=(surveys, 2))
    for two in draws:
        parts = [PooledPart.of_mean(asked, Aggregate(asked.fingerprint, n, own), 0, ranges, likely) for own in two]
        (low,), (high,) = pool(parts).interval(0.95)
        held += low <= 0.5 <= high
    assert held > 0.91 * surveys, held / surveys


def test_what_reports_add_to_a_pooled_share_varies_as_it_does():
    counts = np.array([400, 300]), np.array([20, 10, 30, 60, 40, 50])
    found = pool([shares_part(SINGLE, counts[0], np.eye(2)), shares_part(RandomizedResponse(6, "2"), counts[1], SUMS)])
    np.testing.assert_allclose(found.amounts.moments[0], 0, atol=1e-12)
    np.testing.assert_allclose(found.amounts.moments[1] / found.n, found.stderr**2, rtol=1e-2)
    # A report of the question that weighs most for its number of reports adds most.
    assert (np.ptp(found.amounts.ends, axis=0) > 2.1).all()


def test_what_is_not_told_by_codes_or_is_too_much_is_not_pooled():
    assert tells_sums(TABLE, 6)
    assert tells_sums(SubsetSelection(60, "1"), 2)
    assert not tells_sums(RandomizedResponse(1, "1"), 1)
    assert not tells_sums(RandomizedResponse(5000, "1"), 5000)


def test_a_number_in_bins_is_pooled_by_the_middles_of_these():
    """By the dense channel: the mean, and the mean square about a center; each as unsure as its bins are wide."""
    bins = Bins((0, 10, 30, 40, 60))
    channel, query = RandomizedResponse(4, "3"), Sampled((Query(BinMiddles(bins), RandomizedResponse(4, "3")),), (1,))
    counts, ranges = np.array([400, 300, 200, 100]), Ranges.of({"pay": (0, 60)})
    tally, likely = Aggregate(query.fingerprint, 1000, counts), (np.array([-0.9, -0.2, 0.9]), np.array([0.5, 0.3, 0.2]))
    scores, law = np.linalg.inv(channel.probabilities()), counts / 1000
    middles, within = np.array([5, 20, 35, 50]), np.array([100, 400, 100, 400]) / 12
    shares, away = np.array([0.5, 0.3, 0, 0.2]), middles - 20
    alike = (shares @ np.sqrt(within)) ** 2, (shares @ (2 * away * np.sqrt(within))) ** 2
    square = shares**2 @ (4 * away**2 * within) + alike[1] + (shares @ within) ** 2
    # Numbers that all lie at one end are the root of 3 as far off as those spread evenly.
    numbers = (middles, 3 * alike[0]), (away**2 + within, 3 * square)
    parts = [
        PooledPart.of_mean(query, tally, 0, ranges, likely, bins),
        PooledPart.of_square(query, tally, 0, ranges, likely, bins, center=20),
    ]
    for part, (counted, offset) in zip(parts, numbers, strict=True):
        added = scores @ counted
        assert part.value[0] == pytest.approx(added @ law)
        variance = (added**2 @ law - (added @ law) ** 2) / 999
        assert part.variance[0] == pytest.approx(variance + offset)
        assert part.weight[0] < 1 / offset
        assert part.amounts.moments[1, 0] == pytest.approx(999 * variance)
