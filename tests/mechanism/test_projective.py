"""Projective geometry response against the published figures, and its choice of field."""

import numpy as np
import pytest

from sordino.errors import SordinoError
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.projective import ProjectiveResponse, best_field


# n times the variance of a value that nobody has, at k = 43,750 (five digits), and the field that reaches it.
@pytest.mark.parametrize(
    ("epsilon", "field", "variance"),
    [("0.5", 3, 15.817), ("1", 3, 3.770), ("2", 7, 0.7319), ("3", 23, 0.2210), ("4", 53, 0.0761)],
)
def test_a_rare_value_has_the_known_variance(epsilon, field, variance):
    mechanism = ProjectiveResponse(43_750, epsilon)
    nobody = np.arange(mechanism.k) == 0
    assert mechanism.field == field
    assert mechanism.variance(nobody)[-1] == pytest.approx(variance, rel=2e-3)
    assert mechanism.variance(nobody)[-1] < HadamardResponse(43_750, epsilon).variance(nobody)[-1]


@pytest.mark.parametrize("k", [2, 9, 25, 100])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "2.5"])
def test_no_other_field_has_a_rare_value_of_lower_variance(k, epsilon):
    chosen = ProjectiveResponse(k, epsilon)
    nobody = np.eye(k)[0]
    for field in (2, 3, 5, 7, 11, 13, 17):
        other = ProjectiveResponse(k, epsilon, field)
        near = abs(field - np.exp(float(epsilon)) - 1) < np.exp(float(epsilon))
        if near:
            assert chosen.variance(nobody)[-1] <= other.variance(nobody)[-1] * (1 + 1e-9)


@pytest.mark.parametrize("field", [1, 0, -3, 4, 9, 2**25])
def test_a_field_has_a_prime_order(field):
    with pytest.raises(SordinoError, match="prime"):
        ProjectiveResponse(5, "1", field)


def test_a_space_beyond_the_tables_is_refused():
    with pytest.raises(SordinoError, match="vectors"):
        ProjectiveResponse(2**22, "1", 4093)
    with pytest.raises(SordinoError, match="vectors"):
        best_field(2**26, 1.0)


def test_one_value_has_nothing_to_hide():
    mechanism = ProjectiveResponse(1, "1")
    assert set(mechanism.privatize([0] * 100).tolist()) <= set(range(mechanism.outputs))
    assert mechanism.probabilities().sum() == pytest.approx(1)
