"""Evidence on boxes against the integers that are really compared: within the radius everywhere, and it adds."""

import mpmath
import numpy as np
import pytest

from chances import chances
from sordino import Box, LinearQuery, LogisticQuery, SordinoError, TruncatedLinearQuery

BOX = Box([-1, 0, 10], [2, 1e-3, 110])
QUESTIONS = {
    "linear": lambda epsilon: LinearQuery([0.1, 30.0, -0.01], 0.5, -1, 1, epsilon),
    "truncated": lambda epsilon: TruncatedLinearQuery([1.0, 900.0, -0.02], 0.5, -1, 1, epsilon),
    "logistic": lambda epsilon: LogisticQuery([1.0, 900.0, -0.02], 0.5, epsilon),
}


def records(count):
    """Random records, and those at the corners."""
    rng = np.random.default_rng(11)
    inside = rng.uniform(BOX.low, BOX.high, (count, 3))
    ends = np.array([BOX.low, BOX.high])
    return np.concatenate((inside, ends[rng.integers(0, 2, (count, 3)), np.arange(3)]))


@pytest.mark.each_value
@pytest.mark.parametrize("kind", QUESTIONS)
@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "ln 3", "5", "20"])
@pytest.mark.parametrize("code", [0, 1])
def test_the_integer_channel_is_within_the_radius(kind, epsilon, code):
    query, points = QUESTIONS[kind](epsilon), records(150)
    report = query.evidence(BOX, code)
    with mpmath.workdps(40):
        weights = [one if code else 1 - one for one in chances(query, points)]
        exact = [mpmath.log(mpmath.mpf(w.numerator) / w.denominator) for w in weights]
        off = [value - mpmath.mpf(float(found)) for value, found in zip(exact, report.at(points), strict=True)]
        spread = float(max(off) - min(off))
    assert spread <= 2 * (report.radius + report.margin)
    # The radius is no excuse: at everyday epsilons it is far below any loss.
    if epsilon not in ("20", "5"):
        assert report.radius + report.margin < 1e-9


@pytest.mark.parametrize("kind", QUESTIONS)
def test_the_channel_promises_its_epsilon(kind):
    report = QUESTIONS[kind]("0.1").evidence(BOX, 1)
    assert 0.1 <= report.ceiling < 0.1 + 1e-15


def test_evidence_adds_term_by_term():
    points = records(20)
    reports = [QUESTIONS[kind]("1").evidence(BOX, code) for kind in QUESTIONS for code in (0, 1, 1)]
    total = sum(reports, type(reports[0])(BOX))
    assert total.n == 9
    assert len(total.groups) == 3
    assert np.allclose(total.at(points), sum(report.at(points) for report in reports), rtol=0, atol=1e-12)
    assert total.radius >= sum(report.radius for report in reports)
    assert total.ceiling >= 9
    assert total.margin >= max(report.margin for report in reports)


def test_evidence_about_another_box_is_refused():
    report = QUESTIONS["logistic"]("1").evidence(BOX, 0)
    with pytest.raises(SordinoError, match="one box"):
        report + QUESTIONS["logistic"]("1").evidence(Box([-1, 0, 10], [2, 1e-3, 111]), 0)


def test_no_reports_say_nothing():
    nothing = type(QUESTIONS["logistic"]("1").evidence(BOX, 0))(BOX)
    assert (nothing.n, nothing.radius, nothing.ceiling, nothing.margin) == (0, 0, 0, 0)
    assert (nothing.at(records(3)) == 0).all()


@pytest.mark.parametrize(
    "query",
    [
        LinearQuery([1.0], 0, -1 + 5e-10, 1 - 5e-10, 25),
        TruncatedLinearQuery([1e9], 0, -1e-9, 1e-9, 1),
        LogisticQuery([1e30], 0, 1),
    ],
)
def test_where_rounding_hides_the_function_the_promise_is_the_radius(query):
    evidence = query.evidence(Box([-1], [1]), 1)
    assert evidence.n == 0
    assert 2 * evidence.radius == evidence.ceiling == query.level
