"""Printed guarantees: a short decimal that is never on the user's wrong side."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino.exact.nats import outward

values = st.one_of(
    st.fractions(), st.fractions(-1, 1, max_denominator=10**30), st.integers(-(10**30), 10**30).map(Fraction)
)


@given(values, st.integers(1, 12))
def test_a_printed_number_is_rounded_as_told_and_by_less_than_its_last_digit(value, digits):
    up, down = (outward(value, digits, up=up) for up in (True, False))
    assert Fraction(down) <= value <= Fraction(up)
    assert Fraction(up) - Fraction(down) <= Fraction(10 ** (1 - digits)) * abs(value)
    for text in (up, down):
        assert len(text.lower().partition("e")[0].strip("-").replace(".", "").strip("0")) <= digits


@in_one(
    ("value", "up", "down"),
    [
        (Fraction(0), "0", "0"),
        (Fraction(1), "1", "1"),
        (Fraction(2, 3), "0.667", "0.666"),
        (Fraction(-2, 3), "-0.666", "-0.667"),
        (Fraction(123456, 10), "12400", "12300"),
        (Fraction(1, 3 * 10**9), "3.34e-10", "3.33e-10"),
    ],
)
def test_known_texts(value, up, down):
    assert (outward(value, 3, up=True), outward(value, 3, up=False)) == (up, down)
