"""Frozen words that somebody changed; a witness of products in finite fields."""

import json
from functools import cache

import numpy as np
import pytest


@pytest.fixture
def sealed_text():
    """A document's canonical text with one entry changed, and the hash of its new contents."""
    from sordino.document.sealed import canonical, content_hash

    def change(text, path, value):
        document = json.loads(text)
        *parents, last = path
        table = document
        for name in parents:
            table = table[name]
        table[last] = value
        return canonical({**document, "hash": content_hash(document)}).decode()

    return change


POLYNOMIALS = {4: 0b111, 8: 0b1011, 16: 0b10011, 32: 0b100101, 64: 0b1000011, 128: 0b10000011}
"""What products are taken modulo in fields whose order is a power of two."""


@cache
def _products(q: int) -> np.ndarray:
    """All products of a field: of a power of two by adding doubled numbers without carries."""
    numbers = np.arange(q)
    products = np.outer(numbers, numbers)
    if q not in POLYNOMIALS:
        return products % q
    products[:] = 0
    for bit in reversed(range(q.bit_length() - 1)):
        products <<= 1
        products ^= np.where(products & q, POLYNOMIALS[q], 0)
        products ^= np.where(numbers >> bit & 1, numbers[:, None], 0)
    return products


@pytest.fixture(scope="session")
def inner_products():
    """A function of a field's order and two arrays of vectors: all inner products, shape (first, second)."""

    def matrix(q, first, second):
        terms = [_products(q)[np.ix_(a, b)] for a, b in zip(first.T, second.T, strict=True)]
        return np.bitwise_xor.reduce(terms) if q in POLYNOMIALS else np.sum(terms, axis=0) % q

    return matrix
