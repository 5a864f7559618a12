"""Subsets that meet a set: every channel of few items against exact enumeration, and what a tally of items says."""

from fractions import Fraction
from itertools import combinations
from math import comb, exp

import numpy as np
import pytest

from in_one import in_one
from sordino import LDP, SordinoError, SubsetSelection, SystemSource, certify
from sordino.audit.overlaps import checked_overlaps
from sordino.exact.coin import WORD
from sordino.exact.combinatorics.subsets import members, ranks_of
from sordino.mechanism.draws.code_distribution import code_distribution
from sordino.mechanism.meeting_subsets import MeetingSubsets, ReadSets
from sordino.testing import check_mechanism

EVERY = [
    (items, chosen, size, least)
    for items in range(2, 7)
    for chosen in range(1, items)
    for size in range(1, items)
    for least in range(max(0, size + chosen - items) + 1, min(size, chosen) + 1)
]


def subsets(items, size):
    """In the order of their numbers: by the largest item, then the next."""
    return sorted(combinations(range(items), size), key=lambda one: one[::-1])


def dense(sizes, threshold):
    """The channel by what is promised: a coin says whether a code meets the set, which is then a uniform one of these.

    Exact, in fractions; rows are sets and columns codes.
    """
    items, chosen, size, least = sizes
    heads = Fraction(threshold, WORD)
    rows = []
    for own in subsets(items, chosen):
        meets = [len({*own} & {*code}) >= least for code in subsets(items, size)]
        on, off = sum(meets), len(meets) - sum(meets)
        rows.append([heads / on if meeting else (1 - heads) / off for meeting in meets])
    return rows


@in_one("sizes", EVERY)
def test_a_small_channel_is_what_is_promised(sizes):
    """Weights, draw and certificate of every size and number of shared items, and the largest of all ratios."""
    mechanism = MeetingSubsets(sizes, "ln 3")
    expected = dense(sizes, mechanism.threshold)
    values, codes = range(mechanism.k), range(mechanism.outputs)
    found = [[Fraction(mechanism.weight(x, y), mechanism.denominator) for y in codes] for x in values]
    assert found == expected
    for value in values:
        drawn = code_distribution(mechanism.program, value)
        assert [drawn.get(code, 0) for code in codes] == expected[value]
    most = max(max(column) / min(column) for column in zip(*expected, strict=True))
    assert 3 * (1 - Fraction(1, 1 << 55)) < most <= 3
    certificate = certify(mechanism, LDP("ln 3"))
    assert certificate.holds
    loss = certificate.witness.loss
    assert loss.ratio == most
    row, column = certificate.witness.value, certificate.witness.code
    assert found[row][column] / found[certificate.witness.other][column] == most
    bolder = MeetingSubsets.from_threshold(sizes, mechanism.threshold + 1)
    assert not certify(bolder, LDP("ln 3")).holds


@in_one("sizes", [sizes for sizes in EVERY if sizes[0] == 6])
def test_a_tally_says_how_common_items_are(sizes):
    """Both probabilities, what reports add, and two items together, by all codes of all sets."""
    items, chosen, size, _ = sizes
    mechanism = MeetingSubsets(sizes, "3/2")
    channel = dense(sizes, mechanism.threshold)
    sets, codes = subsets(items, chosen), subsets(items, size)
    held = [
        [sum(p for p, code in zip(row, codes, strict=True) if item in code) for item in range(items)] for row in channel
    ]
    hit, miss = mechanism.holding_chances
    assert all(held[x][item] == (hit if item in own else miss) for x, own in enumerate(sets) for item in range(items))
    one, none = mechanism.pair_chances
    for row, own in zip(channel, sets, strict=True):
        for pair in combinations(range(items), 2):
            has = len({*pair} & {*own})
            together = sum(p for p, code in zip(row, codes, strict=True) if {*pair} <= {*code})
            assert has == 2 or together == (one if has else none)
    p = np.random.default_rng(1).dirichlet(np.ones(mechanism.k))
    truth = np.array([sum(share for share, own in zip(p, sets, strict=True) if item in own) for item in range(items)])
    law = p @ np.array([[float(share) for share in row] for row in channel])
    counted = np.array([sum(share for share, code in zip(law, codes, strict=True) if i in code) for i in range(items)])
    np.testing.assert_allclose(mechanism.forward(p), [*counted, 1], rtol=1e-12)
    added = mechanism.answer.unbiased_rows(np.array([[0.0, 1.0]]))[0]
    np.testing.assert_allclose(added[0] + (added[1] - added[0]) * counted, truth, atol=1e-12)
    if mechanism.k * mechanism.outputs <= 100:
        check_mechanism(mechanism, LDP("3/2"))


def test_one_of_one_is_subset_selection():
    for k, size in ((5, 2), (9, 4), (6, 1)):
        mine, known = MeetingSubsets((k, 1, size, 1), "1"), SubsetSelection(k, "1", size)
        assert mine.threshold == known.threshold
        assert mine.holding_chances == (Fraction(known.threshold, WORD), pytest.approx(float(known.miss[0]), rel=1e-15))


@in_one("sizes", [(23, 3, 2, 1), (40, 5, 9, 2), (5003, 3, 5, 1), (63, 3, 23, 2)])
def test_many_sets_are_drawn_by_the_same_channel(sizes):
    """Codes are subsets; they meet the set as often as the coin says, and hold its items as often as is told."""
    items, chosen, size, least = sizes
    mechanism = MeetingSubsets(sizes, "2")
    count = 20_000
    rng = np.random.default_rng(5)
    sets = np.sort(rng.permuted(np.tile(np.arange(items), (50, 1)), axis=1)[:, :chosen], axis=1)
    own = np.repeat(sets, count // 50, axis=0)
    values = ranks_of(own, items)
    assert values.tolist()[0] == sum(comb(item, place + 1) for place, item in enumerate(own[0].tolist()))
    codes = mechanism.privatize(values.astype(np.intp), SystemSource())
    assert int(codes.max()) < comb(items, size)
    held = members(codes, items, size)
    assert (np.diff(held, axis=1) > 0).all()
    assert held.min() >= 0
    assert held.max() < items
    np.testing.assert_array_equal(ranks_of(held, items), codes)
    shared = np.array([len(np.intersect1d(a, b, assume_unique=True)) for a, b in zip(own, held, strict=True)])
    heads = mechanism.threshold / WORD
    assert abs((shared >= least).mean() - heads) < 6 * np.sqrt(heads * (1 - heads) / count)
    hit, miss = map(float, mechanism.holding_chances)
    assert abs(shared.mean() / chosen - hit) < 6 * np.sqrt(0.25 / count)
    tally = mechanism.tally(codes)
    assert tally.counts[:-1].sum() == size * count
    assert tally.counts[-1] == tally.n == count
    assert miss < hit
    assert certify(mechanism, LDP("2")).holds


def test_some_sets_are_read_with_the_weights_of_all():
    mechanism = MeetingSubsets((6, 2, 3, 1), "1")
    some = ReadSets(mechanism, np.array([0, 3, 14], dtype=np.intp))
    codes = np.arange(mechanism.outputs, dtype=np.uint64)
    weights, marks = some.marks(codes)
    expected = [[mechanism.weight(value, code) for value in (0, 3, 14)] for code in range(mechanism.outputs)]
    assert [[weights[mark] for mark in row] for row in marks.tolist()] == expected
    assert [[some.weight(x, code) for x in range(3)] for code in range(mechanism.outputs)] == expected
    assert some.weight_ends == (max(map(max, expected)), min(map(min, expected)))


@in_one(
    ("sizes", "rule"),
    [
        ((6, 2, 3, 0), "in at least 1 to 2; found 0"),
        ((6, 2, 3, 3), "in at least 1 to 2; found 3"),
        ((4, 2, 3, 1), "in at least 2 to 2; found 1"),
        ((6, 6, 3, 1), "a set must hold 1 to 5 of 6 items"),
        ((6, 2, 0, 1), "a subset that meets it must hold 1 to 5"),
        ((1, 1, 1, 1), "2 to 16384 items"),
        ((120, 20, 3, 1), "at most 2\\^53 sets"),
        ((120, 3, 20, 1), "at most 2\\^64 subsets"),
    ],
)
def test_sizes_that_make_no_channel_are_refused(sizes, rule):
    with pytest.raises(SordinoError, match=rule):
        MeetingSubsets(sizes, "1")


def test_a_threshold_that_makes_no_channel_is_refused():
    for threshold in (0, WORD):
        with pytest.raises(SordinoError, match="threshold must lie in"):
            MeetingSubsets.from_threshold((6, 2, 3, 1), threshold)


def test_shares_of_sets_are_not_to_be_had():
    mechanism = MeetingSubsets((23, 3, 2, 1), "1")
    assert not mechanism.informative
    with pytest.raises(SordinoError, match="how common each item is"):
        mechanism.decode(np.ones(24))
    with pytest.raises(SordinoError, match="at most 4096 sets"):
        MeetingSubsets((60, 3, 2, 1), "1").probabilities()


class Wrong(MeetingSubsets):
    """A channel that weighs one set otherwise than it says."""

    def weight(self, value, code):
        return super().weight(value, code) + (value == 0)


class Fewer(MeetingSubsets):
    """A channel whose codes are not all subsets."""

    @property
    def outputs(self):
        return super().outputs - 1


@in_one(("kind", "rule"), [(Wrong, "must have one weight"), (Fewer, "must be all subsets")])
def test_a_channel_that_contradicts_itself_gets_no_certificate(kind, rule):
    mechanism = kind((23, 3, 2, 1), "1")
    with pytest.raises(SordinoError, match=rule):
        checked_overlaps(mechanism)


def test_weights_follow_from_the_number_of_shared_items():
    mechanism = MeetingSubsets((23, 3, 4, 2), "1")
    overlaps = checked_overlaps(mechanism)
    low, high = overlaps[0].weight, overlaps[-1].weight
    assert [own.weight for own in overlaps] == [low, low, high, high]
    assert high / low == pytest.approx(exp(1), rel=1e-12)
