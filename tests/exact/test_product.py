"""128-bit products, and their upper halves rounded up, against Python's integers."""

import numpy as np
import pytest

from sordino.exact.product import fraction_above, full_product

EDGES = [0, 1, 2, 3, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1]


@pytest.mark.parametrize("seed", [0, 1])
def test_products_are_rounded_up_exactly(seed):
    generator = np.random.default_rng(seed)
    words = generator.integers(0, (1 << 64) - 1, 60, dtype=np.uint64, endpoint=True).tolist()
    numbers = EDGES + [word >> short for word, short in zip(words, generator.integers(0, 64, 60).tolist(), strict=True)]
    words, factors = np.array(numbers, dtype=np.uint64)[:, None], np.array(numbers, dtype=np.uint64)[None, :]
    assert fraction_above(words, factors).tolist() == [[-(-a * b >> 64) for b in numbers] for a in numbers]
    upper, lower = (half.astype(object) for half in full_product(words, factors))
    assert ((upper << 64) + lower).tolist() == [[a * b for b in numbers] for a in numbers]
