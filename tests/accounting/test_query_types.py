"""Filters take queries, and say so to type checkers: mypy reads this file, strictly.

Each wrong argument carries the error that mypy must find there; one that it no longer finds is an error itself. What a
type checker refuses is refused in words where nobody ran one.
"""

from fractions import Fraction

import pytest

from sordino import (
    LDP,
    ApproximateFilter,
    BayesianFilter,
    Box,
    Categories,
    LinearQuery,
    LossBounds,
    Odometer,
    Query,
    RandomizedResponse,
    Record,
    SordinoError,
    Value,
    realized_loss,
)
from sordino.accounting.state import Decision, FilterState

ANSWERS = Categories(["yes", "no"])
COIN = RandomizedResponse(2, "1/2")
SMOKER = Query(Value("smoker"), COIN)
AGE = LinearQuery([1.0], 0, -1, 1, "1/2")


def test_queries_that_fit_are_taken() -> None:
    finite = BayesianFilter(ANSWERS, LDP("1"))
    decision: Decision[FilterState] = finite.decide(COIN)
    after: BayesianFilter = finite.after(COIN, 1).with_answer(COIN, 0)
    assert decision.accepted
    assert decision.follow is not None
    assert decision.follow(1).spent == pytest.approx(0.5)
    assert after.spent == pytest.approx(0)
    assert BayesianFilter(Record({"smoker": ANSWERS}), LDP("1")).accepts(SMOKER)
    assert BayesianFilter(Box([-1], [1]), LDP("1")).accepts_all([AGE, AGE])
    assert Odometer(ANSWERS, LDP("1")).after(COIN, 1).realized == pytest.approx(0.5)
    assert ApproximateFilter("1", "1e-6").accepts("1/2")
    assert ApproximateFilter("1", "1e-6").accepts(Fraction(1, 2))
    assert ApproximateFilter("1", "1e-6", ANSWERS).after(COIN, 0).accepts(COIN)
    bounds: LossBounds = realized_loss(Box([-1], [1]), [AGE], [1])
    assert bounds.upper < 0.51


def test_wrong_queries_are_refused() -> None:
    finite, box = BayesianFilter(ANSWERS, LDP("1")), BayesianFilter(Box([-1], [1]), LDP("1"))
    with pytest.raises(SordinoError, match="takes finite mechanisms"):
        finite.decide("1/2")  # type: ignore[arg-type]
    with pytest.raises(SordinoError, match="takes finite mechanisms"):
        finite.accepts(Value("smoker"))  # type: ignore[arg-type]
    with pytest.raises(SordinoError, match="takes linear, truncated, logistic and quadratic queries"):
        box.after(LDP("1"), 1)  # type: ignore[arg-type]
    with pytest.raises(SordinoError, match="takes linear, truncated, logistic and quadratic queries"):
        box.accepts_all([AGE, "1/2"])  # type: ignore[list-item]
    with pytest.raises(SordinoError, match="takes finite mechanisms"):
        Odometer(ANSWERS, LDP("1")).after(1, 1)  # type: ignore[arg-type]
    with pytest.raises(SordinoError, match="takes linear, truncated, logistic and quadratic queries"):
        realized_loss(Box([-1], [1]), [COIN], [1])


def test_a_filter_by_epsilons_and_one_over_a_domain_are_asked_different_things() -> None:
    with pytest.raises(SordinoError, match="a filter without a domain counts epsilons"):
        ApproximateFilter("1", "1e-6").accepts(COIN)
    with pytest.raises(SordinoError, match="a filter over a domain is asked queries"):
        ApproximateFilter("1", "1e-6", ANSWERS).accepts("1/2")
    with pytest.raises(SordinoError, match="an amount of loss"):
        ApproximateFilter("1", "1e-6").accepts([1, 2])  # type: ignore[arg-type]
