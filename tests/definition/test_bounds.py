"""Matrices of bounds: reading them, and their closure against every path, found by brute force."""

from fractions import Fraction
from itertools import pairwise, permutations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csgraph

from in_one import in_one
from sordino import Nats, SordinoError
from sordino.definition.bounds import closure, read_bound, read_bounds, read_epsilon

witness = mpmath.MPContext()
witness.dps = 60

RATIONAL = ["0", "0.001", "1/3", "1/7", "0.5", "1", "2.25", "40", "99.5"]
LOGARITHMIC = ["ln 2", "ln 3", "1 + ln 2", "1/3 + ln 5", "ln 1.0000000000000000001"]


@st.composite
def matrices(draw, amounts, most=5):
    """Texts of bounds off the diagonal, about a third of them unprotected."""
    k = draw(st.integers(1, most))
    entry = st.one_of(st.sampled_from(amounts), st.sampled_from(amounts), st.just("inf"))
    return [["0" if x == y else draw(entry) for y in range(k)] for x in range(k)]


def value(text):
    """A bound in 60 digits."""
    if text == "inf":
        return witness.inf
    parts = [Fraction(part.removeprefix("ln ")) for part in text.split(" + ")]
    amounts = [witness.mpf(part.numerator) / part.denominator for part in parts]
    return sum(
        witness.log(amount) if "ln" in part else amount for amount, part in zip(amounts, text.split(" + "), strict=True)
    )


def along_every_path(matrix):
    """The least sum over all ways from x to z that visit a value at most once."""
    k = len(matrix)
    amounts = [[value(text) for text in row] for row in matrix]
    least = [[witness.mpf(0) if x == z else amounts[x][z] for z in range(k)] for x in range(k)]
    for length in range(3, k + 1):
        for path in permutations(range(k), length):
            total = sum(amounts[x][y] for x, y in pairwise(path))
            least[path[0]][path[-1]] = min(least[path[0]][path[-1]], total)
    return least


def exact(bound):
    """A bound as read, in 60 digits."""
    if bound is None:
        return witness.inf
    rational = witness.mpf(bound.rational.numerator) / bound.rational.denominator
    return rational + witness.log(witness.mpf(bound.ratio.numerator) / bound.ratio.denominator)


def same(found, expected):
    return found == expected or abs(found - expected) < witness.mpf(10) ** -50


@given(st.one_of(matrices(RATIONAL), matrices(LOGARITHMIC, 4), matrices([*RATIONAL, *LOGARITHMIC], 4)))
def test_closure_is_the_least_sum_along_any_path(matrix):
    expected = along_every_path(matrix)
    found = closure(read_bounds(matrix))
    for row, least in zip(found, expected, strict=True):
        assert all(same(exact(bound), total) for bound, total in zip(row, least, strict=True))


@given(st.one_of(matrices(RATIONAL), matrices(LOGARITHMIC)))
def test_a_closed_matrix_is_closed(matrix):
    closed = closure(read_bounds(matrix))
    assert closure(closed) == closed


@given(matrices(RATIONAL))
def test_bounds_that_nothing_lowers_are_kept_as_they_are(matrix):
    given_bounds = read_bounds(matrix)
    for before, after in zip(given_bounds, closure(given_bounds), strict=True):
        assert all(one == other or other < one for one, other in zip(before, after, strict=True) if one is not None)
        assert all(one is not None or other is None or other >= 0 for one, other in zip(before, after, strict=True))


@pytest.mark.parametrize("digits", [12, 25, 60])
def test_sums_beyond_64_bits_are_exact(digits):
    # Denominators without a common factor: their common multiple passes 2^64 before the sums do.
    tiny = Fraction(1, 10**digits)
    matrix = [["0", Fraction(1, 3), 1], [1, "0", Fraction(2, 3) - tiny], [1, 1, "0"]]
    assert closure(read_bounds(matrix))[0][2] == Nats(1 - tiny)
    matrix[1][2] += 2 * tiny
    assert closure(read_bounds(matrix))[0][2] == Nats(Fraction(1))


def test_logarithms_are_compared_exactly():
    # ln 2 + ln 3 against ln 6, and a hair to either side.
    for hair, lowered in (("0", False), ("1e-45", False), ("-1e-45", True)):
        direct = Nats.of("ln 6") - Nats.of(hair) if hair != "-1e-45" else Nats.of("ln 6") + "1e-45"
        closed = closure(read_bounds([[0, "ln 2", direct], ["inf", 0, "ln 3"], ["inf", "inf", 0]]))
        assert closed[0][2] == (Nats.of("ln 6") if lowered else direct)


def test_a_long_line_is_closed():
    k = 120
    matrix = [["0" if x == y else ("1/8" if abs(x - y) == 1 else "inf") for y in range(k)] for x in range(k)]
    closed = closure(read_bounds(matrix))
    for x, y in ((0, 119), (119, 0), (17, 17), (100, 108)):
        assert closed[x][y] == Fraction(abs(x - y), 8)


@pytest.mark.long
def test_a_line_of_64_logarithms_is_closed():
    k = 64
    matrix = [["0" if x == y else ("ln 1.5" if abs(x - y) == 1 else "inf") for y in range(k)] for x in range(k)]
    closed = closure(read_bounds(matrix))
    for x, y in ((0, 63), (63, 0), (17, 17), (20, 28)):
        assert closed[x][y] == Nats.log(Fraction(3, 2) ** abs(x - y))
    assert closure(closed) == closed


def test_many_logarithms_are_closed_as_floats_are():
    rng = np.random.default_rng(1)
    matrix = [
        ["0" if x == y else f"{rng.integers(99)}/7 + ln {rng.integers(1, 999)}" for y in range(20)] for x in range(20)
    ]
    matrix = [[entry if rng.random() < 0.5 or entry == "0" else "inf" for entry in row] for row in matrix]
    floats = np.array([[float(value(entry)) for entry in row] for row in matrix])
    expected = csgraph.shortest_path(csgraph.csgraph_from_dense(floats, null_value=np.inf))
    found = [[np.inf if bound is None else float(bound) for bound in row] for row in closure(read_bounds(matrix))]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert (np.array(found) < floats).any()


def test_logarithms_among_more_than_64_values_are_refused():
    matrix = [[0 if x == y else "ln 2" for y in range(65)] for x in range(65)]
    with pytest.raises(SordinoError, match="at most 64 values; found 65: write the bounds as decimals"):
        closure(read_bounds(matrix))
    assert closure(read_bounds([row[:9] for row in matrix[:9]]))[0][1] == Nats.of("ln 2")


@in_one("bound", [None, "inf", "Infinity", " INF ", float("inf")])
def test_an_infinite_bound_protects_nothing(bound):
    assert read_bound(bound) is None


@in_one("bound", [0, "1/2", 0.25, "ln 3", Fraction(1, 7), Nats.of("1 + ln 2"), 100])
def test_a_finite_bound_is_kept_exactly(bound):
    assert read_bound(bound) == Nats.of(bound) == read_epsilon(bound)


@in_one("bound", [-1, "-0.001", "nan", float("-inf"), "-inf", "ln .5", 101, "1e400", True, [1], "much"])
def test_no_other_bound_is_read(bound):
    with pytest.raises(SordinoError):
        read_bound(bound)


@in_one(
    ("matrix", "rule"),
    [
        ([[0, 1], [1]], "square; found 2 rows, one of them of 1 entries"),
        ([[0, 1]], "square"),
        ([[0, 1], [1, 0], [1, 1]], "square"),
        ([], "1 to 256 rows; found 0"),
        ([[0] * 257] * 257, "1 to 256 rows; found 257"),
        ([[0, 1], [1, 1]], "to itself must be 0; found 1 in row 1"),
        ([["inf", 1], [1, 0]], "to itself must be 0"),
        ([[0, -1], [1, 0]], "row 0, column 1: epsilon must lie between 0 and 100"),
        ([[0, 1], ["much", 0]], "row 1, column 0: an amount of loss must be"),
        ("01", "list of rows; found str"),
        (["01", "10"], "list of rows"),
        ([0, 1], "list of rows"),
        (np.array([0.0, 1.0]), "list of rows"),
        (np.array([[0.0, np.nan], [1, 0]]), "row 0, column 1"),
    ],
)
def test_what_is_not_a_matrix_of_bounds_is_refused(matrix, rule):
    with pytest.raises(SordinoError, match=rule):
        read_bounds(matrix)


def test_arrays_are_read_by_their_shortest_decimals():
    found = read_bounds(np.array([[0, 0.1], [np.inf, 0]]))
    assert found == ((Nats.of(0), Nats.of("1/10")), (None, Nats.of(0)))
