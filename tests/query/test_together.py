"""Queries that one person answers together: codes as digits, tallies apart, words of their own, and what is refused.

That the sampler's law is the product by hand, word by word, is checked with all other queries (`test_sampled_numbers`).
"""

from itertools import product

import numpy as np
import pytest

from enumerated import COIN, LEVELS, PAIR, QUERIES, digits_of
from in_one import in_one
from sordino import (
    LDP,
    ChannelTable,
    KeyedSource,
    Nats,
    Number,
    OptionalNumber,
    Product,
    Query,
    RandomizedResponse,
    Sampled,
    Signs,
    SordinoError,
    SubsetSelection,
    Together,
    Value,
    WindowResponse,
    certify,
    estimate,
)

FIRST, SECOND = Query(Number(0, 3), LEVELS), Query(Number(1), COIN)
BOTH = Together((FIRST, SECOND))
JOINT = [name for name, asked in QUERIES.items() if isinstance(asked, Together)]


@pytest.mark.parametrize("name", JOINT)
def test_a_code_is_the_digits_of_its_queries_codes(name):
    asked = QUERIES[name]
    sizes = [query.outputs for query in asked.queries]
    codes = np.arange(asked.outputs)
    assert asked.outputs == np.prod(sizes)
    digits = asked.digits(codes)
    np.testing.assert_array_equal(np.stack(digits), np.stack(np.unravel_index(codes, sizes)))
    for code in codes.tolist():
        assert [int(digit[code]) for digit in digits] == digits_of(asked, code)


def test_64_bits_of_digits_are_told_and_more_are_refused():
    coins = [Query(Number(j), RandomizedResponse(2, "40")) for j in range(65)]
    all_bits = Together(tuple(coins[:64]))
    assert (all_bits.outputs, all_bits.code_bits, all_bits.counters) == (2**64, 64, 128)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (50, 64))
    codes = all_bits.privatize(signs)
    expected = [int("".join("1" if sign > 0 else "0" for sign in row), 2) for row in signs]
    assert codes.tolist() == expected
    tally = all_bits.tally(codes)
    np.testing.assert_array_equal(tally.counts.reshape(64, 2)[:, 1], (signs > 0).sum(axis=0))
    with pytest.raises(SordinoError, match="2 to 64 queries are answered together; found 65"):
        Together(tuple(coins))
    with pytest.raises(SordinoError, match="fit in 64 bits; found 65 for all queries together"):
        Together((*coins[:63], Query(Number(63, 3), LEVELS)))


def test_the_tally_is_that_of_each_query_and_does_not_count_codes():
    records = np.random.default_rng(1).uniform(-1, 1, (500, 2))
    codes = BOTH.privatize(records)
    tally, digits = BOTH.tally(codes), BOTH.digits(codes)
    expected = [FIRST.tally(digits[0]).counts, SECOND.tally(digits[1]).counts]
    np.testing.assert_array_equal(tally.counts, np.concatenate(expected))
    assert (tally.n, BOTH.reports(tally.counts)) == (500, 500)
    # As many counters as codes would be no counts of codes either.
    coins = Together((SECOND, Query(Number(0), COIN)))
    assert coins.outputs == coins.counters == 4
    assert not coins.counts_codes
    assert not Sampled((coins, SECOND), (1, 1)).counts_codes
    assert coins.tally([0, 0, 3]).counts.tolist() == [2, 1, 2, 1]
    assert Sampled((coins, SECOND), (1, 1)).tally([0, 0, 3, 5]).counts.tolist() == [2, 1, 2, 1, 0, 1]


def test_counters_of_which_one_query_has_more_reports_are_impossible():
    assert BOTH.possible(np.array([1, 2, 3, 4, 2]))
    assert not BOTH.possible(np.array([1, 2, 3, 4, 3]))
    assert not BOTH.possible(np.array([[1, 2, 3, 4, 2], [0, 0, 1, 0, 0]]))
    drawn = Sampled((SECOND, BOTH), (1, 1))
    assert drawn.possible(np.array([9, 9, 1, 2, 3, 4, 2]))
    assert not drawn.possible(np.array([9, 9, 1, 2, 3, 4, 1]))
    assert drawn.reports(np.array([9, 9, 1, 2, 3, 4, 2])) == 24


@pytest.mark.parametrize("channel", [COIN, LEVELS])
def test_answers_of_one_person_are_independent_given_the_record(channel):
    """What two coins, or two roundings, say of each other: nothing, and so whoever is drawn for them."""
    asked = Together(tuple(Query(Number(j, channel.k), channel) for j in range(2)))
    _independent(asked, asked.privatize(np.zeros((40_000, 2))))
    drawn = Sampled((SECOND, asked, asked), (1, 1, 2))
    codes = drawn.privatize(np.zeros((60_000, 2)))
    _independent(asked, codes[codes >= drawn.offsets[2]] - np.uint64(drawn.offsets[2]))


def _independent(asked, codes):
    first, second = asked.digits(codes)
    size = asked.queries[1].outputs
    counts = np.bincount((first * np.uint64(size) + second).astype(int), minlength=asked.outputs).reshape(-1, size)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    assert (np.abs(counts - expected) < 6 * np.sqrt(expected)).all()


def test_nobody_s_answers_depend_on_what_they_are_put_together_with():
    """The first query's words are those that it has by itself, whatever comes after it."""
    records = np.random.default_rng(2).uniform(-1, 1, (300, 3))
    source = KeyedSource(bytes(32), "a")
    alone = FIRST.privatize(records, source.for_records(np.arange(300)))
    for other in (SECOND, Query(Signs((2, 1)), PAIR)):
        codes = Together((FIRST, other)).privatize(records, source.for_records(np.arange(300)))
        np.testing.assert_array_equal(Together((FIRST, other)).digits(codes)[0], alone)


@pytest.mark.parametrize("name", JOINT)
def test_the_level_is_the_sum_whatever_pairs_of_values_are_compared(name):
    """The dense channel from all tuples of values to all codes, in integers, against the certificate."""
    asked = QUERIES[name]
    values = list(product(*(range(query.mechanism.k) for query in asked.queries)))
    rows = [
        [
            int(
                np.prod(
                    [q.mechanism.weight(v, c) for q, v, c in zip(asked.queries, at, digits, strict=True)], dtype=object
                )
            )
            for digits in product(*(range(query.outputs) for query in asked.queries))
        ]
        for at in values
    ]
    largest = max(Nats.log(1) + Nats.log(max(column)) - Nats.log(min(column)) for column in zip(*rows, strict=True))
    certificate = certify(asked, LDP("9"))
    assert certificate.slack == Nats.of(9) - largest
    witness = certificate.witness
    assert Nats.log(rows[witness.value][witness.code]) - Nats.log(rows[witness.other][witness.code]) == largest
    assert witness.loss == largest
    exact = LDP(largest)
    assert certify(asked, exact).holds
    assert certify(asked, exact).slack == Nats.of(0)
    assert not certify(asked, LDP(float(largest) - 1e-9)).holds
    drawn = Sampled((asked, *asked.queries), (1,) * (1 + len(asked.queries)))
    assert certify(drawn, LDP("9")).slack == certificate.slack


def test_a_channel_that_tells_for_certain_has_an_infinite_loss_in_any_company():
    certain = Together((SECOND, Query(Number(0), ChannelTable([[1, 0], [0, 1]]))))
    certificate = certify(certain, LDP("50"))
    assert not certificate.holds
    assert not certificate.slack.is_finite
    assert certificate.witness.loss is None


REFUSED = {
    "one query": ((FIRST,), "2 to 64 queries are answered together; found 1"),
    "none": ((), "2 to 64 queries"),
    "a number twice": ((SECOND, Query(Number(1, 3), LEVELS)), "must read different numbers"),
    "a number and its square": ((SECOND, Query(Product(1, 1), COIN)), "must read different numbers"),
    "a number and its sign with another": ((SECOND, Query(Signs((0, 1)), PAIR)), "must read different numbers"),
    "a value": ((FIRST, Query(Value("smoker"), COIN)), "queries about numbers must read statistics of numbers"),
    "queries together": ((FIRST, Together((SECOND, Query(Number(2), COIN)))), "queries of Together"),
    "drawn queries": ((FIRST, Sampled((SECOND,), (1,))), "queries of Together"),
    "no queries": ("ab", "queries of Together"),
}


@in_one("name", REFUSED)
def test_what_cannot_be_answered_together_is_refused(name):
    queries, rule = REFUSED[name]
    with pytest.raises(SordinoError, match=rule):
        Together(queries)


def test_codes_that_a_digit_cannot_be_are_refused():
    masks = SubsetSelection(3, "1", 1)
    asked = Together((Query(Number(0, 3), masks), SECOND))
    for code in range(asked.outputs):
        digit = np.array([code // 2], dtype=np.uint64)
        assert asked.are_impossible(np.array([code]))[0] == masks.are_impossible(digit)[0]
    with pytest.raises(SordinoError, match="position 0"):
        asked.tally([0])
    for codes in ([0, 1, BOTH.outputs], [0, 5, -1]):
        with pytest.raises(SordinoError, match="position 2"):
            BOTH.tally(codes)


def test_order_statistics_and_channels_are_in_the_fingerprint():
    other = Query(Number(1), RandomizedResponse(2, "1.5"))
    asked = [
        BOTH,
        Together((SECOND, FIRST)),
        Together((FIRST, other)),
        Together((Query(Number(2, 3), LEVELS), SECOND)),
        Together((Query(Number(0, 3), WindowResponse(3, "2", 2)), SECOND)),
        Sampled((FIRST, SECOND), (1, 1)),
    ]
    assert len({each.fingerprint for each in asked}) == len(asked)
    assert Sampled((BOTH,), (7,)).fingerprint == BOTH.fingerprint


def test_every_number_of_a_person_is_estimated_from_one_report():
    asked = Together((Query(Number(0, 3), WindowResponse(3, "4")), Query(Number(1), RandomizedResponse(2, "4"))))
    records = np.random.default_rng(3).uniform(-1, 0.5, (20_000, 2))
    found = estimate(asked, asked.tally(asked.privatize(records)))
    assert (np.abs(found.value - records.mean(axis=0)) < 6 * found.stderr).all()
    assert found.n == 20_000
    assert (found.stderr < 0.01).all()


def test_several_columns_of_values_may_have_numbers_among_them():
    smoker = Query(Value("smoker"), RandomizedResponse(2, "1"))
    asked = Sampled((smoker, BOTH), (1, 1))
    codes = asked.privatize([[0] * 400, np.zeros((400, 2))])
    shares, means = estimate(asked, asked.tally(codes))
    assert shares.n + means.n == 400
    assert means.value.shape == (2,)


def test_a_number_that_may_be_missing_is_read_in_company_as_by_itself():
    channel = RandomizedResponse(4, "40")
    both = Together((Query(Number(0), RandomizedResponse(2, "40")), Query(OptionalNumber(1, 3), channel)))
    codes = both.privatize(np.tile([1.0, np.nan], (500, 1)))
    assert {*both.digits(codes)[1].tolist()} == {3}
    with pytest.raises(SordinoError, match="a number out of range in record 0, number 0"):
        both.privatize([[np.nan, 1.0]])
