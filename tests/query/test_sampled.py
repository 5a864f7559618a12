"""Drawn questions: one a person by weight, without a look at the values; codes that tell it, and tallies that split."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binomtest

from in_one import in_one
from sordino import (
    BinaryOptimal,
    Blockwise,
    ChannelTable,
    HadamardResponse,
    HighLow,
    KeyedSource,
    ProjectiveResponse,
    Query,
    RandomizedResponse,
    Sampled,
    SordinoError,
    SubsetSelection,
    Value,
)
from sordino.exact.source import FreshStream

MECHANISMS = {
    "randomized": RandomizedResponse(3, "1"),
    "subset": SubsetSelection(4, "1", 2),
    "blocks": Blockwise([0, 0, 0, 1, 1, 2], "1", "subset"),
    "high-low": HighLow(5, [1, 3], "1", "subset"),
    "binary": BinaryOptimal("1", "2"),
    "table": ChannelTable([[3, 1, 0], [1, 2, 1]]),
    "hadamard": HadamardResponse(3, "1"),
    "projective": ProjectiveResponse(5, "1"),
}
WEIGHTS = (3, 1, 2, 5, 1, 1, 4, 2)


def sampled_of(*names, weights=None):
    queries = tuple(Query(Value(name), MECHANISMS[name]) for name in names)
    return Sampled(queries, weights or (1,) * len(queries))


@pytest.fixture
def everything():
    return sampled_of(*MECHANISMS, weights=WEIGHTS)


def values_of(sampled, n, seed):
    rng = np.random.default_rng(seed)
    return [rng.integers(query.mechanism.k, size=n) for query in sampled.queries]


def starts(sampled):
    """Each query's first code, by adding up how many codes its mechanism numbers."""
    first, total = [], 0
    for query in sampled.queries:
        first.append(total)
        total += query.mechanism.outputs
    return first, total


def asked(sampled, codes):
    """Which query each code answers, by comparing with each start."""
    first, _ = starts(sampled)
    return [sum(code >= start for start in first) - 1 for code in codes.tolist()]


@dataclass
class Counting:
    """A source of seeded words that counts them: how many the draw took, and how many the reports."""

    simulation_seed: int
    drawn: list = field(default_factory=list)
    reported: list = field(default_factory=list)

    def stream(self, values):
        return FreshStream(lambda count: self._words(self.reported, 2, count), len(values))

    def public(self, count, use="question"):
        return FreshStream(lambda count: self._words(self.drawn, 1, count), count)

    def take(self, rows):
        return self

    def _words(self, log, use, count):
        log.append(count)
        rng = np.random.default_rng([self.simulation_seed, use, len(log)])
        return rng.integers(0, 2**64, size=count, dtype=np.uint64)


def test_every_code_belongs_to_one_query(everything):
    """Of all numbers below `outputs` each can be sent by one query at most, for the values it is about."""
    first, total = starts(everything)
    assert (everything.outputs, total) == (total, everything.offsets[-1])
    for code in range(total):
        senders = []
        for query, start in zip(everything.queries, first, strict=True):
            mechanism, own = query.mechanism, code - start
            if 0 <= own < mechanism.outputs and any(mechanism.weight(x, own) for x in range(mechanism.k)):
                senders.append(query.statistic.attributes[0])
        assert len(senders) <= 1
        # A code that nobody sends is refused, every other one is counted.
        if senders:
            assert everything.tally([code]).n == 1
        else:
            with pytest.raises(SordinoError, match="position 1"):
                everything.tally([0, code])


def test_each_person_answers_one_query_by_its_weight(everything):
    n = 100_000
    codes = everything.privatize(values_of(everything, n, 1), Counting(1))
    counts = np.bincount(asked(everything, codes), minlength=len(WEIGHTS)).tolist()
    for weight, count in zip(WEIGHTS, counts, strict=True):
        share = weight / sum(WEIGHTS)
        assert binomtest(count, n, share).pvalue > 1e-9
        assert binomtest(count, n, 0.7 * share).pvalue < 1e-9


SOURCES = {
    "counting": lambda n: Counting(3),
    "keyed": lambda n: KeyedSource(bytes(32), "draw").for_records(np.arange(n)),
}


@pytest.mark.parametrize("source", SOURCES)
def test_the_draw_does_not_depend_on_the_values(everything, source):
    n = 3000
    columns = [[np.full(n, x % query.mechanism.k) for query in everything.queries] for x in (0, 1, 4)] + [
        values_of(everything, n, 7)
    ]
    draws = [asked(everything, everything.privatize(values, SOURCES[source](n))) for values in columns]
    assert len(set(draws[0])) == len(WEIGHTS)
    assert all(draw == draws[0] for draw in draws)
    assert draws[0] == everything.draw(n, SOURCES[source](n)).tolist()


def test_the_number_of_words_does_not_depend_on_the_values(everything):
    n, logs = 3000, []
    for values in ([np.full(n, x % query.mechanism.k) for query in everything.queries] for x in range(5)):
        source = Counting(5)
        everything.privatize(values, source)
        logs.append((source.drawn, sum(source.reported)))
        # One word a person draws the question (those that are rejected draw again), two make the report.
        assert source.drawn[0] == n
        assert sum(source.drawn) < n + 10
        assert 2 * n <= sum(source.reported) < 2 * n + 10
    assert all(log == logs[0] for log in logs)


def test_a_single_query_draws_no_words_for_the_question():
    sampled, source = sampled_of("subset"), Counting(1)
    codes = sampled.privatize([np.arange(4)], source)
    assert source.drawn == []
    np.testing.assert_array_equal(codes, MECHANISMS["subset"].privatize(np.arange(4), Counting(1)))
    assert sampled.fingerprint == MECHANISMS["subset"].fingerprint


def test_a_report_is_that_of_its_query_alone(everything):
    """With words of its own for each record the report is the mechanism's own, whatever else is asked."""
    n = 2000
    records = KeyedSource(bytes(32), "alone").for_records(np.arange(n))
    values = values_of(everything, n, 2)
    codes = everything.privatize(values, records)
    which, (first, _) = np.array(asked(everything, codes)), starts(everything)
    for j, query in enumerate(everything.queries):
        alone = query.mechanism.privatize(values[j], records)
        np.testing.assert_array_equal(codes[which == j], alone[which == j] + np.uint64(first[j]))


def test_only_the_person_with_another_value_sends_another_report(everything):
    n = 500
    source = KeyedSource(bytes(32), "one").for_records(np.arange(n))
    values = values_of(everything, n, 3)
    before = everything.privatize(values, source)
    for column, query in zip(values, everything.queries, strict=True):
        column[77] = (column[77] + 1) % query.mechanism.k
    after = everything.privatize(values, source)
    changed = np.flatnonzero(before != after).tolist()
    assert changed in ([], [77])
    assert asked(everything, before) == asked(everything, after)


def test_tallies_split_into_those_of_the_queries(everything):
    n, (first, _) = 5000, starts(everything)
    codes = everything.privatize(values_of(everything, n, 4))
    which = np.array(asked(everything, codes))
    parts = everything.split(everything.tally(codes))
    assert [part.n for part in parts] == np.bincount(which, minlength=len(parts)).tolist()
    for j, (query, part) in enumerate(zip(everything.queries, parts, strict=True)):
        own = query.mechanism.tally(codes[which == j] - np.uint64(first[j]))
        assert (part.fingerprint, part.counts.tolist()) == (query.mechanism.fingerprint, own.counts.tolist())


def test_tallies_of_parts_add_up(everything):
    codes = everything.privatize(values_of(everything, 900, 5))
    whole, empty = everything.tally(codes), everything.tally([])
    assert (empty.n, empty.counts.tolist()) == (0, [0] * len(whole.counts))
    total = empty + everything.tally(codes[:10]) + everything.tally(codes[10:500]) + everything.tally(codes[500:])
    assert (total.n, total.counts.tolist()) == (whole.n, whole.counts.tolist())
    assert everything.reports(whole.counts) == 900


@pytest.mark.parametrize("kind", [list, lambda codes: codes.astype(np.int64), lambda codes: codes.tolist()])
def test_codes_of_any_whole_type_are_tallied(kind):
    """Codes beyond 2^53 too, next to the other query's."""
    queries = (
        Query(Value("few"), RandomizedResponse(3, "1")),
        Query(Value("many"), SubsetSelection(60, "1", 30)),
    )
    sampled = Sampled(queries, (1, 1))
    codes = np.array([0, 2, 3 + (2**30 - 1), 3 + (2**30 - 1 << 30), 1], dtype=np.uint64)
    assert sampled.tally(kind(codes)).counts.tolist() == [1, 1, 1, *[1] * 60, 2]


FOREIGN = {
    "beyond the last": [33, 2**40],
    "far beyond": [2**64 - 1],
    "below zero": [-1],
    "fractions": [0.5],
    "texts": ["1"],
    "truths": [True],
}


@pytest.mark.parametrize("codes", FOREIGN.values(), ids=FOREIGN)
def test_other_codes_are_refused(codes):
    with pytest.raises(SordinoError, match="codes must be"):
        sampled_of("randomized", "binary").tally(np.array(codes))


def test_the_first_wrong_code_is_named(everything):
    (_, total) = starts(everything)
    for codes, position in (([0, total, 1], 1), ([0, 1, 3, total], 2), ([total, 3], 0)):
        # 3 is the subset query's empty mask.
        with pytest.raises(SordinoError, match=f"position {position}"):
            everything.tally(np.array(codes, dtype=np.uint64))
        assert everything.first_invalid(np.array(codes, dtype=np.uint64)) == position


def test_tallies_of_other_queries_are_refused(everything):
    others = {
        "another order": sampled_of("binary", "randomized", weights=(1, 1)),
        "another weight": sampled_of("randomized", "binary", weights=(1, 2)),
        "one of them": sampled_of("randomized"),
        "more": everything,
    }
    sampled = sampled_of("randomized", "binary", weights=(1, 1))
    assert len({other.fingerprint for other in others.values()} | {sampled.fingerprint}) == 5
    for other in others.values():
        with pytest.raises(SordinoError, match="only tallies of one"):
            sampled.tally([0]) + other.tally([0])
        with pytest.raises(SordinoError, match="a tally must be of these queries"):
            sampled.split(other.tally([0]))


VALUES = {
    "too few columns": [[0, 1]],
    "too many columns": [[0, 1], [0, 1], [0, 1]],
    "other lengths": [[0, 1], [0]],
    "fractions": [[0, 1], [0.5, 1]],
    "below zero": [[0, 1], [0, -1]],
    "out of range": [[0, 3], [0, 1]],
    "out of range in the other": [[0, 1], [0, 2]],
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_wrong_values_are_refused_whatever_is_drawn(values):
    sampled = sampled_of("randomized", "binary", weights=(1, 2**20))
    refusals = set()
    for seed in range(20):
        source = Counting(seed)
        with pytest.raises(SordinoError) as caught:
            sampled.privatize([np.array(column) for column in values], source)
        assert (source.drawn, source.reported) == ([], [])
        refusals.add(str(caught.value))
    assert len(refusals) == 1


def test_codes_of_all_queries_fit_in_64_bits():
    half = Query(Value("half"), SubsetSelection(63, "1"))
    full = Sampled((half, half), (1, 1))
    assert (full.outputs, full.code_bits) == (2**64, 64)
    codes = full.privatize([np.zeros(200, dtype=np.intp)] * 2)
    assert {code >> 63 for code in codes.tolist()} == {0, 1}
    assert {(code & 2**63 - 1).bit_count() for code in codes.tolist()} == {half.mechanism.size}
    assert full.tally(codes).n == 200
    with pytest.raises(SordinoError, match="64 bits"):
        Sampled((half, half, Query(Value("one"), RandomizedResponse(2, "1"))), (1, 1, 1))


@in_one(("count", "weights"), [(0, ()), (2, (1,)), (1, (1, 1)), (2, (1, 0)), (2, (1, -1))])
def test_each_query_has_a_weight(count, weights):
    with pytest.raises(SordinoError, match="whole weight >= 1"):
        sampled_of(*list(MECHANISMS)[:count], weights=weights or (0,))


def test_offsets_ascend(everything):
    assert everything.offsets[0] == 0
    assert all(low < high for low, high in pairwise(everything.offsets))
    assert all(low < high for low, high in pairwise(everything.first_counters))
