"""Queries about numbers, each by itself and drawn from: the law of the sampler, word by word, is the law by hand, whose
losses are within the level; draws do not look at records; refusals, tallies and keyed sources."""

import math
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from enumerated import (
    COIN,
    GRID,
    LEVELS,
    PAIR,
    QUERIES,
    Scripted,
    answers_of,
    laws_of,
    numbers_of,
    records_of,
    scripts,
    tally_of,
)
from in_one import in_one
from sordino import (
    BitFlips,
    KeyedSource,
    Nats,
    Number,
    Product,
    Query,
    RandomizedResponse,
    Sampled,
    Scaled,
    Signs,
    SordinoError,
    WindowResponse,
)
from sordino.exact.coin import WORD
from sordino.query import sampled

every = pytest.mark.parametrize("name", QUERIES)
every_in_one = in_one("name", QUERIES)
drawn = pytest.mark.parametrize("name", [name for name in QUERIES if name.startswith("sampled,")])


@cache
def law(name, record):
    """Pr(code | record), exactly: each face of a coin as often as its threshold says, each choice once."""
    asked, found = QUERIES[name], Counter()
    for share, public, private in scripts(asked, record):
        source = Scripted(public, private)
        (code,) = asked.privatize([record], source).tolist()
        assert source.drawn == Counter(public=len(public), private=len(private)), "all words are used, and no more"
        found[code] += share
    assert sum(found.values()) == 1
    return found


def has_points(name):
    """Floats place a number between the points of a grid."""
    return any(isinstance(q.statistic, Number) and q.statistic.points > 2 for q in answers_of(QUERIES[name]))


@every_in_one
def test_the_sampler_sends_each_code_as_often_as_the_law_by_hand(name):
    asked = QUERIES[name]
    for record in records_of(asked):
        said = dict(enumerate(laws_of(asked, record)))
        assert sum(said.values()) == 1
        assert len(said) == asked.outputs
        if has_points(name):
            assert all(abs(said[code] - law(name, record)[code]) < 2**-50 for code in said)
        else:
            assert law(name, record) == {code: share for code, share in said.items() if share}


@in_one("name", [name for name, asked in QUERIES.items() if isinstance(asked, Query)])
def test_the_law_that_is_told_is_that_of_the_sampler(name):
    asked = QUERIES[name]
    for record in [*records_of(asked), *product(GRID, repeat=numbers_of(asked))]:
        said, told = laws_of(asked, record), asked.law(record)
        assert sum(told) == 1
        if has_points(name):
            assert all(abs(one - other) < 2**-50 for one, other in zip(said, told, strict=True))
        else:
            assert told == said


WEIRD = [math.nan, math.inf, -math.inf, 7.0, -1e300, 5e-324, -5e-324, 2.0**-64, -0.0, 1 - 2**-53, -1 - 2**-52]


@every_in_one
def test_no_report_tells_more_than_the_level(name):
    """Whatever the record is, even one of raw floats that no check has seen."""
    asked = QUERIES[name]
    d, rng = numbers_of(asked), np.random.default_rng(1)
    records = [*product((-1.0, 0.0, 1.0), repeat=d), *rng.uniform(-1, 1, (10, d)).tolist()]
    records += rng.choice(WEIRD, (40, d)).tolist()
    for query in answers_of(asked):
        with np.errstate(all="ignore"):
            reads = [query.law(record) for record in records]
        rows = [
            [query.mechanism.weight(value, code) for code in range(query.outputs)] for value in range(query.mechanism.k)
        ]
        level = max(Nats.log(Fraction(max(column), min(column))) for column in zip(*rows, strict=True))
        for column in zip(*reads, strict=True):
            assert Nats.log(max(column) / min(column)) <= level
        assert all(sum(one) == 1 for one in reads)


ASKED = {
    "one bit": "1",
    "one bit, ln": "ln 3",
    "one bit, small": "0.001",
    "one bit, large": "40",
    "product": "1",
    "square": "2",
    "levels, two": "1",
    "levels, three": "2",
    "levels, window": "1/2",
    "levels, large": "30",
    "levels, any channel": "1",
    "signs, any channel": "1",
}


@in_one("name", ASKED)
def test_the_level_is_reached_and_not_above_what_was_asked(name):
    d = numbers_of(QUERIES[name])
    ends = [law(name, record) for record in product((-1.0, 0.0, 1.0), repeat=d)]
    largest = max(Nats.log(one[code] / other[code]) for one in ends for other in ends for code in one)
    assert largest <= ASKED[name]
    assert float(largest) > float(Nats.of(ASKED[name])) - 0.01


@in_one("epsilon", ["0.001", "0.5", "1", "ln 3", "5", "20", "36.5", "40", "60"])
def test_a_rounded_bit_is_the_bit_of_one_threshold(epsilon):
    """Rounding to a sign and telling it by randomized response: what one coin with a slope in the number does."""
    coin = RandomizedResponse(2, epsilon)
    query = Query(Number(0), coin)
    for number in (*GRID, 0.1, -0.9999, 2.0**-40, *np.random.default_rng(4).uniform(-1, 1, 20).tolist()):
        share = (Fraction(number) + 1) / 2
        direct = WORD - coin.threshold + math.floor(share * (2 * coin.threshold - WORD))
        assert abs(query.law([number])[1] - Fraction(direct, WORD)) <= Fraction(1, 2**50)
    assert (
        query.law([1.0])
        == query.law([-1.0])[::-1]
        == [Fraction(WORD - coin.threshold, WORD), Fraction(coin.threshold, WORD)]
    )


@drawn
def test_draws_do_not_depend_on_the_records(name):
    asked = QUERIES[name]
    rng, ids = np.random.default_rng(1), np.arange(500)
    batches = [rng.uniform(-1, 1, (500, numbers_of(asked))) for _ in range(2)]
    codes = [asked.privatize(records, KeyedSource(bytes(32), "a").for_records(ids)) for records in batches]
    which = [np.searchsorted(asked.offsets, code, side="right") for code in codes]
    np.testing.assert_array_equal(which[0], which[1])
    # What is told of them does.
    assert (codes[0] != codes[1]).any()


def test_statistics_are_drawn_with_words_of_their_own():
    """A question about numbers among others: which number is drawn must not follow from which question is."""
    inner = Sampled(tuple(Query(Number(j), RandomizedResponse(2, "1")) for j in range(2)), (1, 1))
    outer = Sampled((inner, inner), (1, 1))
    records, source = np.zeros((400, 2)), KeyedSource(bytes(32), "a").for_records(np.arange(400))
    codes = outer.privatize([records, records], source)
    counts = np.bincount(codes.astype(int) // 2, minlength=4)
    assert (np.abs(counts - 100) < 60).all()


@pytest.mark.parametrize("weights", [(1, 2, 3), (7, 7, 7), (2, 1, 5), (1, 2**21, 3), (6, 12, 18)])
def test_draws_by_table_and_by_search_are_the_same(weights, monkeypatch):
    def draws():
        asked = Sampled(tuple(Query(Number(j), RandomizedResponse(2, "1")) for j in range(3)), weights)
        records, source = np.zeros((3000, 3)), KeyedSource(bytes(32), "a").for_records(np.arange(3000))
        return asked.privatize(records, source).tolist()

    first = draws()
    monkeypatch.setattr(sampled, "LARGEST_TABLE", 0 if sum(weights) < 100 else 2**40)
    assert draws() == first
    counts = np.bincount(np.array(first) // 2, minlength=3)
    expected = 3000 * np.array(weights) / sum(weights)
    assert (np.abs(counts - expected) <= 6 * np.sqrt(expected) + 1).all()


def test_chunks_draw_words_of_their_own(monkeypatch):
    monkeypatch.setattr("sordino.mechanism.channel.CHUNK", 40)
    bits = tuple(Query(Number(j), RandomizedResponse(2, "1")) for j in range(1000))
    codes = Sampled(bits, (1,) * 1000).privatize(np.zeros((120, 1000)))
    assert len(np.unique(codes)) > 80
    patterns = Query(Signs(tuple(range(12))), BitFlips((1 << 52,) * 4096))
    for asked in (patterns, Sampled((patterns, patterns), (1, 1))):
        assert len(np.unique(asked.privatize(np.zeros((120, 12))))) > 80


@every
def test_chunks_are_drawn_as_one_batch_is(name, monkeypatch):
    asked = QUERIES[name]
    records = np.random.default_rng(5).uniform(-1, 1, (100, numbers_of(asked)))
    codes = [asked.privatize(records, KeyedSource(bytes(32), "a").for_records(np.arange(100)))]
    monkeypatch.setattr("sordino.mechanism.channel.CHUNK", 7)
    codes.append(asked.privatize(records, KeyedSource(bytes(32), "a").for_records(np.arange(100))))
    np.testing.assert_array_equal(codes[0], codes[1])


@every_in_one
def test_reports_are_counted_and_can_add_up_to_their_tally(name):
    asked = QUERIES[name]
    codes = np.arange(asked.outputs).repeat(3)
    tally = asked.tally(codes)
    assert (asked.reports(tally.counts), tally.n) == (len(codes),) * 2
    assert asked.possible(tally.counts)
    assert tally.counts.tolist() == tally_of(asked, codes.tolist())
    first, second = asked.tally(codes[:7]), asked.tally(codes[7:])
    np.testing.assert_array_equal((first + second).counts, tally.counts)
    assert (first + second).fingerprint == tally.fingerprint
    group = np.arange(len(codes)) % 4
    grouped = asked._count(codes.astype(np.uint64), group, 4)
    for own in range(4):
        np.testing.assert_array_equal(grouped[own], asked.tally(codes[group == own]).counts)
    with pytest.raises(SordinoError, match="position 1"):
        asked.tally([0, asked.outputs])


@every_in_one
def test_a_keyed_source_repeats_its_reports_in_any_batch(name):
    asked = QUERIES[name]
    records = np.random.default_rng(5).uniform(-1, 1, (60, numbers_of(asked)))
    source = KeyedSource(bytes(range(32)), "task")
    codes = asked.privatize(records, source.for_records(np.arange(60)))
    rows = np.random.default_rng(6).permutation(60)[:25]
    again = asked.privatize(records[rows], source.for_records(rows))
    np.testing.assert_array_equal(again, codes[rows])
    assert (asked.privatize(records) != asked.privatize(records)).any()
    assert codes.dtype == np.uint64


@pytest.mark.each_value
@every
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1 + 2**-52, -98765.25])
def test_one_bad_number_refuses_all_whatever_would_be_drawn(name, bad):
    asked = QUERIES[name]
    d = numbers_of(asked)
    # One that no query reads is looked at, too.
    for place in range(d + 1):
        records = np.zeros((5, d + 1))
        records[3, place] = bad
        for ask in (asked.privatize, asked.check_values):
            with pytest.raises(
                SordinoError, match=f"found a number out of range in record 3, number {place}"
            ) as caught:
                ask(records)
            assert "98765" not in repr(vars(caught.value))


@pytest.mark.parametrize("name", ["one bit", "sampled, everything"])
def test_a_bad_number_in_the_last_chunk_refuses_all(name, monkeypatch):
    monkeypatch.setattr("sordino.mechanism.channel.CHUNK", 4)
    records = np.zeros((10, numbers_of(QUERIES[name])))
    records[9, 0] = math.nan
    with pytest.raises(SordinoError, match="found a number out of range in record 9, number 0"):
        QUERIES[name].privatize(records)


@every_in_one
def test_rows_of_other_lengths_and_kinds_are_refused(name):
    asked = QUERIES[name]
    d = numbers_of(asked)
    for values in (np.zeros((2, d, 1)), 0.5, [["0"] * d]):
        with pytest.raises(SordinoError, match="records must be rows of"):
            asked.privatize(values)
    if d > 1:
        for values in (np.zeros((2, d - 1)), Scaled(np.zeros((2, d - 1)))):
            with pytest.raises(SordinoError, match=f"rows of {d} numbers; found rows of {d - 1}"):
                asked.privatize(values)


@every_in_one
def test_checked_records_and_whole_numbers_are_read_alike(name):
    asked = QUERIES[name]
    d = numbers_of(asked)
    records = np.array([[-1] * d, [0] * d, [1] * d])
    source = KeyedSource(bytes(32), "task")
    sliced = np.repeat(records.astype(float), 2, axis=1)[:, ::2]
    given = [records, records.astype(np.float32), np.asfortranarray(records), sliced, records.tolist()]
    codes = [asked.privatize(values, source.for_records([1, 2, 3])).tolist() for values in given]
    assert codes == [codes[0]] * len(codes)
    assert asked.privatize(np.zeros((0, d))).shape == (0,)
    np.testing.assert_array_equal(asked.check_values(Scaled.of(records)), records)
    drawn_from = asked if isinstance(asked, Sampled) else Sampled((asked,), (1,))
    assert drawn_from.privatize(Scaled.of(records), source.for_records([1, 2, 3])).tolist() == codes[0]


def test_numbers_come_in_one_row_or_a_row_each():
    asked = QUERIES["one bit, large"]
    assert asked.privatize([-1, 1, 1]).tolist() == asked.privatize([[-1], [1], [1]]).tolist() == [0, 1, 1]


@every_in_one
def test_equal_queries_have_equal_fingerprints_and_others_have_not(name):
    others = [asked.fingerprint for other, asked in QUERIES.items() if other != name]
    assert QUERIES[name].fingerprint not in others


def test_places_points_channels_and_weights_are_in_the_fingerprint():
    coin, other = RandomizedResponse(2, "1"), RandomizedResponse(2, "2")
    one, two = Query(Number(0), coin), Query(Number(1), coin)
    asked = [
        Sampled((one, two), (1, 2)),
        Sampled((one, two), (2, 1)),
        Sampled((two, one), (1, 2)),
        Sampled((one, Query(Number(2), coin)), (1, 2)),
        Sampled((one, Query(Number(1), other)), (1, 2)),
        Sampled((one, Query(Number(1, 3), LEVELS)), (1, 2)),
        Sampled((one, Query(Number(1, 3), WindowResponse(3, "2", 2))), (1, 2)),
        Sampled((one, Query(Signs((1,)), coin)), (1, 2)),
    ]
    assert len({each.fingerprint for each in asked}) == len(asked)
    # Weights count in lowest terms.
    assert Sampled((one, two), (3, 6)).fingerprint == asked[0].fingerprint
    assert Sampled((one,), (5,)).fingerprint == one.fingerprint


@pytest.mark.parametrize("statistic", [Number(0), Number(0, 4), Signs((0, 1)), Product(0, 1)])
def test_a_channel_of_fewer_or_more_values_than_are_read_is_refused(statistic):
    """A value beyond those of the channel would be told as it is, among the codes of the next query."""
    for mechanism in (LEVELS, COIN if statistic.k == 4 else PAIR):
        with pytest.raises(SordinoError, match=f"must take the {statistic.k} values of its statistic"):
            Sampled((Query(statistic, mechanism), QUERIES["one bit"]), (1, 1)).privatize(np.zeros((3, 2)))
        with pytest.raises(SordinoError, match=f"must take the {statistic.k} values of its statistic"):
            Query(statistic, mechanism).privatize(np.zeros((3, 2)))
