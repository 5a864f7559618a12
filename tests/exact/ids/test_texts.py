"""Texts in one buffer: their blocks, and the numbers that some spell, as Python spells and reads them one by one."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sordino.exact.ids.texts import Texts

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
