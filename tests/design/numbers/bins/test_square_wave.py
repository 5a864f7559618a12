"""The square wave in whole numbers: two levels, by brute force; and its width, by the information that it keeps."""

from fractions import Fraction
from math import exp, log

import pytest

from in_one import in_one
from sordino import LDP, Nats
from sordino.audit.certify import certify
from sordino.design.numbers.bins.square_wave import half_width, square_wave


@in_one("k, epsilon", [(2, "1"), (16, "1/2"), (40, "ln 3"), (40, "4"), (12, "1/1000000")])
def test_near_codes_have_one_weight_and_far_ones_another(k, epsilon):
    channel = square_wave(k, Nats.of(epsilon))
    weights = [[channel.weight(value, code) for code in range(channel.outputs)] for value in range(k)]
    assert {sum(row) for row in weights} == {channel.denominator}
    near = [[code for code, weight in enumerate(row) if weight == max(row)] for row in weights]
    if channel.window < channel.outputs:
        assert near == [list(range(value, value + channel.window)) for value in range(k)]
    most = max(Fraction(max(column), min(column)) for column in zip(*weights, strict=True))
    # The exact verdict of another part, and floats: within e^epsilon, and hardly below it.
    assert certify(channel, LDP(epsilon)).holds
    assert 0 <= float(Nats.of(epsilon)) - log(most) + 1e-15 < 1e-9


@in_one("epsilon", [0.2, 1.0, 2.5, 5.0])
def test_the_width_keeps_the_most_information(epsilon):
    """The most that a report can tell is the entropy of an even report, less that of the report of one number."""

    def information(b):
        far = 1 / (2 * b * exp(epsilon) + 1)
        near = far * exp(epsilon)
        return log(1 + 2 * b) + 2 * b * near * log(near) + far * log(far)

    best = half_width(epsilon)
    assert all(information(best) > information(best * part) for part in (0.8, 0.95, 1.05, 1.2))


def test_tiny_epsilons_have_the_widest_wave():
    assert half_width(1e-9) == pytest.approx(half_width(0.0011), abs=1e-3)
    assert square_wave(64, Nats.of("1/100000")).window == 64
