"""One-bit questions about numbers: exact thresholds, exact epsilon-LDP, the corrected estimator, refusals."""

from dataclasses import FrozenInstanceError
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chances import chances
from in_one import in_one
from sordino import Box, LinearQuery, LogisticQuery, SordinoError, TruncatedLinearQuery, estimate
from sordino.exact.coin import WORD
from sordino.papers.simulation import SimulationSource

EPSILONS = ("0.001", "0.5", "1", "ln 3", "4", "20", "40")

WILD = np.array([[0.0, 0.0], [1e60, -1e60], [-1e60, 1e60], [1, 1], [-1, -1], [0.3, -0.7], [5e-324, 0]])
"""Records far out and close by."""

QUESTIONS = {
    "linear": lambda epsilon: LinearQuery([0.25, -0.5], 0.125, -1, 1, epsilon),
    "truncated": lambda epsilon: TruncatedLinearQuery([3.0, -2.0], 0.5, -1, 2, epsilon),
    "logistic": lambda epsilon: LogisticQuery([3.0, -2.0], 0.5, epsilon),
}
"""Each kind; the linear one stays in its range on [-1, 1]^2."""


def exp_bounds(epsilon):
    """Rationals around e^epsilon."""
    with mpmath.workdps(60):
        value = mpmath.mpf(3) if epsilon == "ln 3" else mpmath.exp(mpmath.mpf(epsilon))
        low, high = (Fraction(mpmath.nstr(value * (1 + sign * mpmath.mpf(10) ** -50), 55)) for sign in (-1, 1))
    return (Fraction(3), Fraction(3)) if epsilon == "ln 3" else (low, high)


@in_one("kind", QUESTIONS)
@in_one("epsilon", EPSILONS)
def test_no_two_records_differ_by_more_than_epsilon(kind, epsilon):
    query = QUESTIONS[kind](epsilon)
    ones = chances(query, WILD)
    low, _ = exp_bounds(epsilon)
    for weights in (ones, [1 - one for one in ones]):
        assert min(weights) > 0
        assert max(weights) / min(weights) <= low
    # The largest whole threshold: one more would be too much.
    _, high = exp_bounds(epsilon)
    largest = max(ones) * WORD
    assert largest.denominator == 1
    assert largest == WORD - 1 or largest + 1 > high * (WORD - largest - 1)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_thresholds_follow_the_papers_probability(epsilon):
    rng = np.random.default_rng(5)
    records = rng.uniform(-1, 1, (200, 2))
    bounds = exp_bounds(epsilon)
    factor = float(bounds[0])
    for kind, statistic, ends in (
        ("linear", records @ [0.25, -0.5] + 0.125, (-1, 1)),
        ("truncated", np.clip(records @ [3.0, -2.0] + 0.5, -1, 2), (-1, 2)),
        ("logistic", 1 / (1 + np.exp(-(records @ [3.0, -2.0] + 0.5))), (0, 1)),
    ):
        share = (statistic - ends[0]) / (ends[1] - ends[0])
        expected = share * (factor - 1) / (factor + 1) + 1 / (factor + 1)
        ones = np.array(chances(QUESTIONS[kind](epsilon), records), dtype=np.float64)
        assert np.allclose(ones, expected, rtol=0, atol=1e-14)


@given(st.floats(-1, 1), st.floats(-1, 1), st.sampled_from([*QUESTIONS]), st.sampled_from(["0.1", "1", "30"]))
def test_thresholds_are_clamped(first, second, kind, epsilon):
    query = QUESTIONS[kind](epsilon)
    (one,) = chances(query, [[first, second]])
    assert WORD - query.mechanism.threshold <= one * WORD <= query.mechanism.threshold


@pytest.mark.parametrize("kind", QUESTIONS)
def test_the_estimator_is_unbiased(kind):
    """Not by simulation: the tally that the thresholds expect gives the mean of the statistic back."""
    query = QUESTIONS[kind]("1")
    records = np.random.default_rng(3).uniform(-1, 1, (1000, 2))
    ones = round(float(sum(chances(query, records))) * 1000)
    tally = query.tally(np.repeat([0, 1], [10**6 - ones, ones]))
    low, high = query.model.ends
    truth = low + (high - low) * float((1 + query.model.scale(query.model.statistic(records))).mean()) / 2
    found = estimate(query, tally)
    assert float(found.value) == pytest.approx(truth, abs=1e-5)
    # The paper's (9) has no a in its second summand: right where the range begins at 0 only.
    assert float(found.stderr) == pytest.approx((high - low) * 1.0819 * 1e-3, rel=0.1)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_the_sampler_follows_the_thresholds(kind):
    query = QUESTIONS[kind]("2")
    record = np.tile([0.4, -0.9], (40_000, 1))
    ones = int(query.privatize(record, SimulationSource(4)).sum())
    expected = float(chances(query, record[:1])[0])
    # Six standard deviations: the seed is fixed, so it cannot flake.
    assert abs(ones / 40_000 - expected) < 6 * np.sqrt(expected * (1 - expected) / 40_000)
    assert (query.privatize(record[:3], SimulationSource(4)) == query.privatize(record[:3], SimulationSource(4))).all()


def test_a_batch_does_not_change_a_threshold():
    rng = np.random.default_rng(8)
    query = LogisticQuery(rng.uniform(-1, 1, 17), 0.3, "1")
    records = rng.uniform(-1, 1, (333, 17))
    together = query.model.scale(query.model.statistic(records))
    assert [float(query.model.scale(query.model.statistic(row[None, :]))[0]) for row in records] == together.tolist()


def test_the_one_word_that_decides_is_below_the_threshold():
    class Words:
        def __init__(self, word):
            self.words = [np.array([word], dtype=np.uint64), *np.zeros((2, 1), dtype=np.uint64)]

        def next(self):
            return self.words.pop(0)

        def take(self, rows):
            return self

    query = QUESTIONS["linear"]("1")
    record = np.array([[-0.3, 0.2]])
    # Told truly: the answer is the end that is read. Words are counted from 2^63 on.
    threshold = int(query.model.law(record[0])[1] * WORD)
    found = [int(query._sample(record, Words((WORD // 2 + threshold + step) % WORD))[0]) for step in (-1, 0)]
    assert found == [1, 0]


def test_uninformative_questions_tell_nothing():
    query = LinearQuery([1.0], 0, -1, 1, "0")
    assert not query.informative
    assert chances(query, [[-1.0], [1.0]]) == [Fraction(1, 2)] * 2
    assert query.evidence(Box([-1], [1]), 1).n == 0
    with pytest.raises(SordinoError, match="depend on the records"):
        estimate(query, query.tally([0, 1]))


@in_one(
    ("make", "words"),
    [
        (lambda: LinearQuery([], 0, -1, 1, 1), "at least one"),
        (lambda: LinearQuery([np.nan], 0, -1, 1, 1), r"theta\[0\]"),
        (lambda: LinearQuery([1, np.inf], 0, -1, 1, 1), r"theta\[1\]"),
        (lambda: LinearQuery("12", 0, -1, 1, 1), "list of numbers"),
        (lambda: LinearQuery(3, 0, -1, 1, 1), "list of numbers"),
        (lambda: LinearQuery([1], np.nan, -1, 1, 1), "intercept"),
        (lambda: LinearQuery([1], 0, 1, 1, 1), "below"),
        (lambda: LinearQuery([1], 0, 2, 1, 1), "below"),
        (lambda: LinearQuery([1], 0, -np.inf, 1, 1), "low end"),
        (lambda: LogisticQuery([1], 0, -1), "epsilon"),
        (lambda: LogisticQuery([1], 0, "101"), "epsilon"),
        (lambda: LogisticQuery([1], "0", 1), "intercept"),
    ],
)
def test_a_bad_question_is_refused(make, words):
    with pytest.raises(SordinoError, match=words):
        make()


def test_a_statistic_that_can_leave_its_range_is_refused_with_by_how_much():
    box = Box([-1, 0], [1, 10])
    with pytest.raises(SordinoError, match="ask it truncated") as refusal:
        LinearQuery([1.0, 0.1], 0.5, -1, 2, "1").evidence(box, 0)
    # The statistic reaches 1 + 1 + .5 = 2.5 and falls to -.5.
    assert "-0.5 to 2.5, 0.5 too far" in str(refusal.value)
    assert LinearQuery([1.0, 0.1], 0.5, -1, 2.5, "1").evidence(box, 0).n == 1
    assert TruncatedLinearQuery([1.0, 0.1], 0.5, -1, 2, "1").evidence(box, 0).n == 1


def test_rounding_of_coefficients_does_not_leave_the_range():
    theta = np.random.default_rng(0).uniform(-1, 1, 10)
    theta /= np.abs(theta).sum()
    for scale in (1, 1 + 2**-52, 1 + 1e-12):
        report = LinearQuery(theta * scale, 0, -1, 1, "5").evidence(Box([-1] * 10, [1] * 10), 1)
        assert report.radius < 1e-9


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_record_that_is_no_number_is_named_by_position_only(kind):
    with pytest.raises(SordinoError, match="record 1, number 0") as refusal:
        QUESTIONS[kind]("1").privatize([[0.5, 1], [1.7731e60, 0]])
    assert "7731" not in str(refusal.value)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_theta_of_the_wrong_length_is_refused(kind):
    query = QUESTIONS[kind]("1")
    with pytest.raises(SordinoError, match="theta"):
        query.evidence(Box([-1] * 3, [1] * 3), 0)
    with pytest.raises(SordinoError, match="rows of 2"):
        query.privatize(np.zeros((4, 3)))
    with pytest.raises(SordinoError, match="0 or 1"):
        query.evidence(Box([-1] * 2, [1] * 2), 2)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_questions_are_frozen_values(kind):
    query = QUESTIONS[kind]("1")
    assert query == QUESTIONS[kind]("1") != QUESTIONS[kind]("2")
    assert query.fingerprint != QUESTIONS[kind]("2").fingerprint
    with pytest.raises(FrozenInstanceError):
        query.statistic.intercept = 3.0
    with pytest.raises(SordinoError, match="its own question"):
        estimate(query, QUESTIONS[kind]("2").tally([1]))


def test_fingerprints_tell_kinds_and_ranges_apart():
    made = [
        LinearQuery([1.0], 0, 0, 1, 1),
        TruncatedLinearQuery([1.0], 0, 0, 1, 1),
        LogisticQuery([1.0], 0, 1),
        LinearQuery([1.0], 0, 0, 2, 1),
    ]
    assert len({query.fingerprint for query in made}) == 4
