"""Tables of flips: the law from the definition, levels, slopes, what is told of signs and all else, refusals."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from enumerated import COIN, PAIR, TRIPLE, table
from in_one import in_one
from sordino import LDP, BitFlips, Nats, RandomizedResponse, SordinoError, certify
from sordino.document.codec import decode
from sordino.exact.coin import WORD
from sordino.testing import check_mechanism

RARE = BitFlips((WORD - 3, 1, 1, 1))
SPREAD = BitFlips(table(*np.random.default_rng(3).integers(1, 1000, 64).tolist()))
CHANNELS = {"coin": COIN, "pair": PAIR, "triple": TRIPLE, "rare": RARE, "six": SPREAD}
every = pytest.mark.parametrize("name", CHANNELS)


@every
def test_a_code_is_the_pattern_with_some_bits_flipped(name):
    mechanism = CHANNELS[name]
    bits = mechanism.k.bit_length() - 1
    assert (mechanism.outputs, mechanism.code_bits) == (mechanism.k, bits)
    for value in range(mechanism.k):
        told = {}
        for flips in product((False, True), repeat=bits):
            code = sum((bool(value >> c & 1) != flip) << c for c, flip in enumerate(flips))
            told[code] = Fraction(mechanism.table[sum(flip << c for c, flip in enumerate(flips))], WORD)
        assert told == {y: Fraction(mechanism.weight(value, y), mechanism.denominator) for y in range(mechanism.k)}


@every
def test_all_parts_are_those_of_the_weights(name):
    mechanism = CHANNELS[name]
    level = Nats.log(Fraction(max(mechanism.table), min(mechanism.table)))
    check_mechanism(mechanism, LDP(level))
    certificate = certify(mechanism, LDP(level))
    assert certificate.holds
    assert certificate.slack == 0
    assert not certify(mechanism, LDP(level - Fraction(1, 10**25))).holds


@every
def test_the_word_says_which_bits_are_flipped(name):
    mechanism, start = CHANNELS[name], 0
    words, flips = [], []
    for pattern, weight in enumerate(mechanism.table):
        words += [start, start + weight - 1]
        flips += [pattern] * 2
        start += weight
    assert start == WORD

    class Given:
        def next(self):
            return np.array(words, dtype=np.uint64)

    for value in range(mechanism.k):
        codes = mechanism._sample(np.full(len(words), value), Given())
        assert codes.tolist() == [value ^ flip for flip in flips]


@every
def test_slopes_are_the_mean_signs(name):
    mechanism = CHANNELS[name]
    for bit in range(mechanism.k.bit_length() - 1):
        for value in (0, mechanism.k - 1, mechanism.k // 3):
            own = 1 if value >> bit & 1 else -1
            mean = sum(
                Fraction(mechanism.weight(value, code), WORD) * (1 if code >> bit & 1 else -1)
                for code in range(mechanism.k)
            )
            assert mean == own * mechanism.slope(bit)


@every
def test_what_codes_count_as_is_unbiased_for_any_functional(name):
    mechanism, rng = CHANNELS[name], np.random.default_rng(1)
    law, patterns = mechanism.probabilities(), np.arange(mechanism.k)
    signs = [np.where(patterns >> c & 1, 1.0, -1.0) for c in range(mechanism.k.bit_length() - 1)]
    for functional in (*signs, np.ones(mechanism.k), rng.normal(size=mechanism.k)):
        counts = mechanism.code_values(functional)
        np.testing.assert_allclose(law @ counts, functional, atol=1e-10 * np.abs(counts).max())
        # The channel is square: there are no others.
        np.testing.assert_allclose(
            counts, np.linalg.solve(law, functional), rtol=1e-7, atol=1e-7 * np.abs(counts).max()
        )
    for bit, sign in enumerate(signs):
        np.testing.assert_allclose(mechanism.code_values(sign), sign / float(mechanism.slope(bit)), rtol=1e-12)


def test_a_lost_character_is_not_needed_where_the_functional_does_not_have_it():
    """The second bit is flipped for half, whatever the first is: it is lost, the first is not."""
    mechanism = BitFlips(table(3, 1, 3, 1))
    assert not mechanism.informative
    first, second = np.array([-1.0, 1, -1, 1]), np.array([-1.0, -1, 1, 1])
    np.testing.assert_allclose(mechanism.code_values(first), 2 * first)
    for functional in (second, first * second, first + second):
        with pytest.raises(SordinoError, match="depend on the values"):
            mechanism.code_values(functional)


@pytest.mark.parametrize("epsilon", ["0.001", "1", "ln 3", "40"])
def test_two_patterns_are_randomized_response(epsilon):
    bit = RandomizedResponse(2, epsilon)
    flips = BitFlips((bit.threshold, WORD - bit.threshold))
    np.testing.assert_array_equal(flips.probabilities(), bit.probabilities())


def test_independent_flips_are_as_many_randomized_responses():
    first, second = RandomizedResponse(2, "ln 3"), RandomizedResponse(2, "ln 7")
    flips = BitFlips((21 << 59, 7 << 59, 3 << 59, 1 << 59))
    law = flips.probabilities()
    for value, code in product(range(4), repeat=2):
        both = first.probabilities()[value & 1, code & 1] * second.probabilities()[value >> 1, code >> 1]
        assert law[value, code] == pytest.approx(both, rel=1e-15)


@in_one(
    "weights",
    [
        (WORD,),
        (3 << 62, 1 << 61),
        (WORD, 0),
        (WORD + 1, -1),
        (WORD // 3, WORD // 3, WORD - 2 * (WORD // 3)),
        (2.0**63, 2.0**63),
        (1 << 63, True),
        ("1", "2"),
        (),
        (1,) * 2**13,
        (WORD - 2**13 + 1, *(1,) * (2**13 - 1)),
    ],
)
def test_what_is_no_table_is_refused(weights):
    with pytest.raises(SordinoError, match="2\\^m whole weights >= 1 with sum 2\\^64"):
        BitFlips(weights)


def test_the_largest_table_is_taken():
    assert BitFlips((WORD - 2**12 + 1, *(1,) * (2**12 - 1))).code_bits == 12


@every
def test_a_frozen_channel_is_the_same(name):
    mechanism = CHANNELS[name]
    assert mechanism.record == {"table": [*map(str, mechanism.table)]}
    for again in (BitFlips(list(mechanism.table)), decode(mechanism.document_fields)):
        assert (again, again.fingerprint) == (mechanism, mechanism.fingerprint)
    moved = BitFlips((mechanism.table[0] - 1, mechanism.table[1] + 1, *mechanism.table[2:]))
    turned = BitFlips(mechanism.table[::-1])
    assert len({mechanism.fingerprint, moved.fingerprint, turned.fingerprint}) == 3


def test_what_is_lost_is_refused_and_takes_nothing_else_with_it():
    """Both signs are told, and whether they agree is not: the parity of the flips is a fair coin."""
    lost = BitFlips((7 << 60, 5 << 60, 3 << 60, 1 << 60))
    for bit in (0, 1):
        sign = np.where(np.arange(4) >> bit & 1, 1.0, -1.0)
        np.testing.assert_allclose(lost.probabilities() @ lost.code_values(sign), sign, atol=1e-12)
    with pytest.raises(SordinoError, match="raise epsilon"):
        lost.code_values(np.array([1.0, -1, -1, 1]))
