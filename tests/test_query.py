"""One of several questions for each person: disjoint codes, draws word by word, tallies that come apart again."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino.errors import SordinoError
from sordino.exact.keyed import KeyedSource
from sordino.mechanism.binary import BinaryOptimal
from sordino.mechanism.blockwise import Blockwise
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.high_low import HighLow
from sordino.mechanism.randomized import RandomizedResponse
from sordino.mechanism.subset import SubsetSelection
from sordino.mechanism.table import ChannelTable
from sordino.mechanism.unary import UnaryEncoding
from sordino.query import Query, Sampled

WORD = 2**64
MECHANISMS = (
    RandomizedResponse(3, "1"),
    SubsetSelection(5, "1", 2),
    HighLow(6, [0, 2, 5], "1", "subset"),
    HadamardResponse(2, "2"),
    Blockwise([0, 0, 0, 1, 1, 1, 1], "1", "subset"),
    BinaryOptimal("1", "2"),
    UnaryEncoding(4, "1", [0, 3]),
    ChannelTable([[5, 1, 2], [1, 3, 4]]),
)
WEIGHTS = (1, 2, 3, 1, 1, 4, 1, 2)


def asked(*mechanisms, weights=None):
    queries = tuple(Query(f"attribute {j}", mechanism, False) for j, mechanism in enumerate(mechanisms))
    return Sampled(queries, tuple(weights) if weights else (1,) * len(mechanisms))


SAMPLED = asked(*MECHANISMS, weights=WEIGHTS)


class Scripted:
    """A source whose public words are given, and whose other words are the system's kind but fixed."""

    def __init__(self, public, secret=(0, 2**63 + 2**32)):
        self.words, self.secret, self.rows = public, secret, None

    def public(self, count):
        return ScriptedStream([list(row) for row in self.words[:count]])

    def take(self, rows):
        return self

    def stream(self, values):
        return ScriptedStream([[*self.secret, *[0] * 8] for _ in values])


class ScriptedStream:
    def __init__(self, rows):
        self.rows = rows

    def next(self):
        return np.array([row.pop(0) for row in self.rows], dtype=np.uint64)

    def take(self, rows):
        return ScriptedStream(self.rows[rows] if isinstance(rows, slice) else [self.rows[row] for row in rows])


def possible_codes(mechanism):
    return [y for y in range(mechanism.outputs) if any(mechanism.weight(x, y) for x in range(mechanism.k))]


def test_codes_of_the_queries_never_meet_and_leave_no_gap():
    first = 0
    for mechanism, offset in zip(MECHANISMS, SAMPLED.offsets, strict=False):
        assert offset == first
        first += mechanism.outputs
    assert SAMPLED.outputs == SAMPLED.offsets[-1] == first
    assert 2 ** (SAMPLED.code_bits - 1) < SAMPLED.outputs <= 2**SAMPLED.code_bits
    assert SAMPLED.first_counters[-1] == sum(mechanism.counters for mechanism in MECHANISMS)


def test_a_report_is_one_of_its_own_query():
    values = [np.arange(3000) % mechanism.k for mechanism in MECHANISMS]
    codes = SAMPLED.privatize(values)
    assert (codes.dtype, codes.shape) == (np.uint64, (3000,))
    which = np.searchsorted(SAMPLED.offsets, codes, side="right") - 1
    assert set(which.tolist()) == set(range(len(MECHANISMS)))
    for person, (j, code) in enumerate(zip(which.tolist(), codes.tolist(), strict=True)):
        assert MECHANISMS[j].weight(person % MECHANISMS[j].k, code - SAMPLED.offsets[j]) > 0


def test_the_law_of_a_report_is_the_weighted_law_of_its_query_word_by_word():
    sampled = asked(RandomizedResponse(3, "1"), HadamardResponse(2, "2"), weights=(2, 3))
    # Each choice below 5 once; a coin's heads and tails, and each uniform choice of either mechanism once.
    for values in ([0, 1], [2, 0]):
        law = Counter()
        for choice in range(5):
            public = [[(-(-choice * 2**32 // 5) + 1) << 32]]
            j = 0 if choice < 2 else 1
            mechanism = sampled.queries[j].mechanism
            choices = (2, 4)[j]
            heads = mechanism.threshold
            for face, weight in ((heads - 1, heads), (heads, WORD - heads)):
                for other in range(choices):
                    source = Scripted(public, [face, (-(-other * 2**32 // choices) + 1) << 32])
                    (code,) = sampled.privatize([[value] for value in values], source).tolist()
                    law[code] += Fraction(1, 5) * Fraction(weight, WORD * choices)
        expected = {}
        for j, (share, value) in enumerate(zip((Fraction(2, 5), Fraction(3, 5)), values, strict=True)):
            mechanism = sampled.queries[j].mechanism
            for y in range(mechanism.outputs):
                expected[sampled.offsets[j] + y] = share * Fraction(mechanism.weight(value, y), mechanism.denominator)
        assert law == expected


@pytest.mark.parametrize("weights", [(1, 1), (1, 2, 4), (5, 1, 1), (3, 1000, 7)])
def test_the_draw_gives_each_query_exactly_its_share(weights):
    sampled = asked(*(RandomizedResponse(2, "1") for _ in weights), weights=weights)
    total = sum(weights)
    words = [[(-(-choice * 2**32 // total) + 1) << 32] for choice in range(total)]
    drawn = sampled.draw(total, Scripted(words))
    assert np.bincount(drawn).tolist() == list(weights)


def test_rejected_draws_are_drawn_again_for_the_same_person_only():
    sampled = asked(*(RandomizedResponse(2, "1") for _ in range(3)), weights=(1, 1, 1))
    third = 2**64 // 3 + 2**33
    assert sampled.draw(3, Scripted([[third], [0, 2 * third], [2**62]])).tolist() == [1, 2, 0]


def test_the_draw_looks_at_no_value():
    source = KeyedSource(bytes(range(32)), "task").for_records(np.arange(2000))
    first, second = (
        SAMPLED.privatize([np.full(2000, value % mechanism.k) for mechanism in MECHANISMS], source) for value in (0, 1)
    )
    queries = [np.searchsorted(SAMPLED.offsets, codes, side="right") for codes in (first, second)]
    np.testing.assert_array_equal(*queries)
    assert np.any(first != second)
    counts = np.bincount(queries[0] - 1)
    expected = 2000 * np.array(WEIGHTS) / sum(WEIGHTS)
    assert np.all(np.abs(counts - expected) < 6 * np.sqrt(expected))


def test_one_query_draws_no_word_and_is_its_mechanism():
    mechanism = SubsetSelection(5, "1", 2)
    sampled = asked(mechanism, weights=(7,))
    source = Scripted([])
    codes = sampled.privatize([[0, 1, 4]], source)
    np.testing.assert_array_equal(codes, mechanism.privatize([0, 1, 4], source))
    assert sampled.fingerprint == mechanism.fingerprint
    tally = sampled.tally(codes)
    np.testing.assert_array_equal(tally.counts, mechanism.tally(codes).counts)
    (own,) = sampled.split(tally)
    assert (own.n, own.fingerprint) == (3, mechanism.fingerprint)


@st.composite
def reports(draw):
    """Possible codes of all queries, each with its query."""
    drawn = draw(st.lists(st.integers(0, len(MECHANISMS) - 1), max_size=30))
    return [(j, draw(st.sampled_from(possible_codes(MECHANISMS[j])))) for j in drawn]


@given(reports())
@pytest.mark.parametrize("as_type", [np.uint64, np.int64, list])
def test_a_tally_comes_apart_into_the_tallies_of_each_query(as_type, drawn):
    together = [SAMPLED.offsets[j] + code for j, code in drawn]
    tally = SAMPLED.tally(together if as_type is list else np.array(together, dtype=as_type))
    assert (tally.n, tally.fingerprint) == (len(drawn), SAMPLED.fingerprint)
    assert SAMPLED.reports(tally.counts) == len(drawn)
    for j, (mechanism, own) in enumerate(zip(MECHANISMS, SAMPLED.split(tally), strict=True)):
        expected = mechanism.tally(np.array([code for query, code in drawn if query == j], dtype=np.uint64))
        np.testing.assert_array_equal(own.counts, expected.counts)
        assert (own.n, own.fingerprint) == (expected.n, expected.fingerprint)


@given(reports(), reports())
def test_tallies_add(first, second):
    parts = [[SAMPLED.offsets[j] + code for j, code in drawn] for drawn in (first, second)]
    total = SAMPLED.tally(parts[0]) + SAMPLED.tally(parts[1])
    np.testing.assert_array_equal(total.counts, SAMPLED.tally(parts[0] + parts[1]).counts)
    assert total.n == len(first) + len(second)


def test_the_first_code_that_nobody_sends_is_found_wherever_it_is():
    for offset, mechanism in zip(SAMPLED.offsets, MECHANISMS, strict=False):
        possible = set(possible_codes(mechanism))
        good = offset + min(possible)
        for code in range(mechanism.outputs):
            codes = np.array([0, good, offset + code, offset + code], dtype=np.uint64)
            assert SAMPLED.first_invalid(codes) == (None if code in possible else 2)
    for beyond in (SAMPLED.outputs, 2**63, 2**64 - 1):
        assert SAMPLED.first_invalid(np.array([0, beyond, beyond], dtype=np.uint64)) == 1
    assert SAMPLED.first_invalid(np.array([0, -1])) == 1
    assert SAMPLED.first_invalid(np.array([], dtype=np.uint64)) is None
    # Of several, the first one by position, whichever queries they are of.
    wrong = [SAMPLED.offsets[4] + 127, SAMPLED.outputs, SAMPLED.offsets[1]]
    assert SAMPLED.first_invalid(np.array([0, *wrong], dtype=np.uint64)) == 1
    assert SAMPLED.first_invalid(np.array([0, *wrong[::-1]], dtype=np.uint64)) == 1


@pytest.mark.parametrize(
    "codes", [[0, SAMPLED.outputs], [0, SAMPLED.offsets[1]], [0, -1], np.array([0, 2**64 - 1], dtype=np.uint64)]
)
def test_foreign_codes_are_refused(codes):
    with pytest.raises(SordinoError, match="found another at position 1"):
        SAMPLED.tally(codes)


@pytest.mark.parametrize("codes", [[0.0], ["0"], [[0]], 0, [True]])
def test_codes_are_whole_numbers_in_one_row(codes):
    with pytest.raises(SordinoError, match="whole numbers in one row"):
        SAMPLED.tally(codes)


def test_tallies_of_other_queries_are_not_split():
    other = asked(*MECHANISMS, weights=[*WEIGHTS[:-1], 3])
    assert other.fingerprint != SAMPLED.fingerprint
    assert asked(*MECHANISMS[::-1], weights=WEIGHTS[::-1]).fingerprint != SAMPLED.fingerprint
    with pytest.raises(SordinoError, match="tally must be of these queries"):
        other.split(SAMPLED.tally([0]))
    with pytest.raises(SordinoError, match="only tallies of one mechanism add"):
        other.tally([0]) + SAMPLED.tally([0])


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ([[0]] * 7, "value for each query"),
        ([[0]] * 7 + [[0, 0]], "value for each person"),
        ([[0]] * 7 + [[2]], "values must lie in 0..1; found another at position 0"),
        ([[0]] * 7 + [[0.0]], "whole numbers"),
    ],
)
def test_a_refusal_comes_before_the_draw(values, rule):
    class Silent:
        def public(self, count):
            raise AssertionError("drawn before all values were looked at")

        stream = take = public

    with pytest.raises(SordinoError, match=rule):
        SAMPLED.privatize(values, Silent())


@pytest.mark.parametrize(
    "weights", [(1,), (1, 1, 1), (0, 1), (-1, 2), (1.0, 1), (True, 1), (2**32, 1), ("1", 1), (np.int64(1), 1)]
)
def test_weights_are_whole_and_one_for_each_query(weights):
    queries = tuple(Query("a", RandomizedResponse(2, "1"), False) for _ in range(2))
    with pytest.raises(SordinoError, match="whole weight >= 1"):
        Sampled(queries, weights)
    with pytest.raises(SordinoError, match="whole weight >= 1"):
        Sampled((), ())


def test_queries_that_do_not_fit_in_a_report_together_are_refused():
    wide = SubsetSelection(63, "1")
    sampled = asked(wide, wide)
    assert (sampled.code_bits, sampled.outputs) == (64, 2**64)
    codes = sampled.privatize([np.arange(200) % 63] * 2)
    parts = sampled.split(sampled.tally(codes))
    assert sum(part.n for part in parts) == 200
    assert min(part.n for part in parts) > 50
    with pytest.raises(SordinoError, match="must fit in 64 bits; found 65 for all queries together"):
        asked(wide, wide, RandomizedResponse(2, "1"))
