"""Mixtures of types: the corrected figure, places, weights fixed before the data, words that no two parts share."""

import math

import numpy as np
import pytest

from sordino import LevelResponse, Mixture, Moments, OneBit, SampledBits, SignResponse, SordinoError
from sordino.exact.nats import Nats
from sordino.exact.source import SystemSource

BIT = OneBit("1")


def test_the_best_mixture_at_zero_dependence():
    """The corrected figures: both sensitive numbers at 0.2 and two signs of the other eight at 1.6."""
    quiet = OneBit("0.2")
    mixture = Mixture(10, [[((0,), quiet), ((1,), quiet), (range(2, 10), SignResponse(8, "1.6", 2))]], [1])
    assert (mixture.noise().sum() - 10) / 1e4 == pytest.approx(0.0321, abs=5e-5)
    ((*answers,),) = mixture.types
    assert sum((answer.level for answer in answers), Nats.of(0)) <= "2"


def test_two_types_combine_in_inverse_proportion_to_their_noise():
    """At q = 0.05: both sensitive ones at 0.1896 (58 %), the rest at 1.6916 (42 %); and one told by both types."""
    parts = [((0,), OneBit("0.1896")), ((1,), OneBit("0.1896"))]
    mixture = Mixture(10, [parts, [(range(2, 10), SignResponse.best(8, "1.6916"))]], [58, 42])
    assert (mixture.noise().sum() - 10) / 1e4 == pytest.approx(0.0652, abs=5e-4)
    both = Mixture(1, [[((0,), OneBit("ln 3"))], [((0,), OneBit("ln 2"))]], [1, 3])
    # Noise 4 for a quarter and 9 for three quarters; weights 3/7 and 4/7, checked by the variance itself.
    assert both.noise() == pytest.approx([1 / (1 / 16 + 3 / 36)])
    first, second = 0.0625 / (0.0625 + 1 / 12), (1 / 12) / (0.0625 + 1 / 12)
    assert both.noise()[0] == pytest.approx(first**2 * 4 / 0.25 + second**2 * 9 / 0.75)
    tally = both.tally([0] * 10 + [1] * 30 + [2] * 20 + [3] * 40)
    assert both.means(tally) == pytest.approx([first * 2 * 0.5 + second * 3 / 3])
    assert both.covariance(tally)[0, 0] == pytest.approx(first**2 * (4 - 1) / 39 + second**2 * (9 - 1) / 59)


def test_places_name_the_statistics_of_the_whole_record():
    inner = SampledBits(Moments(2, ((0,), (0, 1), (1, 1))), ["1"] * 3, [1, 1, 1])
    mixture = Mixture(5, [[((4, 2), inner), ((0,), BIT)]], [1])
    assert mixture.moments.names == ((0,), (4,), (2, 2), (2, 4))
    told = [[answer.statistics for answer in kind] for kind in mixture.types]
    assert told == [[((4,),), ((0,),)], [((2, 4),), ((0,),)], [((2, 2),), ((0,),)]]


def test_estimates_stand_at_their_statistics():
    inner = SampledBits(Moments(2, ((0,), (0, 1), (1, 1))), ["30"] * 3, [1, 1, 1])
    mixture = Mixture(5, [[((4, 2), inner), ((0,), OneBit("30"))], [((1,), OneBit("30"))]], [2, 1])
    records = np.tile([1.0, -1, 1, -1, -1], (300, 1))
    tally = mixture.tally(mixture.privatize(records))
    assert mixture.moments.names == ((0,), (1,), (4,), (2, 2), (2, 4))
    np.testing.assert_allclose(mixture.means(tally), [1, -1, -1, 1, -1], atol=1e-9)
    assert (np.diag(mixture.covariance(tally)) > 0).all()


def test_parts_of_one_person_answer_independently():
    """Two bits about one number each, both 0: the four pairs come equally often, with every source of words."""
    mixture = Mixture(2, [[((0,), BIT), ((1,), BIT)], [((1,), LevelResponse(3, "1"))]], [3, 1])
    counts = np.bincount(mixture.privatize(np.zeros((40_000, 2))).astype(int), minlength=7)
    assert (np.abs(counts[:4] - 7500) < 6 * math.sqrt(7500)).all()


def test_a_rare_type_may_have_nobody():
    mixture = Mixture(1, [[((0,), BIT)], [((0,), BIT)]], [1, 2**31])
    codes = mixture.privatize(np.ones((50, 1)), SystemSource())
    assert set(codes.tolist()) <= {2, 3}
    with pytest.raises(SordinoError, match="nobody for type 0, of 50 people: ask more people"):
        mixture.means(mixture.tally(codes))


def test_tallies_of_parts_must_agree():
    mixture = Mixture(2, [[((0,), BIT), ((1,), BIT)]], [1])
    assert mixture.possible(np.array([1, 2, 3, 0]))
    assert not mixture.possible(np.array([1, 2, 3, 1]))
    assert not Mixture(3, [[((0, 1, 2), SignResponse(3, "1", 2))]], [1]).possible(np.arange(18))


def test_types_that_make_no_channel_are_refused():
    for types, weights, rule in (
        ([], [], "whole weight"),
        ([[((0,), BIT)]], [0], "whole weight"),
        ([[((0,), BIT)]], [1, 1], "whole weight"),
        ([[((0,), BIT)]], [1.5], "whole weight"),
        ([[]], [1], "must have parts"),
        ([[((2,), BIT)]], [1], "1 different numbers among 2"),
        ([[((-1,), BIT)]], [1], "1 different numbers among 2"),
        ([[((0, 1), BIT)]], [1], "1 different numbers among 2"),
        ([[((0, 0), SignResponse(2, "1", 1))]], [1], "2 different numbers among 2"),
        ([[((0,), BIT), ((0,), BIT)]], [1], "different statistics"),
    ):
        with pytest.raises(SordinoError, match=rule):
            Mixture(2, types, weights)
    big = SignResponse(60, "1", 9)
    with pytest.raises(SordinoError, match="fit in 64 bits"):
        Mixture(120, [[(range(60), big), (range(60, 120), big)]], [1])
