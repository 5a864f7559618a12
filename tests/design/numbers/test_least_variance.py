"""The bound below which no channel is: proved, and near what tables reach; what is not proved is not said."""

from fractions import Fraction

import numpy as np
import pytest

from sordino import Nats, Number, Query
from sordino.design.numbers.best_table import best_table
from sordino.design.numbers.least_variance import QuadraticFunction, is_allowed, least_variance
from sordino.design.numbers.unbiased_channel import UnbiasedChannel
from sordino.estimation.moment_estimator import MomentEstimator

LEAST = [("0.5", 16.0013), ("2", 0.86497), ("4", 0.126608), ("ln 3", 3.29039)]


@pytest.mark.parametrize(("epsilon", "figure"), LEAST)
def test_known_bounds_and_tables_next_to_them(epsilon, figure):
    least = least_variance(Nats.of(epsilon))
    assert least == pytest.approx(figure, rel=3e-5)
    table = best_table(epsilon)
    (worst,) = MomentEstimator.of(Query(Number(0, table.k), table)).largest_variance()
    assert least < worst < 1.02 * least


def terms_of(epsilon, more=0.0):
    """The functions of a solved problem, in fractions: l z^2 - b z - a, a with something on top."""
    prices = UnbiasedChannel.of(float(np.exp(epsilon)), 5).prices
    a, b, prior = (part.tolist() for part in (prices.a, prices.b, prices.prior))
    half = [
        QuadraticFunction(Fraction(p), Fraction(s), Fraction(c + more * p))
        for p, s, c in zip(prior, [0, *b], a, strict=True)
    ]
    return [QuadraticFunction(term.square, -term.slope, term.constant) for term in half[:0:-1]] + half


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0])
def test_prices_are_allowed_where_the_sum_is_nowhere_negative(epsilon):
    """As told by evaluating it, at many values; prices that promise a thousandth more are not."""
    fine = np.linspace(-8, 8, 40_001)
    for more, allowed in ((0.0, True), (2e-3 * UnbiasedChannel.of(float(np.exp(epsilon)), 5).worst, False)):
        terms = terms_of(epsilon, more)
        values = [float(t.square) * fine**2 - float(t.slope) * fine - float(t.constant) for t in terms]
        lowest = sum(np.minimum(value, np.exp(epsilon) * value) for value in values).min()
        assert (lowest >= 0) == allowed
        assert is_allowed(terms, Fraction(float(np.exp(epsilon)))) == allowed


def test_what_is_flat_or_turned_around_is_not_allowed():
    terms = terms_of(1.0)
    for square in (Fraction(0), -terms[0].square):
        assert not is_allowed([QuadraticFunction(square, terms[0].slope, terms[0].constant), *terms[1:]], Fraction(3))
    # Nowhere below 0, by itself.
    assert is_allowed([QuadraticFunction(Fraction(1), Fraction(0), Fraction(-1))], Fraction(3))
    assert not is_allowed([QuadraticFunction(Fraction(1), Fraction(0), Fraction(1))], Fraction(3))


def test_where_nothing_is_proved():
    assert least_variance(Nats.of("20")) is None
    assert least_variance(Nats.of("1e-20")) is None
