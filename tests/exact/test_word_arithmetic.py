"""Choices and conversions without branches are those with them."""

import numpy as np
import pytest

from sordino.exact.word_arithmetic import fraction_above, full_product, select, whole

EDGES = [0.0, 0.5, 1.0, 2.0**53 + 2, 2.0**63 - 1024, 2.0**63, 2.0**63 + 2048, np.nextafter(2.0**64, 0)]


def test_whole_parts_are_exact():
    numbers = np.concatenate([EDGES, np.random.default_rng(1).random(1000) * 2.0**64])
    assert whole(numbers).tolist() == [int(number) for number in numbers.tolist()]


def test_choices_are_those_of_the_condition():
    rng = np.random.default_rng(2)
    condition = rng.random(1000) < 0.5
    yes, no = rng.integers(0, 2**64 - 1, (2, 1000), dtype=np.uint64, endpoint=True)
    assert select(condition, yes, no).tolist() == np.where(condition, yes, no).tolist()
    three, most = np.uint64(3), np.uint64(2**64 - 1)
    assert select(condition, three, most).tolist() == np.where(condition, three, most).tolist()


EDGES_OF_PRODUCTS = [0, 1, 2, 3, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1]


@pytest.mark.parametrize("seed", [0, 1])
def test_products_are_rounded_up_exactly(seed):
    generator = np.random.default_rng(seed)
    words = generator.integers(0, (1 << 64) - 1, 60, dtype=np.uint64, endpoint=True).tolist()
    numbers = EDGES_OF_PRODUCTS + [
        word >> short for word, short in zip(words, generator.integers(0, 64, 60).tolist(), strict=True)
    ]
    words, factors = np.array(numbers, dtype=np.uint64)[:, None], np.array(numbers, dtype=np.uint64)[None, :]
    assert fraction_above(words, factors).tolist() == [[-(-a * b >> 64) for b in numbers] for a in numbers]
    upper, lower = (half.astype(object) for half in full_product(words, factors))
    assert ((upper << 64) + lower).tolist() == [[a * b for b in numbers] for a in numbers]
