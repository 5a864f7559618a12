"""Columns of a channel from two values: exact ratios, roundings against the user, what is no answer about a number."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from in_one import in_one
from sordino import (
    LDP,
    Affine,
    BayesianFilter,
    Box,
    ChannelTable,
    Logistic,
    Nats,
    Number,
    Query,
    RandomizedResponse,
    Sampled,
    SordinoError,
    Value,
    certify,
    estimate,
    realized_loss,
)
from sordino.exact.coin import WORD
from sordino.papers.simulation import SimulationSource
from sordino.query.column import column_of

UNIT = Box([-1], [1])
MODEL = Affine([1.0], 0, -1, 1)
LEAKY = ChannelTable([[1, 5, 2], [3, 3, 2]])
"""One code rises, one falls, one tells nothing."""


@in_one("epsilon", ["0", "0.001", "0.1", "1/3", "ln 3", "ln 1.8", "1 + ln 2", "20", "44"])
def test_epsilons_are_those_of_the_integers_and_not_above_what_was_asked(epsilon):
    query = Query(MODEL, RandomizedResponse(2, epsilon))
    heads = query.mechanism.threshold
    exact = Nats.log(Fraction(heads, WORD - heads))
    assert exact <= query.epsilon <= epsilon
    assert query.epsilon <= query.level
    assert query.level <= Nats.of(epsilon).ceil()
    if epsilon == "ln 3":
        assert query.epsilon == exact == Nats.of("ln 3")


def test_ten_answers_of_a_tenth_are_one():
    query, asked = Query(MODEL, RandomizedResponse(2, "0.1")), BayesianFilter(UNIT, LDP("1"), nodes=0)
    for _ in range(10):
        asked = asked.after(query, 1)
    assert not asked.accepts(query)


def test_any_channel_from_two_values_has_evidence():
    query, points = Query(MODEL, LEAKY), np.linspace(-1, 1, 9)[:, None]
    assert [column_of(LEAKY, code).rising for code in range(3)] == [True, False, True]
    assert column_of(LEAKY, 2).flat
    assert query.epsilon == Nats.of("ln 3")
    for code in range(3):
        report = query.evidence(UNIT, code)
        likely = np.log(np.array([query.law(point)[code] for point in points], dtype=np.float64))
        assert np.ptp(likely - report.at(points)) <= 2 * (report.radius + report.margin) + 1e-15
        told = realized_loss(UNIT, [query], [code], 1e-9)
        assert told.lower - 1e-9 <= np.ptp(likely) <= told.upper + 1e-9
    asked = BayesianFilter(UNIT, LDP("1.1"))
    assert asked.accepts(query)
    assert asked.after(query, 2).accepts(query)
    assert not asked.after(query, 0).accepts(query)


@in_one("mechanism", [RandomizedResponse(2, "0.1"), RandomizedResponse(2, "5"), LEAKY])
@in_one("off", [0.0, 1e-12, 1e-6, 1e-3])
def test_the_radius_covers_a_share_that_is_off_and_the_grain_of_its_threshold(mechanism, off):
    for code in range(mechanism.outputs):
        column = column_of(mechanism, code)
        weights = sorted(mechanism.weight(value, code) for value in (0, 1))
        missed = (Fraction(off) + Fraction(1, WORD)) * (weights[1] - weights[0])
        with mpmath.workdps(40):
            ratio = (weights[0] - missed) / Fraction(weights[0])
            least = -mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)
            # Beside it some roundings of the share, and what a logarithm bends.
            assert least <= column.radius(off) <= 2 * least + mpmath.mpf(1e-12)


def test_queries_about_models_are_drawn_from_like_others():
    """Each reads its own records; a draw is public, and each is estimated by itself."""
    yes, number = Query(Logistic([3.0], 0), RandomizedResponse(2, "4")), Query(MODEL, RandomizedResponse(2, "4"))
    asked, records = Sampled((yes, number), (1, 3)), np.linspace(-0.5, 1, 4000)[:, None]
    codes = asked.privatize([records, records], SimulationSource(5))
    likely, mean = estimate(asked, asked.tally(codes))
    assert likely.n + mean.n == 4000
    assert abs(likely.value - (1 / (1 + np.exp(-3 * records))).mean()) < 5 * likely.stderr < 0.2
    assert abs(mean.value - records.mean()) < 5 * mean.stderr < 0.2
    assert certify(asked, LDP("4")).holds
    with pytest.raises(SordinoError, match="several queries"):
        asked.check_values(records)


def test_a_code_that_rules_an_end_out_is_refused():
    certain, idle = ChannelTable([[1, 0], [0, 1]]), ChannelTable([[1, 1, 0], [1, 1, 0]])
    for mechanism, words in ((certain, "rules a value out"), (idle, "cannot be given")):
        query = Query(MODEL, mechanism)
        with pytest.raises(SordinoError, match=words):
            query.evidence(UNIT, mechanism.outputs - 1)
        with pytest.raises(SordinoError, match=words):
            BayesianFilter(UNIT, LDP("50")).accepts(query)


@pytest.mark.parametrize("statistic", [Number(0), Value("a")])
def test_what_is_no_model_is_not_asked_about_a_box(statistic):
    query = Query(statistic, RandomizedResponse(2, "1"))
    with pytest.raises(SordinoError, match="about models of them"):
        query.evidence(UNIT, 0)
    with pytest.raises(SordinoError, match="linear, truncated, logistic and quadratic"):
        BayesianFilter(UNIT, LDP("50")).accepts(query)


@pytest.mark.parametrize("k", [1, 3])
def test_a_model_is_read_as_one_of_two_values(k):
    with pytest.raises(SordinoError, match="2 values of its statistic"):
        Query(MODEL, RandomizedResponse(k, "1"))
