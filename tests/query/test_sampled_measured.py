"""Numbers in the data's unit, asked beside other values: the reports are those of scaled ones, whoever is drawn."""

import numpy as np
import pytest

from sordino import Interval, KeyedSource, Number, Query, RandomizedResponse, Sampled, SordinoError, Value
from sordino.domain.scaled import Measured
from sordino.query import sampled

N = 3000
ENDS = (Interval(0, 10), Interval(-4, 4))
VALUE = Query(Value("value"), RandomizedResponse(5, "1"))


def bits(places):
    asked = tuple(Query(Number(place), RandomizedResponse(2, "1")) for place in range(places))
    return Sampled(asked, (1,) * places)


@pytest.fixture
def people():
    rng = np.random.default_rng(2)
    return Measured((rng.uniform(0, 10, N), rng.normal(0, 2, N)), ENDS), rng.integers(5, size=N)


def source():
    return KeyedSource(bytes(32), "measured").for_records(np.arange(N))


@pytest.mark.parametrize("weights", [(1, 1), (3, 1)])
def test_reports_are_those_of_scaled_numbers(people, weights):
    numbers, values = people
    asked = Sampled((bits(2), VALUE), weights)
    codes = asked.privatize([numbers, values], source())
    np.testing.assert_array_equal(codes, asked.privatize([numbers[:].records, values], source()))
    first, second = asked.split(asked.tally(codes))
    assert first.n + second.n == N


def test_a_single_query_reads_all_of_them(people):
    numbers, _ = people
    codes = Sampled((bits(2),), (1,)).privatize([numbers], source())
    np.testing.assert_array_equal(codes, bits(2).privatize(numbers[:].records, source()))


@pytest.mark.parametrize("query", [VALUE, bits(3)], ids=["values", "more numbers"])
def test_queries_of_other_values_refuse_them_whoever_is_drawn(people, query):
    numbers, values = people
    with pytest.raises(SordinoError):
        Sampled((VALUE, query), (10**6, 1)).privatize([values, numbers], source())


def test_codes_are_split_by_table_and_by_search_alike(monkeypatch):
    asked = Sampled((bits(2), VALUE, bits(1)), (1, 1, 1))

    def tallies():
        codes = np.arange(asked.outputs, dtype=np.uint64)
        return [[own.tolist(), rows.tolist()] for _, own, rows in asked._split(codes)]

    by_table = tallies()
    monkeypatch.setattr(sampled, "LARGEST_TABLE", 0)
    vars(asked).pop("_query", None)
    assert asked._query is None
    assert (
        tallies() == by_table == [[[0, 1, 2, 3], [0, 1, 2, 3]], [[0, 1, 2, 3, 4], [4, 5, 6, 7, 8]], [[0, 1], [9, 10]]]
    )
