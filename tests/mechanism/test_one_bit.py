"""A number by a bit: the ends that certify reads, the scale, and what is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sordino import LDP, ChannelTable, OneBit, SordinoError, certify
from sordino.exact.coin import WORD

EPSILONS = ["0.001", "0.5", "1", "ln 3", "5", "20", "36.5", "40", "60"]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_two_ends_are_a_channel_that_certify_proves(epsilon):
    channel = OneBit(epsilon)
    ends = ChannelTable(channel.ends)
    certificate = certify(ends, LDP(epsilon))
    assert certificate.holds
    assert channel.level + certificate.slack == LDP(epsilon).epsilon
    assert not certify(ChannelTable(OneBit.from_threshold(channel.threshold).ends), LDP("0.0009")).holds
    for row, number in zip(channel.ends, (-1.0, 1.0), strict=True):
        assert [Fraction(weight, WORD) for weight in row] == [channel.probability([number], code) for code in (0, 1)]


@pytest.mark.parametrize("epsilon", EPSILONS[:6])
def test_the_bit_has_the_slope_of_a_hyperbolic_tangent(epsilon):
    channel, e = OneBit(epsilon), math.log(3) if epsilon == "ln 3" else float(epsilon)
    for number in (-1, -0.4, 0, 0.1, 1):
        assert float(channel.probability([number], 1)) == pytest.approx(0.5 + number * math.tanh(e / 2) / 2, abs=1e-15)
    assert float(channel.scale) == pytest.approx(1 / math.tanh(e / 2))
    assert channel.noise() == pytest.approx([1 / math.tanh(e / 2) ** 2])


def test_numbers_come_in_one_row_or_a_row_each():
    channel = OneBit("40")
    assert channel.privatize([-1, 1, 1]).tolist() == channel.privatize([[-1], [1], [1]]).tolist() == [0, 1, 1]


@pytest.mark.parametrize("epsilon", ["-1", "inf", "nan", "101", "", None])
def test_epsilons_that_cannot_be_promised_are_refused(epsilon):
    with pytest.raises(SordinoError):
        OneBit(epsilon)


@pytest.mark.parametrize("threshold", [2**63 - 1, 2**64, 0, -1, 2.0**63, None, True])
def test_thresholds_that_no_epsilon_has_are_refused(threshold):
    with pytest.raises(SordinoError, match="threshold"):
        OneBit.from_threshold(threshold)


def test_nothing_is_estimated_from_a_fair_coin():
    channel = OneBit(0)
    assert not channel.informative
    assert channel.level == 0
    for ask in (
        channel.noise,
        lambda: channel.means(channel.tally([0, 1])),
        lambda: channel.covariance(channel.tally([0])),
    ):
        with pytest.raises(SordinoError, match="raise epsilon"):
            ask()


def test_the_estimate_and_its_variance_by_hand():
    channel = OneBit("ln 3")  # C = 2
    tally = channel.tally([1] * 60 + [0] * 40)
    assert channel.means(tally) == pytest.approx([0.4])
    assert channel.covariance(tally) == pytest.approx(np.array([[(4 - 0.16) / 99]]))
    # The estimate can be beyond 1; the variance is then that of a mean of 1.
    assert channel.covariance(channel.tally([1, 1])) == pytest.approx(np.array([[3.0]]))
    assert channel.covariance(channel.tally([1])) == pytest.approx(np.array([[3.0]]))
