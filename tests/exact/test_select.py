"""Choices and conversions without branches are those with them."""

import numpy as np

from sordino.exact.select import select, whole

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
