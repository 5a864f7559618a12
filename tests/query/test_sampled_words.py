"""One of several questions for each person, exactly: draws word by word, and every code of every query."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from in_one import in_one
from sordino import (
    BinaryOptimal,
    Blockwise,
    ChannelTable,
    HadamardResponse,
    HighLow,
    Query,
    RandomizedResponse,
    Sampled,
    SordinoError,
    SubsetSelection,
    Value,
)

WORD = 2**64
MECHANISMS = (
    RandomizedResponse(3, "1"),
    SubsetSelection(5, "1", 2),
    HighLow(6, [0, 2, 5], "1", "subset"),
    HadamardResponse(2, "2"),
    Blockwise([0, 0, 0, 1, 1, 1, 1], "1", "subset"),
    BinaryOptimal("1", "2"),
    ChannelTable([[5, 1, 2], [1, 3, 4]]),
)
WEIGHTS = (1, 2, 3, 1, 1, 4, 2)


def asked(*mechanisms, weights=None):
    queries = tuple(Query(Value(f"attribute {j}"), mechanism) for j, mechanism in enumerate(mechanisms))
    return Sampled(queries, tuple(weights) if weights else (1,) * len(mechanisms))


SAMPLED = asked(*MECHANISMS, weights=WEIGHTS)


class Scripted:
    """A source whose public words are given, and whose other words are the system's kind but fixed."""

    def __init__(self, public, secret=(0, 2**63 + 2**32)):
        self.words, self.secret, self.rows = public, secret, None

    def public(self, count, use="question"):
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


@st.composite
def reports(draw):
    """Possible codes of all queries, each with its query."""
    drawn = draw(st.lists(st.integers(0, len(MECHANISMS) - 1), max_size=30))
    return [(j, draw(st.sampled_from(possible_codes(MECHANISMS[j])))) for j in drawn]


@pytest.mark.first_cases(1)
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


@in_one("weights", [(1,), (1, 1, 1), (0, 1), (-1, 2), (1.0, 1), (True, 1), (2**32, 1), ("1", 1), (np.int64(1), 1)])
def test_weights_are_whole_and_one_for_each_query(weights):
    queries = tuple(Query(Value("a"), RandomizedResponse(2, "1")) for _ in range(2))
    with pytest.raises(SordinoError, match="whole weight >= 1"):
        Sampled(queries, weights)
    with pytest.raises(SordinoError, match="whole weight >= 1"):
        Sampled((), ())
