"""Lists of draws: a formula gives the numbers that it stands for, and is short where blocks are regular."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import Partition
from sordino.mechanism.draws.draw_program import Draw
from sordino.mechanism.draws.spelled_list import spelled_list


def numbers(spelling):
    return Draw({"k": 1, "codes": "1", "draw": 0}).numbers(spelling)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60))
def test_any_numbers_are_spelled(found):
    assert numbers(spelled_list(np.array(found))) == found


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 5), st.integers(1, 5), st.integers(1, 4))
def test_so_are_blocks_of_a_map(rows, columns, height, width, others):
    cell = np.arange(rows * columns * others) // others
    block = Partition.of(cell // columns // height * 100 + cell % columns // width).block
    assert numbers(spelled_list(block)) == block.tolist()


@pytest.mark.parametrize(
    ("count", "block"),
    [
        (43_750, lambda i: i // 350 // 5 * 70 + i % 350 // 5),
        (10**6, lambda i: i // 7),
        (218_750, lambda i: i // 5 // 350 // 5 * 70 + i // 5 % 350 // 5),
        (10**5, lambda i: np.maximum(i - 1, 0)),
        (10**6, lambda i: 0 * i),
    ],
)
def test_a_plan_of_many_values_stays_small(count, block):
    found = Partition.of(block(np.arange(count))).block if count != 10**5 else block(np.arange(count))
    spelling = spelled_list(found)
    assert len(json.dumps(spelling)) < 120
    assert numbers(spelling) == found.tolist()
