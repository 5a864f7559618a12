"""The channel for the distribution of a number that may be missing: a square wave, spliced with a value more.

`OptionalWindow` over the bins: windows as wide as those of the square wave (`square_wave`), and whoever has a number
says "missing" with some part of the largest probability that is of use. At a small epsilon a small one tells the
distribution better, and who has a number at all much worse. Of some parts the one is taken at which the exact variances
of both, at the declared share, have the least sum: of the share, and of the distribution function among those who have
the number, the mean over the edges, for evenly spread numbers (`Subpopulation`).

The part is chosen on few bins. A finer cut makes the function at each of its edges noisier, as many times as there are
bins, and nothing that is coarser: what is read of many bins are ranges, quantiles and a smoothed curve.
Guarantee: exact thresholds (`OptionalWindow`), certified again whenever they are used.
"""

from fractions import Fraction
from functools import lru_cache
from math import floor

import numpy as np

from sordino.design.coarse import coarse_number, exponential
from sordino.design.numbers.bins.square_wave import square_wave
from sordino.estimation.distributions.subpopulation import Subpopulation, below_edges
from sordino.exact.coin import WORD
from sordino.exact.nats import Nats
from sordino.mechanism.numbers.optional_window import OptionalWindow, common

PARTS = (0.25, 0.4, 0.55, 0.7, 0.85, 1.0)
"""Of the largest probability of "missing" of whoever has a number, that are tried."""

FEW = 16
"""Bins by which the part is chosen."""


def optional_wave(k: int, level: Nats, missing: float) -> OptionalWindow:
    """The channel over k bins, and no number, that keeps a level of LDP.

    Args:
        k: bins.
        level: the loss allowed, above 0.
        missing: the share of the people that is expected to lack the number, above 0 and below 1.

    Example:
        >>> channel = optional_wave(64, Nats.of(1), 0.1)
        >>> channel.k, channel.outputs, round(channel.present / 2**64, 3), round(channel.absent / 2**64, 3)
        (65, 97, 0.151, 0.411)
    """
    return _splice(k, level, _best_part(min(k, FEW), level, missing))


@lru_cache(maxsize=1 << 8)
def _best_part(k: int, level: Nats, missing: float) -> float:
    return min(PARTS, key=lambda part: coarse_number(variance(_splice(k, level, part), missing)))


def _splice(k: int, level: Nats, part: float) -> OptionalWindow:
    bins = square_wave(k, level)
    growth, least = Fraction(float(exponential(np.array([level.floor()]))[0])), common(bins)
    present = floor(WORD * Fraction(part) * (1 - least) / (growth - least))
    return OptionalWindow(bins, level, min(max(present, 1), WORD - 1))


def variance(channel: OptionalWindow, missing: float) -> float:
    """The variance, times n, of the share of people who lack the number, and that of the function: see above."""
    k = channel.bins.k
    having = Subpopulation(channel, channel.forward(np.append(np.full(k, (1 - missing) / k), missing)), k)
    below = having.contributions(below_edges(k))
    errors = below**2 @ having.law - (below @ having.law) ** 2
    return float(errors.mean()) + having.share_variance(having.law)
