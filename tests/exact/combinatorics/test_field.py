"""Finite fields: the axioms one by one, the polynomials that plans rely on, and the characters of powers of two."""

import numpy as np
import pytest

from in_one import in_one
from sordino.exact.combinatorics.field import Field, is_order, is_prime

PRIMES = (2, 3, 5, 7, 13, 31)
BINARY = (2, 4, 8, 16, 32, 64, 128)
ORDERS = sorted({*PRIMES, *BINARY})


def tables(q):
    """All sums and all products."""
    field, elements = Field(q), np.arange(q)
    first, second = np.broadcast_arrays(elements[:, None], elements)
    return field.total([first, second]), field.multiply(first, second)


@pytest.mark.parametrize("q", ORDERS)
def test_the_axioms_hold(q):
    elements = np.arange(q)
    for zero, table in enumerate(tables(q)):
        assert (table.min(), table.max()) == (0, q - 1)
        np.testing.assert_array_equal(table, table.T)
        np.testing.assert_array_equal(table[zero], elements)
        # Associative: (a b) c = a (b c).
        np.testing.assert_array_equal(table[table], table[:, table])
    plus, times = tables(q)
    # Distributive: a (b + c) = a b + a c.
    np.testing.assert_array_equal(times[:, plus], plus[times[:, :, None], times[:, None, :]])
    # Negatives and inverses.
    assert (np.sort(plus, axis=1) == elements).all()
    assert (np.sort(times[1:], axis=1) == elements).all()
    assert not times[0].any()


@in_one("q", ORDERS)
def test_single_elements_are_counted_like_arrays(q):
    field, (plus, times) = Field(q), tables(q)
    some = range(0, q, max(1, q // 16))
    assert [[field.plus(a, b) for b in some] for a in some] == plus[np.ix_(some, some)].tolist()
    assert [[field.times(a, b) for b in some] for a in some] == times[np.ix_(some, some)].tolist()
    assert all(times[a, field.inverse(a)] == 1 for a in range(1, q))


@in_one("q", ORDERS)
def test_a_difference_plus_what_was_taken_away_is_the_first(q):
    plus, elements = tables(q)[0], np.arange(q)
    first, second = np.broadcast_arrays(elements[:, None], elements)
    difference = Field(q).subtract(first, second)
    np.testing.assert_array_equal(plus[difference, second], first)


def test_sums_of_many_small_words_do_not_overflow():
    terms = np.full((100, 3), 250, dtype=np.uint8)
    assert Field(251).total(iter(terms)).tolist() == [25000 % 251] * 3
    assert Field(128).total([np.array([100], dtype=np.uint8)] * 3).tolist() == [100]


# Codes of frozen plans are numbered by these: x times x^(r-1) is the rest of the polynomial.
@pytest.mark.parametrize(
    ("q", "rest"), [(4, 0b11), (8, 0b011), (16, 0b0011), (32, 0b00101), (64, 0b000011), (128, 0b0000011)]
)
def test_products_are_taken_modulo_the_least_irreducible_polynomial(q, rest):
    assert Field(q).times(2, q // 2) == rest
    # Any smaller one has a factor: it is a product without carries of smaller numbers.
    products = {without_carries(a, b) for a in range(2, q) for b in range(2, q)}
    assert min(set(range(q, 2 * q)) - products) == q + rest


def without_carries(a, b):
    return int(np.bitwise_xor.reduce([a << i for i in range(8) if b >> i & 1], initial=0))


@in_one("q", BINARY)
def test_trace_masks_turn_products_into_bits(q):
    field, (plus, times) = Field(q), tables(q)
    trace = np.array([field.trace(a) for a in range(q)])
    # A sum of bits that is not always 0, and the same for conjugates.
    assert set(trace.tolist()) == {0, 1}
    np.testing.assert_array_equal(trace[plus], trace[:, None] ^ trace)
    np.testing.assert_array_equal(trace[times.diagonal()], trace)
    bits = np.bitwise_count(field.trace_masks[:, None] & np.arange(q)) & 1
    np.testing.assert_array_equal(bits, trace[times])


def test_orders_are_primes_and_small_powers_of_two():
    sieve = [n for n in range(2, 2000) if not any(n % d == 0 for d in range(2, n))]
    assert [n for n in range(-3, 2000) if is_prime(n)] == sieve
    assert [n for n in range(-4, 2000) if is_order(n)] == sorted({*sieve, *BINARY})
