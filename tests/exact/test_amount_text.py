"""Amounts as people read them: short, and never on the wrong side by more than is said."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import (
    LDP,
    BayesianCoordinateDP,
    BayesianFilter,
    Box,
    Categories,
    CoordinateDP,
    LinearQuery,
    Nats,
    RandomizedResponse,
)
from sordino.definition.sampling import dependent_loss, largest_level
from sordino.exact.amount_text import loss_text, loss_text_beside, loss_text_of, remaining_text
from sordino.exact.nats import upward
from sordino.words.explain_filter import left_sentences, left_text

AMOUNTS = st.fractions(min_value=0, max_value=100) | st.sampled_from(
    [Fraction(0.1) * 4, Fraction("0.0999999999"), Fraction("7.34e-20"), Fraction("1e-7"), Fraction(1, 3)]
)
SAID = re.compile(r"(\d[\d.]*(?:e-\d+)?) nats?( \([+-] 1e-9\))?")


def read(text):
    number, tolerance = SAID.fullmatch(text).groups()
    assert len(number.replace(".", "").lstrip("0").partition("e")[0]) <= 3
    return Fraction(number), Fraction(tolerance.strip(" ()").replace(" ", "")) if tolerance else 0


@given(AMOUNTS)
def test_what_is_told_is_never_said_smaller(amount):
    said, tolerance = read(loss_text(amount))
    assert said + tolerance >= amount
    assert said <= amount * Fraction(101, 100) + Fraction(1, 10**9)


@given(AMOUNTS)
def test_what_is_left_is_never_said_larger(amount):
    said, tolerance = read(remaining_text(amount))
    assert said + tolerance <= amount
    assert tolerance <= 0
    assert said >= amount * Fraction(99, 100) - Fraction(1, 10**9)


def test_amounts_next_to_short_decimals_are_rounded_against_the_promise():
    rng = np.random.default_rng(4)
    for _ in range(1500):
        short = Fraction(int(rng.integers(1, 1000)), 10 ** int(rng.integers(0, 7)))
        off = Fraction(int(rng.integers(-9, 10)), 10 ** int(rng.integers(5, 30)))
        for amount in (max(short + off, Fraction(0)), Fraction(float(short)), Fraction(float(rng.random()))):
            surely, less = read(remaining_text(amount))
            at_most, more = read(loss_text(amount))
            assert surely + less <= amount <= at_most + more
            assert less <= 0 <= more


@pytest.mark.parametrize("seed", range(3))
def test_what_a_filter_says_is_left_is_accepted(seed):
    rng, people = np.random.default_rng(seed), Categories(["a", "b"])
    for _ in range(10):
        asked = BayesianFilter(people, LDP(str(round(float(rng.uniform(0.3, 3)), 2))))
        for _ in range(int(rng.integers(0, 4))):
            query = RandomizedResponse(2, str(round(float(rng.uniform(0.01, 0.3)), int(rng.integers(1, 5)) + 1)))
            asked = asked.after(query, int(rng.integers(2))) if asked.accepts(query) else asked
        spent, rest = (SAID.search(line) for line in left_sentences(asked))
        left, told = sum(read(rest[0])), sum(read(spent[0]))
        assert left <= asked.definition.epsilon if asked.binding.exactly else left <= Fraction(asked.remaining)
        assert told >= Fraction(asked.spent)
        assert left == 0 or asked.accepts(RandomizedResponse(2, left))


@pytest.mark.parametrize("epsilon", ["1", "0.1", "1/2", "0.7", "2.5e-3"])
def test_all_that_is_left_of_what_nothing_has_touched_is_said_and_accepted(epsilon):
    asked, other = Nats.of(epsilon), Nats.of(9)
    box, people = Box([-1, -1], [1, 1]), Categories(["a", "b"])
    filters = [
        BayesianFilter(box, LDP(epsilon)),
        BayesianFilter(box, CoordinateDP([epsilon, other])),
        BayesianFilter(box, BayesianCoordinateDP.bounded([epsilon, other], other, "0.3")),
        BayesianFilter(people, LDP(epsilon)),
    ]
    for untouched in filters:
        said = [line for line in left_sentences(untouched) if "add up to" in line]
        assert [sum(read(SAID.search(line)[0])) for line in said] == [asked]
        third = Nats(Fraction(epsilon) / 3)
        part = RandomizedResponse(2, third) if untouched.domain is people else question(third)
        assert untouched.accepts_all([part] * 3)
        assert untouched.after(part, 1).after(part, 1).after(part, 1).remaining < 1e-9


def test_sums_of_epsilons_leave_exactly_the_rest():
    for first, rest in (("0.4", "0.6 nats"), ("0.123", "0.877 nats"), ("1/3", "0.666 nats")):
        known = BayesianFilter(Box([-1, -1], [1, 1]), LDP(1)).after(question(Nats.of(first)), 0)
        assert left_text(known) == rest
        assert known.accepts(question(Nats.of(1) - Nats.of(first)))
        assert Fraction(known.remaining) <= 1 - Nats.of(first).rational
    # Where a bound was touched, rounding of floats leaves nearly that.
    known = BayesianFilter(Categories(["a", "b"]), LDP(1)).after(RandomizedResponse(2, "0.4"), 0)
    assert left_text(known) == "0.6 nats (- 1e-9)"


def question(epsilon):
    return LinearQuery([1.0, 0.0], 0, -1, 1, epsilon)


@given(AMOUNTS, st.fractions(min_value=Fraction(1, 10), max_value=100))
def test_what_is_reached_is_said_beside_the_bound(amount, bound):
    said = loss_text_of(amount, Nats(bound))
    if "its bound" in said:
        assert abs(amount - bound) <= Fraction(1, 10**9)
        return
    number, promised, tolerance = re.fullmatch(r"(\S+) of (\S+) nats?( \(\+ 1e-9\))?", said).groups()
    assert Fraction(number) + (Fraction(1, 10**9) if tolerance else 0) >= amount
    # Neither is rounded towards the other where more is told than promised.
    assert Fraction(promised) <= bound if amount > bound else Fraction(promised) >= bound
    # Nobody reads the bound where less is told.
    assert (Fraction(number) < bound) == (amount < bound)


@given(
    st.decimals(Decimal("0.05"), 5, places=2),
    st.fractions(min_value=Fraction(1, 50), max_value=Fraction(49, 50), max_denominator=100),
)
def test_what_just_keeps_its_bound_does_not_look_broken(delta, variation):
    bound = Nats.of(delta)
    reached = dependent_loss(largest_level(bound, variation), variation)
    assert reached <= bound
    assert loss_text_of(reached, bound).endswith("its bound")
    assert loss_text_beside(reached, bound) == upward(bound, 3)
    # What is broken, however little, is never cut to its bound.
    more = bound + Fraction(1, 10**12)
    assert loss_text_of(more, bound).endswith("its bound (+ 1e-9)")
    assert Fraction(loss_text_beside(more, bound)) >= Fraction(bound.floor()) + Fraction(1, 10**12)


@in_one(
    ("said", "text"),
    [
        (loss_text(Nats.of("1.74188396")), "1.75 nats"),
        (loss_text(Fraction(0.2) + Fraction(0.2)), "0.4 nats (+ 1e-9)"),
        (remaining_text(Fraction("0.0999999999")), "0.1 nats (- 1e-9)"),
        (remaining_text(Fraction("0.099999")), "0.0999 nats"),
        (remaining_text(Fraction("0.1")), "0.1 nats"),
        (remaining_text(Fraction("7.34e-20")), "0 nats"),
        (loss_text_of(Nats.of("0.98"), Nats.of(1)), "0.98 of 1 nat"),
        (loss_text_of(Fraction(0.2) + Fraction(0.2), Nats.of(1)), "0.4 of 1 nat (+ 1e-9)"),
        (loss_text_of(Nats.of("0.99999999999999999999"), Nats.of(1)), "1 nat, its bound"),
        (loss_text_of(Nats.of("1.1"), Nats.of(1)), "1.1 of 1 nat"),
        (loss_text_of(Nats.of("1.09865"), Nats.of("ln 3")), "1.09865 of 1.09861228 nats"),
    ],
)
def test_as_people_read_them(said, text):
    assert said == text
