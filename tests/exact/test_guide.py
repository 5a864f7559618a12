"""Draws from tables: every word is in the pattern whose run of words holds it, found by counting."""

import numpy as np

from in_one import in_one
from sordino.exact.guide import Guide

WORD = 2**64
TABLES = {
    "coin": [(3 << 62, 1 << 62)],
    "rare": [(WORD - 1, 1)],
    "mostly rare": [(1, 1, WORD - 4, 2)],
    "even": [(1 << 60,) * 16],
    "several": [(WORD // 2, 1, 1, WORD // 2 - 2), (7, WORD - 10, 1, 2), (1 << 62,) * 4],
    "long": [tuple([1] * 255 + [WORD - 255]), tuple([1 << 56] * 256)],
    "of several lengths": [(1 << 62, 3 << 62), (1 << 61,) * 8, (WORD - 3, 1, 1, 1)],
    "longest": [tuple([WORD - 4095] + [1] * 4095)],
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
    tables = TABLES[name]
    words = np.random.default_rng(7).integers(0, WORD, 300, dtype=np.uint64).tolist()
    for table in tables:
        end = 0
        for weight in [*table[:3], *table[-3:]]:
            words += [end % WORD, (end - 1) % WORD, (end + 1) % WORD, WORD - 1 - end, WORD - end - 2]
            end += weight
    given = np.array([word % WORD for word in words], dtype=np.uint64)
    guide = Guide.of(tables)
    for which, table in enumerate(tables):
        expected = [pattern_of(table, int(word)) for word in given]
        found = guide.patterns(given, np.full(len(given), which) if len(tables) > 1 else None)
        assert found.tolist() == expected
    mixed = np.arange(len(given)) % len(tables)
    if len(tables) > 1:
        expected = [pattern_of(tables[which], int(word)) for which, word in zip(mixed, given, strict=True)]
        assert guide.patterns(given, mixed).tolist() == expected
    assert guide.patterns(given[:0], mixed[:0]).shape == (0,)
