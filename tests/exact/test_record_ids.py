"""Texts in one buffer: their blocks, and the numbers that some spell, as Python spells and reads them one by one."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sordino.exact.record_ids import BUCKETS, SPREAD, RepeatedWords, Texts

texts = st.lists(st.text(max_size=40), max_size=30)

EDGES = [2**63, 2**64, 10**8, 10**16, 1844 * 10**16, 10**19, 10**20, 2**127]

SPELT = [str(sign * (edge + step)) for edge in [0, *EDGES] for step in (-1, 0, 1) for sign in (-1, 1)]

signs = st.text("0123456789-+./:a \u0663", max_size=22)

numerals = st.one_of(st.sampled_from(SPELT), st.integers(-(2**65), 2**65).map(str), signs)


def usual(text):
    """The number that a text spells as Python would."""
    try:
        number = int(text)
    except ValueError:
        return None
    return number if str(number) == text and -(2**63) <= number < 2**64 else None


def listed(texts):
    return [texts.data[first : first + n].tobytes() for first, n in zip(texts.starts, texts.lengths, strict=True)]


@given(texts)
def test_blocks_are_the_bytes_of_each_text(texts):
    encoded = [text.encode() for text in texts]
    found = [b""] * len(texts)
    for rows, blocks in Texts.of(texts).blocks():
        for row, (first, second) in zip(rows.tolist(), blocks.tolist(), strict=True):
            found[row] += first.to_bytes(8, "little") + second.to_bytes(8, "little")
    assert found == [text + bytes(-len(text) % 16) for text in encoded]


@given(st.lists(numerals, max_size=30))
@example(SPELT)
@example(["", "5", "", "-", "7", "017", "-0", "-017", "00", "+5", "5.", "0"])
def test_numbers_are_those_that_are_spelt_the_usual_way(texts):
    rows, numbers, negative = Texts.of(texts).whole_numbers()
    expected = [(row, usual(text)) for row, text in enumerate(texts) if usual(text) is not None]
    assert rows.tolist() == [row for row, _ in expected]
    assert numbers.dtype == np.uint64
    assert numbers.tolist() == [number % 2**64 for _, number in expected]
    assert negative.tolist() == [number < 0 for _, number in expected]


@given(texts, st.data())
def test_texts_between_places_of_a_buffer_are_copied(texts, data):
    encoded = [text.encode() for text in texts]
    before, after = (data.draw(st.binary(max_size=20)) for _ in range(2))
    ends = len(before) + np.cumsum([0, *map(len, encoded)])
    buffer = np.frombuffer(bytearray(before + b"".join(encoded) + after), dtype=np.uint8)
    found = Texts.split_at(buffer, ends)
    buffer[:] = 255
    assert listed(found) == encoded
    assert len(found) == len(texts)


@pytest.mark.parametrize("rows", [slice(1, 3), np.array([2, 0])], ids=repr)
def test_some_texts_are_taken(rows):
    found = Texts.of(["a", "17", "bcd"]).take(rows)
    assert listed(found) == np.array([b"a", b"17", b"bcd"])[rows].tolist()


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
