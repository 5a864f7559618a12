"""Exact levels of finite mechanisms: the paper's examples, and all events by brute force."""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import Categories, ChannelTable, HadamardResponse, Nats, Record, SordinoError, SubsetSelection
from sordino.audit import levels
from sordino.audit.classes import can_enumerate

FAIR_3 = np.full((2, 2, 2), 1 / 8)
BITS_3 = [*product(range(2), repeat=3)]


def loss_of(ratio):
    return None if ratio is None else Nats.log(ratio)


def losses(found):
    return [level.loss for level in found]


def papers_prior(d, q):
    """With chance q all bits are one fair bit, else they are independent and fair."""
    prior = np.zeros((2,) * d, dtype=object) + (1 - q) / Fraction(2**d)
    prior[(0,) * d] += q / 2
    prior[(1,) * d] += q / 2
    return prior


def bits_kept(odds):
    """Each bit told by itself, and kept with the odds given: all codes of as many bits."""
    records = [*product(range(2), repeat=len(odds))]
    return ChannelTable(
        [[math.prod(o if a == b else 1 for o, a, b in zip(odds, x, y, strict=True)) for y in records] for x in records]
    )


def one_bit_drawn(d, odds):
    """One of d bits, drawn in public, kept with the odds given."""
    codes = [*product(range(d), range(2))]
    return ChannelTable([[odds if x[j] == bit else 1 for j, bit in codes] for x in product(range(2), repeat=d)])


def example_2(copies):
    """Half of the time (x0 xor x1, x2), else (x1, x0 xor x2); several reports."""
    outputs = [*product(range(2), repeat=2)]
    one = [[((x[0] ^ x[1], x[2]) == y) + ((x[1], x[0] ^ x[2]) == y) for y in outputs] for x in BITS_3]
    return ChannelTable([[math.prod(path) for path in product(row, repeat=copies)] for row in one])


def test_example_1_is_bayesian_and_nothing_else():
    fair = np.full((2, 2), 0.25)
    for chances, expected in (
        ((1, 1, 1), [Nats.of("ln 2"), Nats.of("ln 2")]),
        # b = c = 1: given x1 = 1 the output is certain, so that the other one rules it out; a = b = 1: x2 = 0 likewise.
        ((1, 2, 2), [None, Nats.of("ln 2")]),
        ((2, 2, 1), [Nats.of("ln 2"), None]),
    ):
        a, b, c = chances
        # Records (x1, x2) = (0, 0), (0, 1), (1, 0), (1, 1); chances of output 1 are halves.
        mechanism = ChannelTable([[2 - p, p] for p in (a, 0, b, c)])
        assert losses(levels.prior_levels(mechanism, fair)) == expected
        assert levels.ldp_level(mechanism).loss is None
        assert None in losses(levels.coordinate_levels(mechanism, (2, 2)))


def test_example_2_does_not_compose():
    one, two = (levels.prior_levels(example_2(copies), FAIR_3) for copies in (1, 2))
    assert losses(one) == [Nats.of(0), Nats.of("ln 3"), Nats.of("ln 3")]
    assert losses(two) == [None, Nats.of("ln 5"), Nats.of("ln 5")]
    assert levels.ldp_level(example_2(1)).loss is None
    first, second = divmod(two[0].code, 4)
    # The witness: two reports that only one value of x0 can cause.
    outputs = [*product(range(2), repeat=2)]
    causes = {
        x[0] for x in BITS_3 if all(outputs[y] in {(x[0] ^ x[1], x[2]), (x[1], x[0] ^ x[2])} for y in (first, second))
    }
    assert causes == {two[0].value}


def test_xor_loses_everything_though_all_pairs_are_independent():
    prior = np.array([Fraction(a ^ b ^ c == 0, 4) for a, b, c in BITS_3], dtype=object).reshape(2, 2, 2)
    # One answer about x1 xor x2; and one bit of each of the two.
    for answer, lost in (
        (ChannelTable([[3, 1] if b ^ c else [1, 3] for _, b, c in BITS_3]), Fraction(3)),
        (ChannelTable([[3, 1] if b else [1, 3] for _, b, c in BITS_3]), Fraction(1)),
    ):
        assert levels.prior_levels(answer, prior)[0].loss == Nats.log(lost)
        assert levels.coordinate_levels(answer, (2, 2, 2))[0].loss == Nats.of(0)
        # What pairs allow (0) is far below; what the rest allows (1) covers it.
        assert levels.rest_levels(answer, (2, 2, 2), 0)[0].loss == Nats.of(0)
        assert levels.rest_levels(answer, (2, 2, 2), 1)[0].loss == Nats.of("ln 3")
    # Two answers about x1 and about x2, each of which tells nothing of x0: together (9 + 1) to (3 + 3).
    both = ChannelTable(
        [[p * q for p in ((3, 1) if b else (1, 3)) for q in ((3, 1) if c else (1, 3))] for _, b, c in BITS_3]
    )
    assert levels.prior_levels(both, prior)[0].loss == Nats.log(Fraction(10, 6))


@pytest.mark.parametrize("q", [Fraction(0), Fraction(1, 10), Fraction(3, 5), Fraction(1)])
def test_the_papers_prior_loses_at_most_what_each_arrow_says(q):
    d = 4
    for odds in ((2, 3, 5, 5), (7, 7, 7, 7), (1, 2, 9, 1)):
        mechanism = bits_kept(odds)
        budgets = losses(levels.coordinate_levels(mechanism, (2,) * d))
        assert budgets == [Nats.log(o) for o in odds]
        epsilon = levels.ldp_level(mechanism).loss
        whole = math.prod(odds)
        assert epsilon == Nats.log(whole)
        exact = losses(levels.prior_levels(mechanism, papers_prior(d, q)))
        worst = losses(levels.rest_levels(mechanism, (2,) * d, q))
        # Tightly, and as the paper's Proposition 4.2 has it.
        mixed = [Nats.log((1 - q) * own + q * whole) for own in odds]
        published = [Nats.log(min(own * (1 + q * (whole - 1)), whole)) for own in odds]
        for i in range(d):
            assert budgets[i] <= exact[i] <= worst[i] <= mixed[i] <= published[i]
            # Of independent attributes nothing else is lost, of copies everything.
            assert q > 0 or exact[i] == budgets[i] == mixed[i]
            assert q < 1 or exact[i] == epsilon == mixed[i]


@pytest.mark.parametrize("q", [Fraction(0), Fraction(1, 10), Fraction(1)])
def test_one_drawn_bit_loses_by_the_papers_prior(q):
    # An answer about another bit: the shared case tells it, in the other one nothing is told.
    d, odds = 3, 4
    found = levels.prior_levels(one_bit_drawn(d, odds), papers_prior(d, q))
    assert losses(found) == [Nats.of("ln 4")] * d
    worst = levels.rest_levels(ChannelTable([[4, 1] if x[1] else [1, 4] for x in BITS_3]), (2,) * 3, q)
    assert [worst[0].loss, worst[2].loss] == [Nats.log(1 + 3 * q)] * 2


@st.composite
def channels(draw, shape, least=0):
    k, codes = math.prod(shape), draw(st.integers(1, 3))
    rows = draw(st.lists(st.lists(st.integers(least, 6), min_size=codes, max_size=codes), min_size=k, max_size=k))
    total = max(1, *map(sum, rows))
    return ChannelTable([[*row, total - sum(row)] for row in rows])


def some(values):
    """All sets of one or more."""
    return [*chain.from_iterable(combinations(values, size) for size in range(1, len(values) + 1))]


@given(channels((3, 2)), st.lists(st.integers(0, 4), min_size=6, max_size=6))
def test_no_event_of_values_and_outputs_tells_more_than_single_ones(mechanism, weights):
    """Definition 4 over all pairs of sets of values and all sets of outputs; Definition 2 over all sets of records."""
    for i, (shape, size) in ((i, ((3, 2), s)) for i, s in enumerate((3, 2))):
        records = [*product(*map(range, shape))]
        law = [w + any(x == first for first in ((0, 0), (1, 1), (2, 0))) for w, x in zip(weights, records, strict=True)]
        prior = np.array([Fraction(w, sum(law)) for w in law], dtype=object).reshape(shape)

        def chance(inputs, outputs, law=law):
            mass = sum(law[x] * mechanism.weight(x, y) for x in inputs for y in outputs)
            return Fraction(mass, sum(law[x] for x in inputs))

        def largest(hypotheses):
            ratios = [
                (chance(first, outputs), chance(second, outputs))
                for outputs in some(range(mechanism.outputs))
                for first, second in permutations(hypotheses, 2)
            ]
            if any(own and not other for own, other in ratios):
                return None
            return max((own / other for own, other in ratios if own), default=Fraction(1))

        of_values = [[x for x, r in enumerate(records) if r[i] in values] for values in some(range(size))]
        level = levels.prior_levels(mechanism, prior)[i]
        assert level.loss == loss_of(largest(of_values))
        own, other = ([x for x, r in enumerate(records) if r[i] == value] for value in (level.value, level.other))
        heavy, light = chance(own, [level.code]), chance(other, [level.code])
        assert level.loss == loss_of(heavy / light if light else None)


@given(channels((2, 3)), st.sampled_from(["0", "1/5", "1"]))
def test_levels_of_records_and_bounds_at_their_ends(mechanism, q):
    shape, records = (2, 3), [*product(range(2), range(3))]

    def largest(pairs):
        ratios = [(mechanism.weight(x, y), mechanism.weight(z, y)) for x, z in pairs for y in range(mechanism.outputs)]
        if any(own and not other for own, other in ratios):
            return None
        return loss_of(max((Fraction(own, other) for own, other in ratios if own), default=Fraction(1)))

    near = [
        [
            (x, z)
            for x, z in permutations(range(6), 2)
            if all((records[x][j] == records[z][j]) == (j != i) for j in range(2))
        ]
        for i in range(2)
    ]
    found = levels.coordinate_levels(mechanism, shape)
    assert losses(found) == [largest(pairs) for pairs in near] == losses(levels.rest_levels(mechanism, shape, 0))
    assert all((level.value, level.other) in pairs for level, pairs in zip(found, near, strict=True))
    differing = [[(x, z) for x, z in permutations(range(6), 2) if records[x][i] != records[z][i]] for i in range(2)]
    assert losses(levels.rest_levels(mechanism, shape, 1)) == [largest(pairs) for pairs in differing]
    record = levels.ldp_level(mechanism)
    assert record.loss == largest([*permutations(range(6), 2)])
    if record.loss is not None:
        ratio = Fraction(mechanism.weight(record.value, record.code), mechanism.weight(record.other, record.code))
        assert record.loss == Nats.log(ratio)
        between = levels.rest_levels(mechanism, shape, q)
        assert all(a.loss <= b.loss <= record.loss for a, b in zip(found, between, strict=True))


@given(channels((2, 2), least=1), st.lists(st.integers(1, 5), min_size=4, max_size=4), st.data())
def test_merged_outputs_tell_no_more(mechanism, weights, data):
    group = data.draw(st.lists(st.integers(0, 1), min_size=mechanism.outputs, max_size=mechanism.outputs))
    rows = [[mechanism.weight(x, y) for y in range(mechanism.outputs)] for x in range(4)]
    merged = ChannelTable(
        [[sum(w for w, g in zip(row, group, strict=True) if g == to) for to in range(2)] for row in rows]
    )
    prior = np.array([Fraction(w, sum(weights)) for w in weights], dtype=object).reshape(2, 2)
    for measure in (
        lambda m: levels.coordinate_levels(m, (2, 2)),
        lambda m: levels.prior_levels(m, prior),
        lambda m: levels.rest_levels(m, (2, 2), ["1/3", "1/10"]),
        lambda m: [levels.ldp_level(m)],
    ):
        for before, after in zip(losses(measure(mechanism)), losses(measure(merged)), strict=True):
            assert before is None or (after is not None and after <= before)


def test_mechanisms_of_the_package_on_records():
    record = Record({"a": Categories(range(3)), "b": Categories(range(2))})
    for mechanism in (HadamardResponse(6, "1"), SubsetSelection(6, "1")):
        level = levels.ldp_level(mechanism).loss
        # Alike for all pairs of values: each attribute by itself loses as much, averages never more.
        assert losses(levels.coordinate_levels(mechanism, record)) == [level, level]
        assert all(one.loss <= level for one in levels.prior_levels(mechanism, np.full((3, 2), 1 / 6)))
        assert losses(levels.rest_levels(mechanism, record, 1)) == [level, level]


def test_single_values_and_constants_lose_nothing():
    nothing = levels.prior_levels(ChannelTable([[1], [1]]), [[0.5, 0.5]])
    assert [(level.loss, level.value) for level in nothing] == [(Nats.of(0), None), (Nats.of(0), 0)]
    assert levels.ldp_level(ChannelTable([[1, 2]])) == levels.Level(Nats.of(0))
    # An output that no possible record causes tells nothing.
    prior = [[0.5, 0], [0, 0.5]]
    never = ChannelTable([[1, 0], [0, 1], [0, 1], [1, 0]])
    assert losses(levels.prior_levels(never, prior)) == [Nats.of(0)] * 2


@dataclass(frozen=True, init=False)
class Broken(ChannelTable):
    """A table whose weights are told wrong."""

    wrong: int = 0

    def weight(self, value, code):
        return super().weight(value, code) - 2 * (code == self.wrong)


def test_what_is_no_channel_or_too_large_is_refused():
    with pytest.raises(SordinoError, match=r"add up to the denominator; found 2 values"):
        levels.ldp_level(Broken([[3, 1], [2, 2]]))
    with pytest.raises(SordinoError, match="not be negative; found one on code 0"):
        levels.ldp_level(Broken([[1, 3], [2, 2]]))
    large = HadamardResponse(2**11, "1")
    assert not can_enumerate(large)
    for measure in (
        lambda: levels.prior_levels(large, np.full((2,) * 11, 2.0**-11)),
        lambda: levels.rest_levels(large, (2,) * 11, 0.1),
    ):
        with pytest.raises(SordinoError, match="at most 2097152 weights, one by one; found 4096 codes of 2048 records"):
            measure()
    with pytest.raises(SordinoError, match="4 values; found 2"):
        levels.coordinate_levels(ChannelTable([[1], [1]]), (2, 2))
