"""A mixture of two channels: what falls off with distance, and what tells all values apart alike.

What falls off tells where on the line or the map a value lies, what is alike for all tells neighbours apart; where
steps are small both are needed. A coin that no value moves chooses, and the report says which it is. On 8 x 8 cells in
steps of half a nat the sum of variances is 735, against 4,895 and 972 by what falls off and by what is alike alone.
Guarantee: a mixture of channels that keep bounds keeps them, since they are linear in the columns; exactly, by
`integer_channel`.
Cost: some operations on k x 5 k numbers; a second for 64 values.
"""

import numpy as np

from sordino.definition.metric import MetricLDP
from sordino.design.coarse import coarse_number
from sordino.design.integer_channel import integer_channel
from sordino.exact.arrays import Floats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.inner import inner_mechanisms
from sordino.mechanism.table import ChannelTable

LARGEST_MIXTURE = 128
"""Values at most: the table of their weights is what a plan's may be."""

LARGEST_TABLE = 1 << 16
"""Weights of the table at most: a plan with more is not read."""

PARTS = 16
"""The share of the first channel is a multiple of one in so many."""

NEAR = 1.02
"""Of channels that are alike for all values that with the fewest codes whose variance is so many times the least."""


def mixture(definition: MetricLDP, falling: Mechanism) -> ChannelTable:
    """The best mixture of a channel that keeps bounds and one that is alike for all values, at the least of them.

    Args:
        definition: the bounds, of at most 128 values.
    """
    first = falling.probabilities()
    second = _uniform_mixture(definition, LARGEST_TABLE // definition.k - falling.outputs).probabilities()
    told = [_information(channel) for channel in (first, second)]
    shares = [part / PARTS for part in range(1, PARTS)]
    # The last digits of inverses are a machine's own, and the plan is not.
    best = min(shares, key=lambda share: coarse_number(_variance(share * told[0] + (1 - share) * told[1])))
    columns = np.concatenate((best * first, (1 - best) * second), axis=1)
    # Not every code is sent of a channel whose codes are masks.
    return ChannelTable(integer_channel(columns[:, columns.any(axis=0)], definition.edge_bounds))


def _uniform_mixture(definition: MetricLDP, codes: int) -> Mechanism:
    """The channel with few codes under LDP at the least bound, of at most so many."""
    fitting = [channel for channel in inner_mechanisms(definition.k, definition.least) if channel.outputs <= codes]
    least = coarse_number(NEAR * min(channel.total_variance for channel in fitting))
    near = (channel for channel in fitting if coarse_number(channel.total_variance) <= least)
    return min(near, key=lambda channel: channel.outputs)


def _information(channel: Floats) -> Floats:
    """P D^-1 P', whose inverse is the covariance of the best estimates at uniform values, but for a constant."""
    sent = channel.mean(axis=0) > 0
    information: Floats = (channel[:, sent] / channel[:, sent].mean(axis=0)) @ channel[:, sent].T
    return information


def _variance(information: Floats) -> float:
    return float(np.trace(np.linalg.inv(information)))
