"""Bayesian coordinate DP: what is left of each delta and of epsilon, Example 2 over time, and bad input."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from in_one import in_one
from sordino import LDP, BayesianCoordinateDP, Categories, Dependence, Nats, Record, SordinoError
from sordino.evidence.finite import FiniteEvidence

FAIR = np.full((2, 2), 0.25)
EVIDENCE = FiniteEvidence.of_weights([4, 2, 2, 1], 9)


def test_loss_is_listed_by_attribute_and_value():
    definition = BayesianCoordinateDP.with_prior(["1", "1"], np.full((2, 3), 1 / 6))
    loss = definition.loss(FiniteEvidence.of_weights([6, 4, 2, 6, 4, 2], 10))
    np.testing.assert_allclose(loss, [0, 0, math.log(3), math.log(2), 0], atol=1e-13)
    np.testing.assert_allclose(
        definition.levels(FiniteEvidence.of_weights([6, 4, 2, 6, 4, 2], 10)), [0, math.log(3)], atol=1e-13
    )


@in_one(
    ("deltas", "epsilon", "left"),
    [
        # The deltas lose ln 2 each whatever q is, the record ln 4.
        (["1", "1.1"], "3", 1 - math.log(2)),
        (["1.1", "1"], "3", 1 - math.log(2)),
        (["1.4", "1.4"], "1.4", 1.4 - math.log(4)),
        (["0.6", "1"], "1.2", 1.2 - math.log(4)),
        (["0", "0"], "3", -math.log(2)),
    ],
)
def test_slack_is_the_least_of_what_is_left(deltas, epsilon, left):
    slack = BayesianCoordinateDP.bounded(deltas, epsilon, 0).on((2, 2)).slack(EVIDENCE)
    assert left - 1e-12 <= slack <= left
    if epsilon == "3":
        slack = BayesianCoordinateDP.with_prior(deltas, FAIR).slack(EVIDENCE)
        assert left - 1e-12 <= slack <= left


def test_attributes_may_be_left_unprotected_under_a_prior():
    definition = BayesianCoordinateDP.with_prior(["inf", "1"], FAIR)
    impossible = FiniteEvidence.of_weights([1, 1, 0, 0], 2)
    assert definition.slack(impossible) == pytest.approx(1)
    assert BayesianCoordinateDP.with_prior(["1", "inf"], FAIR).slack(impossible) == -math.inf
    assert BayesianCoordinateDP.with_prior(["inf", "inf"], FAIR).slack(impossible) == math.inf
    assert (definition.largest, BayesianCoordinateDP.with_prior(["inf", "inf"], FAIR).largest) == (
        Nats.of(1),
        Nats.of(0),
    )


def test_without_reports_all_is_left():
    nothing = FiniteEvidence(np.zeros(4))
    for definition in (
        BayesianCoordinateDP.with_prior(["0", "1"], [[0.4, 0.1], [0.2, 0.3]]),
        BayesianCoordinateDP.bounded(["0", "1"], "1", "0.1").on((2, 2)),
    ):
        assert -1e-300 <= definition.slack(nothing) <= 0
        np.testing.assert_array_equal(definition.loss(nothing), np.zeros(4))


def test_two_reports_that_each_tell_nothing_tell_all():
    """Example 2: (x0 xor x1, x2) or (x1, x0 xor x2), of fair bits."""
    records = [*product(range(2), repeat=3)]

    def weight(x, output):
        return ((x[0] ^ x[1], x[2]) == output) + ((x[1], x[0] ^ x[2]) == output)

    definition = BayesianCoordinateDP.with_prior(["1", "2", "2"], np.full((2, 2, 2), 1 / 8))
    reports = {
        output: FiniteEvidence.of_weights([weight(x, output) for x in records], 2)
        for output in product(range(2), repeat=2)
    }
    for evidence in reports.values():
        np.testing.assert_allclose(definition.levels(evidence), [0, math.log(3), math.log(3)], atol=1e-12)
        assert definition.slack(evidence) == pytest.approx(2 - math.log(3))
        assert LDP("100").slack(evidence) == -math.inf
    both = [first + second for first, second in product(reports.values(), repeat=2)]
    possible = [evidence for evidence in both if np.isfinite(evidence.log).any()]
    np.testing.assert_allclose(
        np.max([definition.levels(evidence) for evidence in possible], axis=0),
        [math.inf, math.log(5), math.log(5)],
        atol=1e-12,
    )
    assert min(definition.slack(evidence) for evidence in possible) == -math.inf


def test_the_sizes_come_from_numbers_or_a_record():
    record = Record({"a": Categories(range(2)), "b": Categories(range(3))})
    definition = BayesianCoordinateDP.bounded(["1", "1"], "1", Dependence.bounded([0.1, 0.2]))
    assert (definition.shape, definition.on(record).shape, definition.on((2, 3)).shape) == (None, (2, 3), (2, 3))
    assert definition.on(record) == definition.on((2, 3))
    assert definition.on(record).beliefs.bounds == (Fraction(1, 10), Fraction(1, 5))
    assert BayesianCoordinateDP.with_prior(["1", "1"], FAIR).on((2, 2)).shape == (2, 2)
    with pytest.raises(SordinoError, match="prior's"):
        BayesianCoordinateDP.with_prior(["1", "1"], FAIR).on(record)
    with pytest.raises(SordinoError, match=r"call .on\(record\)"):
        definition.slack(EVIDENCE)


@in_one(
    ("deltas", "epsilon", "rest", "words"),
    [
        (
            ["1", "1.5"],
            "1",
            0.1,
            "delta of attribute 1 must not exceed epsilon = 1; found 3/2: lower it or raise epsilon",
        ),
        (["1", "inf"], "1", 0.1, "found inf"),
        (["ln 3", "1"], "1", 0.1, "attribute 0 must not exceed"),
        (["1", "-0.1"], "1", 0.1, "delta of attribute 1"),
        (["1", None], "1", 0.1, "attribute 1 must be given"),
        (["1", float("nan")], "1", 0.1, "delta of attribute 1"),
        ([], "1", 0.1, "must be a row"),
        ("11", "1", 0.1, "must be a row"),
        (["1", "1"], "-1", 0.1, "epsilon must lie"),
        (["1", "1"], "inf", 0.1, "amount of loss"),
        (["1", "1"], "1", [0.1], "2 attributes"),
        (["1", "1"], "1", 1.5, r"\[0, 1\]"),
        (["1", "1"], "1", [[0, 0.1], [0.1, 0]], "matrix"),
    ],
)
def test_bad_bounds_are_refused(deltas, epsilon, rest, words):
    with pytest.raises(SordinoError, match=words):
        BayesianCoordinateDP.bounded(deltas, epsilon, rest)


def test_bad_priors_are_refused():
    for deltas, prior, words in (
        (["1"], FAIR, "prior's 2 axes; found 1"),
        (["1", "1"], [0.5, 0.5], "prior's 1 axes; found 2"),
        (["1", None], FAIR, "attribute 1 must be given"),
        (["1", "1"], FAIR / 2, "sum to one"),
        (["1", "1"], [[0.5, 0.5], [0, 0]], "empty values"),
        (["1", "1"], FAIR * math.nan, "finite"),
    ):
        with pytest.raises(SordinoError, match=words):
            BayesianCoordinateDP.with_prior(deltas, prior)
