"""One of several statistics by a bit: draws, unbiased for any number of people, and the exact noise."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sordino import KeyedSource, Moments, SampledBits, SordinoError
from sordino.mechanism import sampled_bits

TWO = SampledBits(Moments.first(2), ["1", "2"], [1, 3])


def test_the_noise_of_the_sampling_rule_at_zero_dependence():
    """The corrected figures: ten numbers, two of them at 0.2 and eight at 2, best weights: 0.0925 at 10,000 people."""
    levels = ["0.2"] * 2 + ["2"] * 8
    scales = [1 / math.tanh(float(level) / 2) for level in levels]
    channel = SampledBits(Moments.first(10), levels, [round(2**20 * scale / sum(scales)) for scale in scales])
    assert channel.noise().sum() == pytest.approx(sum(scales) ** 2, rel=1e-9)
    assert (channel.noise().sum() - 10) / 1e4 == pytest.approx(0.0925, abs=5e-5)


def test_the_noise_is_that_of_the_linear_estimate():
    """E[g^2] with g = C / p times the sign where s was drawn, enumerated over the codes of some records."""
    channel = SampledBits(Moments(2, ((1,), (0, 1), (0, 0))), ["1", "ln 2", "3"], [2, 1, 5])
    for record in ((1.0, 1.0), (0.3, -0.8)):
        for which in range(3):
            drawn = sum(channel.probability(record, 2 * which + bit) for bit in (0, 1))
            assert drawn == Fraction(channel.weights[which], 8)
            tilt = channel.probability((1, 1), 2 * which + 1) - channel.probability((1, 1), 2 * which)
            assert float(drawn / tilt**2) == pytest.approx(channel.noise()[which])


def outcomes(people):
    """All codes that some people can send together, with their probability."""
    for codes in product(range(4), repeat=len(people)):
        share = math.prod(TWO.probability(person, code) for person, code in zip(people, codes, strict=True))
        yield float(share), TWO.tally(codes)


def test_the_estimate_is_unbiased_for_given_people_where_somebody_was_drawn():
    people = [(1.0, 0.5), (-0.25, -1.0), (0.75, 0.0)]
    total, mean = 0.0, np.zeros(2)
    for share, tally in outcomes(people):
        if (tally.counts.reshape(2, 2).sum(axis=1) > 0).all():
            total, mean = total + share, mean + share * TWO.means(tally)
    np.testing.assert_allclose(mean / total, np.mean(people, axis=0), atol=1e-14)


def test_dividing_by_those_who_were_drawn_beats_dividing_by_those_expected():
    """Exact variances at n people who all have the number 0.9: enumerated by the numbers of both bits."""
    channel, n = SampledBits(Moments.first(2), ["4", "4"], [1, 1]), 40
    minus, plus = (float(channel.probability((0.9, 0.9), code)) for code in (0, 1))
    scale, first, second, linear, total = 1 / math.tanh(2), 0.0, 0.0, 0.0, 0.0
    for ones in range(n + 1):
        for zeros in range(n + 1 - ones):
            ways = math.comb(n, ones) * math.comb(n - ones, zeros)
            share = ways * plus**ones * minus**zeros * 0.5 ** (n - ones - zeros)
            linear += share * (scale * (ones - zeros) / (n / 2) - 0.9) ** 2
            if ones + zeros and ones + zeros < n:
                mean = channel.means(channel.tally([1] * ones + [0] * zeros + [2] * (n - ones - zeros)))[0]
                total, first, second = total + share, first + share * mean, second + share * mean**2
    assert linear == pytest.approx((channel.noise()[0] - 0.81) / n)
    assert second / total - (first / total) ** 2 == pytest.approx((scale**2 - 0.81) / (n / 2), rel=0.1)
    assert second / total - (first / total) ** 2 < linear / 2


def test_a_statistic_about_which_nobody_was_asked_is_named_with_the_remedy():
    for ask in (TWO.means, TWO.covariance):
        with pytest.raises(SordinoError, match=r"nobody about \(1,\), of 3 answers: ask more people"):
            ask(TWO.tally([0, 1, 1]))


def test_the_covariance_by_hand():
    channel = SampledBits(Moments.first(2), ["ln 3", "ln 3"], [1, 1])
    tally = channel.tally([0] * 40 + [1] * 60 + [2] * 10 + [3])
    np.testing.assert_allclose(channel.covariance(tally), np.diag([(4 - 0.16) / 99, 3 / 10]))


def test_what_a_keyed_source_draws_depends_on_the_id_and_not_on_the_record():
    channel = SampledBits(Moments.first(3), ["1"] * 3, [1, 2, 4])
    rng, ids = np.random.default_rng(1), np.arange(500)
    codes = [
        channel.privatize(rng.uniform(-1, 1, (500, 3)), KeyedSource(bytes(32), "a").for_records(ids)) for _ in range(2)
    ]
    np.testing.assert_array_equal(codes[0] >> np.uint64(1), codes[1] >> np.uint64(1))
    assert (codes[0] != codes[1]).any()


@pytest.mark.parametrize("weights", [[1, 2, 3], [7, 7, 7], [2, 1, 5], [1, 2**21, 3]])
def test_draws_by_table_and_by_search_are_the_same(weights, monkeypatch):
    def draws():
        channel = SampledBits(Moments.first(3), ["1"] * 3, weights)
        records, source = np.zeros((3000, 3)), KeyedSource(bytes(32), "a").for_records(np.arange(3000))
        return channel.privatize(records, source).tolist()

    first = draws()
    monkeypatch.setattr(sampled_bits, "LARGEST_TABLE", 0 if sum(weights) < 100 else 2**40)
    assert draws() == first
    counts = np.bincount(np.array(first) // 2, minlength=3)
    expected = 3000 * np.array(weights) / sum(weights)
    assert (np.abs(counts - expected) <= 6 * np.sqrt(expected) + 1).all()


@pytest.mark.parametrize(
    "weights", [[1], [1, 2, 3], [0, 1], [-1, 2], [1.0, 2], [True, 1], ["1", 1], [2**32, 1], [math.nan, 1]]
)
def test_weights_that_are_not_whole_or_too_many_are_refused(weights):
    with pytest.raises(SordinoError, match="whole weight"):
        SampledBits(Moments.first(2), ["1", "1"], weights)


@pytest.mark.parametrize("levels", [[], ["1"], ["1"] * 3, "11", ["1", "-1"], ["1", "inf"], ["1", "nan"], ["1", "101"]])
def test_levels_that_are_not_one_epsilon_for_each_are_refused(levels):
    with pytest.raises(SordinoError, match=r"epsilon|an amount of loss"):
        SampledBits(Moments.first(2), levels, [1, 1])


def test_a_frozen_channel_is_the_same_and_its_thresholds_are_checked():
    again = SampledBits.from_thresholds(TWO.moments, TWO.thresholds, TWO.weights)
    assert (again, again.fingerprint) == (TWO, TWO.fingerprint)
    assert SampledBits(Moments.first(2), ["1", "2"], [2, 6]).fingerprint == TWO.fingerprint
    for thresholds in ([2**63], [2**63, 2**64], [2**63 - 1, 2**63], [2**63, 1.5]):
        with pytest.raises(SordinoError, match="threshold"):
            SampledBits.from_thresholds(TWO.moments, thresholds, TWO.weights)


def test_nothing_is_estimated_where_one_bit_tells_nothing():
    channel = SampledBits(Moments.first(2), ["1", "0"], [1, 1])
    assert not channel.informative
    with pytest.raises(SordinoError, match="raise epsilon"):
        channel.means(channel.tally([0, 1, 2, 3]))


def test_each_statistic_is_a_type_of_its_own_level():
    channel = SampledBits(Moments(3, ((2,), (0, 1))), ["1", "ln 2"], [1, 1])
    assert [[answer.statistics for answer in kind] for kind in channel.types] == [[((2,),)], [((0, 1),)]]
    assert [kind[0].level for kind in channel.types] == list(channel.levels)
    assert channel.types[1][0].level <= "ln 2"


def test_chunks_draw_words_of_their_own(monkeypatch):
    monkeypatch.setattr("sordino.mechanism.channel.CHUNK", 40)
    channel = SampledBits(Moments.first(1000), ["1"] * 1000, [1] * 1000)
    codes = channel.privatize(np.zeros((120, 1000)))
    assert len(np.unique(codes)) > 80
