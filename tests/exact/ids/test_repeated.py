"""Words that stand more than once, as a count of all of them finds them."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino.exact.ids.repeated import BUCKETS, SPREAD, RepeatedWords

close = st.integers(0, 40)
words = st.lists(
    st.one_of(st.integers(0, 2**64 - 1), close, close.map(lambda low: low << 58), close.map(lambda low: low * 2**32)),
    max_size=60,
)


def repeated(batches, buckets=range(BUCKETS), factor=SPREAD):
    found = RepeatedWords(buckets, factor)
    for batch in batches:
        found.add(np.array(batch, dtype=np.uint64))
    return found


def counted(words):
    return sorted(word for word, count in Counter(words).items() if count > 1)


@given(st.lists(words, max_size=4), st.integers(0, 2**63 - 1).map(lambda half: 2 * half + 1))
def test_words_that_stand_more_than_once_are_found(batches, factor):
    found = repeated(batches, factor=factor)
    assert found.find_repeats().tolist() == counted(chain(*batches))
    assert found.count == sum(map(len, batches))


@given(st.lists(words, max_size=3), st.integers(1, 9))
def test_words_that_were_let_go_are_those_of_the_other_buckets(batches, times):
    kept = repeated(batches)
    other = [kept.drop_half() for _ in range(times)]
    parts = [kept, *(repeated(batches, buckets) for buckets in other)]
    assert sorted(chain(*(part.find_repeats().tolist() for part in parts))) == counted(chain(*batches))
    assert sum(part.count for part in parts) == sum(map(len, batches))
    assert sorted(bucket for part in parts for bucket in part.buckets) == list(range(BUCKETS))
    assert (times < 8) == (len(kept.buckets) > 1)


@pytest.mark.parametrize("step", [1, 2**20, 2**40, 3 << 50])
def test_many_words_of_any_pattern(step):
    """In every bucket more than one word at a place, and pairs of equal ones apart and side by side."""
    words = np.arange(200_000, dtype=np.uint64) * np.uint64(step)
    unlike = len(np.unique(words))
    again = [3, 77_777, 199_999]
    found = repeated(np.array_split(np.concatenate([words, words[again]]), 3))
    if unlike == len(words):
        assert found.find_repeats().tolist() == sorted(words[again].tolist())
    else:
        assert found.find_repeats().tolist() == counted([*words.tolist(), *words[again].tolist()])


BACK = pow(0x9E3779B97F4A7C15, -1, 2**64)
ALIKE = [((7 << 56) + low) * BACK % 2**64 for low in range(1000)]
"""Their products agree in all bits that a place has."""


def test_words_of_one_place_are_told_apart():
    assert repeated([ALIKE]).find_repeats().tolist() == []


@pytest.mark.parametrize("twice", [0, 500, 999])
def test_words_that_lost_their_place_to_a_third_are_compared(twice):
    for batches in ([[*ALIKE, ALIKE[twice], ALIKE[twice - 7]], [ALIKE[twice - 7]]], [[ALIKE[twice]], ALIKE, [3]]):
        assert repeated(batches).find_repeats().tolist() == counted(chain(*batches))
