"""Queries that are answered together: which ones they are, and that nobody's report depends on whom they stand with."""

import numpy as np
import pytest

from enumerated import COIN, LEVELS, PAIR, QUERIES, numbers_of, parts_of, queries_of
from sordino import BitFlips, KeyedSource, Number, Product, Query, RandomizedResponse, Sampled, Signs, WindowResponse
from sordino.query.query_group import query_groups

drawn = pytest.mark.parametrize("name", [name for name in QUERIES if name.startswith("sampled,") or name == "sampled"])
IDS = np.arange(700)


def source(rows=slice(None), task="a"):
    return KeyedSource(bytes(32), task).for_records(IDS[rows])


@drawn
def test_a_person_answers_as_if_their_query_were_the_only_one(name):
    """The words are the same: those of the record, from the first one on."""
    asked = QUERIES[name]
    records = np.random.default_rng(3).uniform(-1, 1, (700, numbers_of(asked)))
    codes = asked.privatize(records, source()).astype(int)
    which = np.searchsorted(asked.offsets, codes, side="right") - 1
    if len(asked.queries) > 1:
        assert set(which.tolist()) == set(range(len(asked.queries)))
    for place, query in enumerate(asked.queries):
        rows = np.flatnonzero(which == place)
        # Of all records, then of those who were drawn.
        alone = query.privatize(records, source()).astype(int)[rows] + asked.offsets[place]
        np.testing.assert_array_equal(codes[rows], alone)
        few = query.privatize(records[rows], source(rows)).astype(int) + asked.offsets[place]
        np.testing.assert_array_equal(codes[rows], few)


@drawn
def test_reports_do_not_depend_on_the_order_of_people(name):
    asked = QUERIES[name]
    records = np.random.default_rng(3).uniform(-1, 1, (700, numbers_of(asked)))
    codes, order = asked.privatize(records, source()), np.random.default_rng(4).permutation(700)
    np.testing.assert_array_equal(asked.privatize(records[order], source(order)), codes[order])
    single = [asked.privatize(records[[n]], source([n]))[0] for n in range(40)]
    np.testing.assert_array_equal(single, codes[:40])


@drawn
def test_a_person_whose_record_changes_changes_no_other_report(name):
    asked = QUERIES[name]
    records = np.random.default_rng(3).uniform(-1, 1, (700, numbers_of(asked)))
    before = asked.privatize(records, source())
    records[350] = -records[350]
    after = asked.privatize(records, source())
    assert np.flatnonzero(before != after).tolist() in ([], [350])


@drawn
def test_every_query_is_answered_with_others_of_its_kind_and_once(name):
    asked = QUERIES[name]
    alike = query_groups(asked.drawn_parts)
    assert sorted(place for group in alike for place in group.queries) == list(range(len(asked.queries)))
    for group in alike:
        together = [parts_of(asked.queries[place]) for place in group.queries]
        for part, own in zip(group.parts, zip(*together, strict=True), strict=True):
            assert len({query.statistic.kind for query in own}) == 1
            if part.mechanism is None:
                assert part.thresholds.tolist() == [query.mechanism.threshold for query in own]
            else:
                assert {query.mechanism for query in own} == {part.mechanism}
                assert part.thresholds.size == 0


def each(statistics, mechanisms):
    """Queries that are answered one by one."""
    return [(Query(statistic, mechanism),) for statistic, mechanism in zip(statistics, mechanisms, strict=True)]


def test_bits_of_all_coins_are_together_and_other_channels_by_themselves():
    statistics = [
        Number(0),
        Product(0, 1),
        Signs((2,)),
        Number(1, 2),
        Number(0),
        Number(0, 3),
        Number(1, 3),
        Number(2, 3),
    ]
    mechanisms = [
        *(RandomizedResponse(2, epsilon) for epsilon in ("1", "2", "3", "1")),
        *(WindowResponse(2, "1"), LEVELS, LEVELS, WindowResponse(3, "1")),
    ]
    groups = [group.queries for group in query_groups(each(statistics, mechanisms))]
    assert groups == [(0, 1, 2, 3), (4,), (5, 6), (7,)]
    # As many values are not one kind: patterns of two signs, and four points.
    other = RandomizedResponse(4, "1")
    groups = [group.queries for group in query_groups(each([Signs((0, 1)), Number(0, 4), Signs((1, 0))], [other] * 3))]
    assert groups == [(0, 2), (1,)]
    pairs = [Signs((0, 1)), Signs((1, 2)), Signs((2, 0))]
    groups = [group.queries for group in query_groups(each(pairs, [PAIR, BitFlips(PAIR.table[::-1]), PAIR]))]
    assert groups == [(0, 2), (1,)]


def test_queries_that_are_answered_together_are_alike_part_by_part():
    first, second = RandomizedResponse(2, "1"), RandomizedResponse(2, "2")
    both = [
        (Query(Number(0), first), Query(Number(1, 3), LEVELS)),
        (Query(Number(1, 3), LEVELS), Query(Number(0), first)),
        (Query(Number(2), second), Query(Number(0, 3), LEVELS)),
        (Query(Number(2), second),),
        (Query(Number(2), second), Query(Number(0, 3), WindowResponse(3, "1"))),
    ]
    assert [group.queries for group in query_groups(both)] == [(0, 2), (1,), (3,), (4,)]
    assert [len(group.parts) for group in query_groups(both)] == [2, 2, 1, 2]


def test_certain_answers_go_to_their_own_codes():
    """Channels that hardly lie: everybody's code tells the query that was drawn, and its value of the record."""
    flips = BitFlips((2**64 - 3, 1, 1, 1))
    queries = (
        Query(Number(0), RandomizedResponse(2, "40")),
        Query(Number(1, 3), WindowResponse(3, "40")),
        Query(Signs((0, 2)), flips),
        Query(Product(0, 1), RandomizedResponse(2, "41")),
        Query(Signs((2, 1)), flips),
        Query(Number(2, 3), WindowResponse(3, "40")),
        Query(Number(2), RandomizedResponse(2, "42")),
        Query(Product(1, 1), RandomizedResponse(2, "40")),
    )
    asked = Sampled(queries, (1, 2, 1, 3, 1, 1, 1, 1))
    x, y, z = signs = np.random.default_rng(1).choice([-1.0, 1.0], (3, 4000))
    codes = asked.privatize(signs.T).astype(int)
    which = np.searchsorted(asked.offsets, codes, side="right") - 1
    own = codes - np.array(asked.offsets)[which]
    up = [(part > 0).astype(int) for part in (x, y, z)]
    expected = [
        *(up[0], 2 * up[1], up[0] + 2 * up[2], (x * y > 0).astype(int), up[2] + 2 * up[1], 2 * up[2], up[2]),
        np.ones(4000, dtype=int),
    ]
    for place, value in enumerate(expected):
        rows = which == place
        assert abs(rows.sum() - 4000 * asked.weights[place] / 11) < 6 * np.sqrt(4000 * asked.weights[place] / 11)
        np.testing.assert_array_equal(own[rows], value[rows])


def test_what_is_drawn_of_one_group_says_nothing_of_the_words_of_another():
    """Rounding, coins and flips by words of their own: where the record says nothing all codes are as likely."""
    asked = Sampled((Query(Signs((0, 1)), PAIR), Query(Signs((1, 0)), PAIR), Query(Number(0), COIN)), (1, 1, 1))
    counts = np.bincount(asked.privatize(np.zeros((60_000, 2))).astype(int), minlength=10)
    expected = 60_000 * np.array([1 / 12] * 8 + [1 / 6] * 2)
    assert (np.abs(counts - expected) < 6 * np.sqrt(expected)).all()
    assert queries_of(asked)[2][0].outputs == 2
