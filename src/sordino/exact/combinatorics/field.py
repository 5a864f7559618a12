"""Finite fields of prime order and of order 4 to 128, a power of two: elements are the numbers 0..q-1.

Prime order: sums and products mod q. Order 2^r: an element's bits are the coefficients of a polynomial over F_2, the
lowest bit that of 1; sums are xor, products are taken modulo the least irreducible polynomial of degree r.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from math import isqrt

import numpy as np
from numpy.typing import NDArray

LARGEST_BINARY = 128
"""The largest power of two that is taken as an order: beyond it primes are dense enough."""

Elements = NDArray[np.integer]


@dataclass(frozen=True)
class Field:
    """The field with q elements, a prime or a power of two up to 128.

    Example:
        >>> field = Field(4)
        >>> field.plus(2, 3), field.times(2, 3)
        (1, 1)
    """

    q: int

    @property
    def binary(self) -> bool:
        """Whether the order is a power of two, so that 1 + 1 = 0."""
        return is_power_of_two(self.q)

    def plus(self, a: int, b: int) -> int:
        return a ^ b if self.binary else (a + b) % self.q

    def times(self, a: int, b: int) -> int:
        return _remainder(_polynomial_product(a, b), self._modulus) if self.binary else a * b % self.q

    def inverse(self, a: int) -> int:
        """The element whose product with a is 1; a is not 0."""
        return int(np.argmax(self._products[a] == 1)) if self.binary else pow(a, -1, self.q)

    def trace(self, a: int) -> int:
        """The sum of a, a^2, a^4, ..., a^(q/2), which is 0 or 1: additive and not 0 everywhere. For powers of two."""
        total, power = 0, a
        for _ in range(self.q.bit_length() - 1):
            total, power = total ^ power, self.times(power, power)
        return total

    def total(self, terms: Iterable[Elements]) -> Elements:
        """The sum of at least one array, elementwise."""
        if self.binary:
            return reduce(np.bitwise_xor, terms)
        total: Elements = reduce(partial(np.add, dtype=np.int64), terms)
        return self._remainders(total)

    def subtract(self, a: Elements, b: Elements) -> Elements:
        """Differences, elementwise."""
        if self.binary:
            return a ^ b
        difference: Elements = np.subtract(a, b, dtype=np.int64)
        difference += self.q * (difference < 0)
        return difference

    def multiply(self, a: Elements, b: Elements) -> Elements:
        return self._products[a, b] if self.binary else self._remainders(np.multiply(a, b, dtype=np.int64))

    def _remainders(self, numbers: Elements) -> Elements:
        """Remainders by q. That of numpy takes longer for some numbers; its quotient by a constant multiplies."""
        return numbers - numbers // self.q * self.q

    @cached_property
    def trace_masks(self) -> Elements:
        """For each a the bits m with trace(a b) = parity of m & b for all b, shape (q,). For powers of two."""
        bits = [1 << i for i in range(self.q.bit_length() - 1)]
        return np.array([sum(bit * self.trace(self.times(a, bit)) for bit in bits) for a in range(self.q)])

    @cached_property
    def _products(self) -> NDArray[np.intp]:
        """All products for a power of two, shape (q, q)."""
        return np.array([[self.times(a, b) for b in range(self.q)] for a in range(self.q)], dtype=np.intp)

    @cached_property
    def _modulus(self) -> int:
        """The bits of the least irreducible polynomial with q as its leading term."""
        return next(m for m in range(self.q, 2 * self.q) if all(_remainder(m, d) for d in range(2, self.q)))


def is_order(number: int) -> bool:
    """Whether there is a field here with so many elements."""
    return is_prime(number) or (1 < number <= LARGEST_BINARY and is_power_of_two(number))


def is_power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


def is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))


def _polynomial_product(a: int, b: int) -> int:
    product = 0
    while b:
        product ^= a * (b & 1)
        a, b = a << 1, b >> 1
    return product


def _remainder(polynomial: int, divisor: int) -> int:
    while polynomial.bit_length() >= divisor.bit_length():
        polynomial ^= divisor << (polynomial.bit_length() - divisor.bit_length())
    return polynomial
