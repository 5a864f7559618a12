"""Amounts of loss: what is read and refused, exact order, outward rounding; mpmath at 200 digits is the witness."""

import math
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import Nats, SordinoError
from sordino.exact.nats import in_nats

witness = mpmath.MPContext()
witness.dps = 200

GOOD = [
    ("1.0", 1, 1),
    ("1/2", Fraction(1, 2), 1),
    (" .5 ", Fraction(1, 2), 1),
    ("1e-3", Fraction(1, 1000), 1),
    ("2.5/0.5", 5, 1),
    ("-3", -3, 1),
    ("ln 3", 0, 3),
    ("ln 3/2", 0, Fraction(3, 2)),
    ("ln .5", 0, Fraction(1, 2)),
    ("1 + ln 3", 1, 3),
    ("ln 3 + 1", 1, 3),
    ("ln 2 + ln 3 + 1/2 + 1/3", Fraction(5, 6), 6),
    ("1e400", 10**400, 1),
    (7, 7, 1),
    (0.1, Fraction(1, 10), 1),
    (5e-324, Fraction(5, 10**324), 1),
    (np.float64(0.3), Fraction(3, 10), 1),
    (Fraction(2, 3), Fraction(2, 3), 1),
    (Decimal("0.25"), Fraction(1, 4), 1),
]
BAD = [
    *("", " ", "one", "e", "0x10", "1,5", "1 +", "+ 1", "1 + + 1", "1/2/3", "1 - ln 3", "1+ln 3"),
    *("nan", "inf", "-inf", "1/nan", "ln inf", "ln nan", math.nan, math.inf, Decimal("sNaN"), Decimal("-Infinity")),
    *("1e401", "1e-401", "1e1000000000", "1e99999999999999999999", "1/1e401", "ln 1e999999", Decimal("1e500000")),
    *("1" * 5000, "0." + "1" * 5000, "1/" + "3" * 5000, "ln 1." + "0" * 401 + "1", " + ".join(["ln 1e300"] * 20)),
    *(10**5000, -(10**5000), Fraction(1, 10**5000), " + ".join(f"1/1{'0' * 90}{n}" for n in (1, 3, 7, 9, 13))),
    *("ln", "ln 0", "ln -1", "ln ln 2", "ln 1/0", "1/0", "0/0", "ln 0 + 1", "ln 0/5"),
    *(True, False, None, b"1", [1], 1j),
]
CLOSE = [(ratio, digits) for ratio in ("2", "3", "10/7", "1000000007") for digits in (5, 20, 39, 40, 41, 80, 150)]

rationals = st.fractions(-60, 60, max_denominator=10**6)
ratios = st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**6)
amounts = st.builds(Nats, rationals, st.one_of(st.just(Fraction(1)), ratios))


def mp(value):
    return witness.mpf(value.numerator) / value.denominator


def truth(amount):
    return mp(amount.rational) + witness.log(mp(amount.ratio))


def cut(ratio, digits):
    """ln ratio, cut to some decimal digits."""
    return Fraction(int(witness.floor(witness.log(mp(Fraction(ratio))) * 10**digits)), 10**digits)


@in_one("text, rational, ratio", GOOD)
def test_reads_amounts_exactly(text, rational, ratio):
    amount = Nats.of(text)
    assert (amount.rational, amount.ratio) == (rational, ratio)


@in_one("text", BAD)
def test_refuses_what_is_no_amount(text):
    with pytest.raises(SordinoError, match="finite number of nats"):
        Nats.of(text)


def test_refuses_logarithms_of_negative_numbers_that_multiply_to_a_positive_one():
    with pytest.raises(SordinoError):
        Nats.of("ln -1 + ln -3")


@given(amounts, amounts)
def test_order_is_exact(first, second):
    sign = int(witness.sign(truth(first) - truth(second)))
    assert ((first > second) - (first < second), (first - second).sign()) == (sign, sign)
    assert ((first == second), (first <= second), (first >= second)) == (sign == 0, sign <= 0, sign >= 0)


@in_one("ratio, digits", CLOSE)
def test_order_is_exact_however_close(ratio, digits):
    below = cut(ratio, digits)
    logarithm = Nats.of(f"ln {ratio}")
    above = below + Fraction(1, 10**digits)
    assert Nats(below) < logarithm < Nats(above)
    assert ((logarithm - below).sign(), (logarithm - above).sign()) == (1, -1)


@given(amounts, amounts)
def test_sums_and_differences_are_exact(first, second):
    assert witness.almosteq(truth(first + second), truth(first) + truth(second), 1e-190, 1e-190)
    assert witness.almosteq(truth(first - second), truth(first) - truth(second), 1e-190, 1e-190)
    assert (first + second) - second == first
    assert first + second == second + first


@given(amounts)
def test_floor_and_ceil_enclose_within_two_units(amount):
    low, high = amount.floor(), amount.ceil()
    assert witness.mpf(low) <= truth(amount) <= witness.mpf(high)
    assert high <= math.nextafter(math.nextafter(low, math.inf), math.inf)
    assert low <= float(amount) <= high


@in_one("ratio, digits", CLOSE)
def test_floor_and_ceil_enclose_sums_that_almost_cancel(ratio, digits):
    amount = Nats(cut(ratio, digits)) - f"ln {ratio}"
    low, high = amount.floor(), amount.ceil()
    assert witness.mpf(low) <= truth(amount) <= witness.mpf(high)
    assert high - low <= 2 * math.ulp(low) + 1e-37


@in_one("text", ["ln 2", "ln 1/2", "1 + ln 2", "-1 + ln 3", "1/3", "-1/3", "ln 1e300", "ln 1e-300"])
def test_floor_and_ceil_of_simple_amounts(text):
    amount = Nats.of(text)
    assert witness.mpf(amount.floor()) < truth(amount) < witness.mpf(amount.ceil())
    assert amount.ceil() <= math.nextafter(math.nextafter(amount.floor(), math.inf), math.inf)


@in_one("number", [0.0, 1.0, -0.5, 3.0, 2.0**-1074, 2.0**70])
def test_floor_and_ceil_of_a_float_are_that_float(number):
    assert Nats(Fraction(number)).floor() == number == Nats(Fraction(number)).ceil()


def test_amounts_beyond_the_floats_are_enclosed():
    largest = float.fromhex("0x1.fffffffffffffp+1023")
    assert (Nats.of("1e400").floor(), Nats.of("1e400").ceil()) == (largest, math.inf)
    assert (Nats.of("-1e400").floor(), Nats.of("-1e400").ceil()) == (-math.inf, -largest)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("text", ["ln 1." + "0" * 390 + "1", "1 + ln 1." + "0" * 390 + "1", "ln 1 + 1e-390"])
def test_an_amount_is_never_rounded_beyond_zero(text):
    tiny = Nats.of(text) - Nats.of("1" if text[0] == "1" else 0)
    assert 0 <= tiny.floor() <= 1e-300
    assert 0 < tiny.ceil() <= 2e-39
    below = Nats.of(0) - tiny
    assert -2e-39 <= below.floor() < 0
    assert -1e-300 <= below.ceil() <= 0


def test_what_is_read_can_be_written_and_read_again():
    for text in ("ln 1." + "0" * 390 + "1", "0." + "1" * 400, "1/3 + ln " + "9" * 401 + "/7", "1e-400", "-1e400"):
        amount = Nats.of(text)
        assert Nats.of(str(amount)) == amount


def test_huge_amounts_with_a_logarithm_are_compared():
    assert Nats.of("1e400 + ln 2") > 100
    assert Nats.of("-1e400 + ln 1e400") < -100
    assert Nats.of("1000 + ln 1e-400") > 0 > Nats.of("900 + ln 1e-400")


@given(amounts)
def test_canonical_text_is_read_as_the_same_amount(amount):
    assert Nats.of(str(amount)) == amount
    assert repr(amount) == f"Nats({str(amount)!r})"


@pytest.mark.parametrize("amount", [Nats.of(0), Nats.log(1), Nats.of(1) - Nats.of(1)])
def test_nothing_has_no_sign(amount):
    assert (str(amount.floor()), str(amount.ceil()), str(float(amount))) == ("0.0", "0.0", "0.0")


@in_one(
    ("first", "second"),
    [("0.5", "1/2"), ("ln 4", "ln 2 + ln 2"), ("ln 1 + 1", "1.000"), ("ln 2/4", "ln .5"), (0.1, "0.1")],
)
def test_equal_amounts_are_equal_in_sets(first, second):
    assert Nats.of(first) == Nats.of(second)
    assert len({Nats.of(first), Nats.of(second)}) == 1


@in_one("number", [0, 1, -7, 10**400, Fraction(2, 3)])
def test_exact_numbers_are_equal_to_their_amounts_in_sets_too(number):
    assert Nats.of(number) == number
    assert {Nats.of(number)} == {number}


@pytest.mark.parametrize(
    ("amount", "same"), [("1", "1.0"), ("ln 4", "ln 2 + ln 2"), ("0.5", 0.5), ("0.1", Decimal("0.1"))]
)
def test_an_amount_is_neither_above_nor_below_what_reads_the_same(amount, same):
    assert not Nats.of(amount) > same
    assert not Nats.of(amount) < same
    assert Nats.of(amount) >= same
    assert Nats.of(amount) <= same


def test_equality_is_with_amounts_only():
    assert Nats.of(1) != Nats.of("ln 3")
    assert Nats.of(1) != "one"
    assert Nats.of(1) != [1]
    assert Nats.of(1) != object()


def test_minus_infinity_is_below_every_amount_and_equal_to_itself():
    infinite = Nats.log(0)
    assert infinite < Nats.of("-1e400")
    assert not infinite < Nats(Fraction(5), Fraction(0))
    assert infinite == Nats(Fraction(5), Fraction(0))
    assert hash(infinite) == hash(infinite + 1)
    assert (infinite.sign(), infinite.floor(), infinite.ceil()) == (-1, -math.inf, -math.inf)
    assert infinite != Nats(Fraction(0))
    assert not infinite.is_finite
    assert not (infinite + 3).is_finite
    with pytest.raises(SordinoError, match="finite"):
        Nats.of(1) - infinite


def test_logarithms_of_negative_numbers_are_no_amounts():
    with pytest.raises(SordinoError, match="negative"):
        Nats(Fraction(0), Fraction(-1))


def test_one_is_no_plural():
    assert [in_nats(amount) for amount in (Nats.of("1.0"), "1", 1, "0.5", "-1", Nats.of("ln 3"), "11")] == [
        "1 nat",
        "1 nat",
        "1 nat",
        "0.5 nats",
        "-1 nats",
        "ln 3 nats",
        "11 nats",
    ]
