"""Samplers, word by word: every face of the coin and every uniform choice gives the code that the weights promise."""

import math
from collections import Counter
from fractions import Fraction
from functools import singledispatch

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    BinaryOptimal,
    BitFlips,
    Blockwise,
    ChannelTable,
    CyclicSubsets,
    HadamardResponse,
    HierarchyResponse,
    HighLow,
    ProjectiveResponse,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
    WindowResponse,
)
from sordino.exact.coin import WORD
from sordino.mechanism.channel import CHUNK
from sordino.mechanism.window import OptionalWindow

SECRET = 98_765


class Scripted:
    """A source that gives every value the same words, and counts those that each value drew."""

    def __init__(self, words):
        self.words = words

    def stream(self, values):
        self.drawn = np.zeros(len(values), dtype=int)
        return ScriptedStream(self, np.arange(len(values)))


class ScriptedStream:
    def __init__(self, source, rows):
        self.source, self.rows = source, rows

    def next(self):
        words = [self.source.words[n] for n in self.source.drawn[self.rows]]
        self.source.drawn[self.rows] += 1
        return np.array(words, dtype=np.uint64)

    def take(self, rows):
        return ScriptedStream(self.source, self.rows[rows])


def word_for(choice, count):
    """A word from which a uniform choice among `count` gives this choice, in the middle of its range."""
    if count > 2**32:
        quotient = 2**64 // count
        return choice * quotient + quotient // 2
    return (-(-choice * 2**32 // count) + 1) << 32


def choices(mechanism, face):
    """How many uniform choices follow a face of a one-coin mechanism."""
    if isinstance(mechanism, ProjectiveResponse):
        on, off = mechanism.space.hyperplane, mechanism.space.affine
        return (on, off)[face] if mechanism.code_set.is_listed else (off - 1, off)[face]
    if isinstance(mechanism, CyclicSubsets):
        families = mechanism.outputs // mechanism.prime
        return families * (mechanism.prime - mechanism.size if face else mechanism.size)
    if isinstance(mechanism, SubsetSelection):
        return math.comb(mechanism.k - 1, mechanism.size - 1 + face)
    return mechanism.outputs if isinstance(mechanism, HadamardResponse) else max(mechanism.k - 1, 1)


def codes_in_all(mechanism):
    """How many codes a one-coin mechanism can send."""
    return math.comb(mechanism.k, mechanism.size) if isinstance(mechanism, SubsetSelection) else mechanism.outputs


def faces(threshold):
    """The two faces of a coin: a word that shows it, and how many of the 2^64 words do."""
    both = [(threshold - 1, threshold), (threshold, WORD - threshold)]
    return [(word, count) for word, count in both if count]


@singledispatch
def scripts(mechanism, value):
    """Words for every way in which a value can be privatized, each with its probability."""
    for face, (word, weight) in enumerate(faces(mechanism.threshold)):
        count = choices(mechanism, face)
        for choice in range(count):
            yield Fraction(weight, WORD * count), [word, word_for(choice, count)]


@scripts.register
def _of_blocks(mechanism: Blockwise, value):
    own = [x for x in range(mechanism.k) if mechanism.blocks.block[x] == mechanism.blocks.block[value]]
    (inner,) = [candidate for candidate in mechanism.inner if candidate.k == len(own)]
    yield from scripts(inner, own.index(value))


@scripts.register
def _of_high_low(mechanism: HighLow, value):
    if value in mechanism.sensitive:
        yield from scripts(mechanism.inner, sorted(mechanism.sensitive.tolist()).index(value))
        return
    count = codes_in_all(mechanism.inner)
    for word, weight in faces(mechanism.hidden):
        for choice in range(count):
            yield Fraction(weight, WORD * count), [word, word_for(choice, count)]


@scripts.register
def _of_binary(mechanism: BinaryOptimal, value):
    for word, weight in faces(mechanism.second if value else mechanism.first):
        yield Fraction(weight, WORD), [word, 2**63]


@scripts.register
def _of_table(mechanism: ChannelTable, value):
    below, total = 0, mechanism.denominator
    for weight in mechanism.weights[value]:
        # The first and the last choice of a code; between them searching is monotone.
        for choice, share in ((below, weight - 1), (below + weight - 1, 1)) if weight else ():
            yield Fraction(share, total), [word_for(choice, total), 0]
        below += weight


@scripts.register
def _of_windows(mechanism: WindowResponse, value):
    for (word, weight), count in zip(faces(mechanism.threshold), (mechanism.window, mechanism.k - 1), strict=True):
        for choice in range(count):
            yield Fraction(weight, WORD * count), [word, word_for(choice, count)]


@scripts.register
def _of_windows_or_none(mechanism: OptionalWindow, value):
    bins, none = mechanism.bins, value == mechanism.bins.k
    (missing, absent), (word, present) = faces(mechanism.absent if none else mechanism.present)
    windows = list(scripts(bins, 0 if none else value))
    yield Fraction(absent, WORD), [missing, word_for(0, bins.outputs), *windows[0][1]]
    for choice in range(bins.outputs) if none else ():
        yield Fraction(present, WORD * bins.outputs), [word, word_for(choice, bins.outputs), *windows[0][1]]
    for probability, words in () if none else windows:
        yield Fraction(present, WORD) * probability, [word, word_for(0, bins.outputs), *words]


@scripts.register
def _of_levels(mechanism: HierarchyResponse, value):
    levels = len(mechanism.inner)
    for level, inner in enumerate(mechanism.inner):
        for probability, words in scripts(inner, value // mechanism.fan**level):
            yield probability / levels, [word_for(level, levels), *words]


@scripts.register
def _of_flips(mechanism: BitFlips, value):
    below = 0
    for weight in mechanism.table:
        # The first and the last word of a pattern; between them searching is monotone.
        for word, share in ((below, weight - 1), (below + weight - 1, 1)):
            yield Fraction(share, WORD), [word]
        below += weight


def law_by_words(mechanism, value):
    """Pr(code | value), exactly: each face of a coin as often as its threshold says, each choice once."""
    law = Counter()
    for probability, words in scripts(mechanism, value):
        (code,) = mechanism.privatize([value], Scripted(words)).tolist()
        law[code] += probability
    return +law


def test_samplers_send_each_code_as_often_as_its_weight_says(channel):
    for value, row in enumerate(channel.rows):
        law = law_by_words(channel.mechanism, value)
        assert law == {
            y: Fraction(w, channel.mechanism.denominator) for y, w in zip(channel.codes, row, strict=True) if w
        }


@pytest.mark.first_cases(3)
@pytest.mark.parametrize("field", [2, 3, 4, 5, 8, 16])
def test_large_spaces_are_sampled_as_exactly_as_listed_ones(field, monkeypatch):
    monkeypatch.setattr("sordino.mechanism.projective.LARGEST_LIST", 0)
    mechanism = ProjectiveResponse(25, "1", field)
    assert not mechanism.code_set.is_listed
    for value in range(25):
        law = {y: Fraction(mechanism.weight(value, y), mechanism.denominator) for y in range(mechanism.outputs)}
        assert law_by_words(mechanism, value) == law


@in_one("face", [0, WORD - 1])
@in_one("channel", fixture="channels")
def test_every_value_draws_as_many_words(channel, face):
    mechanism = channel.mechanism
    count = 2 - isinstance(mechanism, BitFlips)
    if isinstance(mechanism, HierarchyResponse):
        # How many words depends on the level, which the first one draws, and on nothing else.
        for first in range(1, 4):
            source = Scripted([first << 62, face, *[2**63 + 2**32] * 4])
            mechanism.privatize(np.arange(mechanism.k), source)
            assert len(set(source.drawn.tolist())) == 1
        return
    again = 1 + isinstance(mechanism, OptionalWindow)
    source = Scripted([*[face, 2**63 + 2**32] * again, *[face] * count])
    count *= again
    mechanism.privatize(np.arange(mechanism.k), source)
    # A table chooses with its first word, and the last word of all is rejected.
    assert set(source.drawn.tolist()) == {count + (isinstance(mechanism, ChannelTable) and face > 0)}


@pytest.mark.parametrize("face", [0, WORD - 1], ids=["heads", "tails"])
@pytest.mark.parametrize(
    "mechanism",
    [
        RandomizedResponse(6, "1"),
        Blockwise([0] * 6 + [1] * 6, "1", "randomized"),
        SubsetSelection(7, "1", 3),  # 15 subsets with a value, 20 without
        HighLow(9, [1, 2, 3, 4, 5, 6], "1", "randomized"),
        WindowResponse(6, "1", 3),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
def test_rejected_words_are_replaced_whatever_the_value_and_the_coin(mechanism, face):
    source = Scripted([face, 0, 0, 2**63 + 2**32])
    mechanism.privatize(np.arange(mechanism.k), source)
    assert set(source.drawn.tolist()) == {4}


@in_one("channel", fixture="channels")
def test_codes_are_words_in_range(channel):
    values = np.arange(3000) % channel.mechanism.k
    codes = channel.mechanism.privatize(values)
    assert (codes.dtype, codes.shape) == (np.uint64, (3000,))
    causes = np.array(channel.rows, dtype=object) > 0
    place = {code: i for i, code in enumerate(channel.codes)}
    assert all(causes[value, place[code]] for value, code in zip(values, codes.tolist(), strict=True))


@pytest.mark.each_value
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64, np.uint64, list])
def test_values_of_any_integer_type_are_read_and_left_alone(channel, dtype):
    values = [channel.mechanism.k - 1] * 4
    given = values if dtype is list else np.array(values, dtype=dtype)
    script = [0, 2**63 + 2**32, *range(8), *[2**63 + 2**32] * 4]
    expected = channel.mechanism.privatize(values, Scripted(script))
    np.testing.assert_array_equal(channel.mechanism.privatize(given, Scripted(script)), expected)
    assert list(given) == values


@in_one("channel", fixture="channels")
def test_nobody_answers_nothing(channel):
    for empty in ([], np.array([], dtype=np.int64)):
        codes = channel.mechanism.privatize(empty)
        assert (codes.dtype, codes.shape) == (np.uint64, (0,))


@pytest.mark.parametrize(
    "mechanism", [HadamardResponse(2**32, "0.01"), Blockwise([0, 1, 1] * 30_000, "0.01", "hadamard")]
)
def test_every_chunk_draws_words_of_its_own(mechanism):
    codes = mechanism.privatize(np.ones(2 * CHUNK + 5, dtype=np.int64)).astype(np.int64)
    assert np.mean(codes[:CHUNK] == codes[CHUNK : 2 * CHUNK]) < 0.5
    assert len(set(codes[2 * CHUNK :].tolist())) > 1


BAD_VALUES = [
    *([0, SECRET], [0, -SECRET], [0, SECRET * 10**20], [0.0, SECRET + 0.5], ["0", str(SECRET)], [None, SECRET]),
    *(SECRET, [[0], [SECRET]], np.array([0, SECRET + 2**63], dtype=np.uint64), [0, complex(SECRET)], [True, False]),
]


@in_one("channel", fixture="channels")
def test_a_bad_value_is_refused_without_being_told(channel):
    for values in BAD_VALUES:
        with pytest.raises(SordinoError) as caught:
            channel.mechanism.privatize(values)
        error = caught.value
        assert str(SECRET) not in " ".join(map(repr, (error, vars(error), error.__cause__, error.__context__)))


@in_one("values", [[-1], [0, -1]])
@in_one("channel", fixture="channels")
def test_the_values_are_those_below_k(channel, values):
    for wrong in (values, [0, channel.mechanism.k]):
        with pytest.raises(SordinoError, match=f"0..{channel.mechanism.k - 1}; found a value out of range at position"):
            channel.mechanism.privatize(wrong)


def test_a_bad_value_is_named_by_its_position():
    with pytest.raises(SordinoError) as caught:
        RandomizedResponse(4, "1").privatize([0, 3, 4, -1])
    assert str(caught.value) == "values must lie in 0..3; found a value out of range at position 2."


@pytest.mark.parametrize("family", [RandomizedResponse, HadamardResponse])
def test_more_values_than_the_sampler_can_choose_from_are_refused(family):
    assert family(2**32, "1").privatize([2**32 - 1]).size == 1
    with pytest.raises(SordinoError, match="1 to 4294967296 values"):
        family(2**32 + 1, "1")
