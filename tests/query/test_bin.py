"""The bin of a number through a mechanism: the channel from bins, word by word; and what is refused."""

import numpy as np
import pytest

from sordino import KeyedSource, Query, Sampled, SordinoError, WindowResponse
from sordino.domain.bins import Bins
from sordino.exact.source import FreshStream
from sordino.query.bin import Bin

BINS = Bins((0.0, 1.0, 1.5, 10.0))
CHANNEL = WindowResponse(3, "1", 2)
QUERY = Query(Bin("pay", BINS), CHANNEL)


class Given:
    """The same words whatever is read."""

    def stream(self, values):
        generator = np.random.default_rng(1)
        return FreshStream(lambda count: generator.integers(0, 1 << 64, count, dtype=np.uint64), len(values))


def test_a_report_is_that_of_the_bin_by_the_same_words():
    numbers = np.random.default_rng(3).uniform(0, 10, 500)
    bins = np.array([0 if number < 1 else 1 if number < 1.5 else 2 for number in numbers])
    assert QUERY.privatize(numbers, Given()).tolist() == CHANNEL.privatize(bins, Given()).tolist()


def test_a_key_draws_by_the_bin_and_nothing_else_of_the_number():
    records = KeyedSource(bytes(32), "task").for_records(np.arange(600))
    numbers = np.random.default_rng(3).uniform(0, 10, 600)
    bins = np.array([0 if number < 1 else 1 if number < 1.5 else 2 for number in numbers])
    expected = CHANNEL.privatize(bins, records).tolist()
    assert QUERY.privatize(numbers, records).tolist() == expected
    drawn = Sampled((QUERY,), (1,))
    assert drawn.privatize([np.array([0.0, 1.0, 1.5])[bins]], records).tolist() == expected
    assert np.mean(QUERY.privatize((numbers + 1.5) % 10, records) != np.array(expected)) > 0.1


@pytest.mark.parametrize("wrong", [-1e-9, 10.5, np.nan, np.inf])
def test_a_number_beyond_the_bins_is_named_by_its_position_only(wrong):
    with pytest.raises(SordinoError, match="position 1") as refused:
        QUERY.privatize([5.0, wrong, 3.0])
    assert repr(wrong) not in str(refused.value)


def test_a_mechanism_over_other_bins_is_refused():
    with pytest.raises(SordinoError, match="3 bins"):
        Query(Bin("pay", BINS), WindowResponse(4, "1", 2))


def test_other_edges_are_another_query():
    other = Query(Bin("pay", Bins((0.0, 1.0, np.nextafter(1.5, 2), 10.0))), CHANNEL)
    assert len({other.fingerprint, QUERY.fingerprint, Query(Bin("wage", BINS), CHANNEL).fingerprint}) == 3
