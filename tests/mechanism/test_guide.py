"""Draws from a table: every word is in the pattern whose run of words holds it, found by counting."""

import numpy as np

from in_one import in_one
from sordino.mechanism.bit_flips import Guide

WORD = 2**64
TABLES = {
    "coin": (3 << 62, 1 << 62),
    "rare": (WORD - 1, 1),
    "mostly rare": (1, 1, WORD - 4, 2),
    "even": (1 << 60,) * 16,
    "rare ones between": (WORD // 2, 1, 1, WORD // 2 - 2),
    "long": (*[1] * 255, WORD - 255),
    "long and even": (1 << 56,) * 256,
    "longest": (WORD - 4095, *[1] * 4095),
}


def pattern_of(table, word):
    """By adding up the weights until the word is passed."""
    for pattern, weight in enumerate(table):
        if word < weight:
            return pattern
        word -= weight
    raise AssertionError


@in_one("name", TABLES)
def test_each_word_is_in_the_pattern_that_a_search_finds(name):
    table = TABLES[name]
    words = np.random.default_rng(7).integers(0, WORD, 300, dtype=np.uint64).tolist()
    end = 0
    for weight in [*table[:3], *table[-3:]]:
        words += [end % WORD, (end - 1) % WORD, (end + 1) % WORD, WORD - 1 - end, WORD - end - 2]
        end += weight
    given = np.array([word % WORD for word in words], dtype=np.uint64)
    guide = Guide.of(table)
    assert guide.patterns(given).tolist() == [pattern_of(table, int(word)) for word in given]
    assert guide.patterns(given[:0]).shape == (0,)
