"""The best table for one number in [-1, 1]: within a percent or so of the least worst variance of any channel.

The columns of `unbiased_channel` are put on as few codes as are needed: codes count as evenly spaced numbers, and a
column whose z lies between two of them is shared out so that their mean is z. So nothing becomes biased, columns that
share a code add up, and the variance grows by a sixth of the squared spacing or so. Fewer points make a smaller table;
numbers between two points have a variance that is larger by up to the squared spacing over 4.
Whole weights: columns are made for an e^epsilon that is lower by 2^-36, which leaves room for rounding. What a row then
lacks of 2^64, and of its mean code, goes to two heavy columns; so rows have one sum and mean codes grow by equal steps,
exactly. Each column is compared with e^epsilon in exact arithmetic before the table is returned.
Guarantee: the table keeps epsilon, or there is none; it is certified again whenever it is used. Cost: a twentieth to a
third of a second, once for each (epsilon, share).
"""

from functools import lru_cache
from math import ceil, sqrt

import numpy as np

from sordino.definition.bounds import read_epsilon
from sordino.design.coarse import exponential
from sordino.design.numbers.unbiased_channel import UnbiasedChannel
from sordino.exact.coin import WORD, most_weight
from sordino.exact.floats import Floats
from sordino.exact.messages import checked
from sordino.exact.nats import Nats, NatsLike
from sordino.mechanism.channel_table import LinearTable

LARGEST_LEVEL = Nats.of(10)
"""Above, the variance is that of rounding to points, and responses with windows have more of them."""

FIRST_POINTS = 7
"""Points of the channel that tells which sizes will do."""

BETWEEN_POINTS = 1 / 80
"""The variance that is added between points at most, relative to the whole."""

BETWEEN_CODES = 1 / 200
"""The variance that codes between columns may add, relative to the whole."""

FEWEST_POINTS, MOST_POINTS = 5, 31
FEWEST_CODES, MOST_CODES = 9, 63

ROOMS = (2.0**-36, 2.0**-28, 2.0**-20)
"""What e^epsilon is lowered by, relatively, for the rounding of weights: the first of these that is enough."""


@checked
def best_table(epsilon: NatsLike, share: float = 1.0) -> LinearTable | None:
    """The table with the least worst variance of one number; None where epsilon is too large or too small for one.

    Args:
        share: of the people who are asked about this number, for the worst variance of their mean.

    Example:
        >>> table = best_table("2")
        >>> table.k, table.outputs
        (11, 21)
    """
    level = read_epsilon(epsilon)
    return _table(level, share) if 0 < level <= LARGEST_LEVEL else None


@lru_cache(maxsize=1 << 8)
def _table(level: Nats, share: float) -> LinearTable | None:
    factor = float(exponential(np.array([level.floor()]))[0])
    for room in ROOMS:
        lowered = factor * (1 - room)
        if lowered > 1 and (table := _make_table(lowered, level, share)) is not None:
            return table
    return None


def _make_table(factor: float, level: Nats, share: float) -> LinearTable | None:
    """The table for an e^epsilon, if it keeps the level when it is rounded."""
    least = UnbiasedChannel.of(factor, FIRST_POINTS, share).worst
    channel = UnbiasedChannel.of(factor, _points(least / share), share)
    scale = float(np.abs(channel.prices.values).max())
    return integer_table(_on_codes(channel, scale, _codes(least, scale)), scale, level)


def _points(variance: float) -> int:
    reach = ceil(sqrt(1 / (BETWEEN_POINTS * variance)) / 2)
    return min(max(2 * reach + 1, FEWEST_POINTS), MOST_POINTS)


def _codes(moment: float, scale: float) -> int:
    reach = ceil(scale / sqrt(6 * BETWEEN_CODES * moment))
    return min(max(2 * reach + 1, FEWEST_CODES), MOST_CODES)


def _on_codes(channel: UnbiasedChannel, scale: float, codes: int) -> Floats:
    """The probability of each code at the points up to 0, shape (points, codes), codes from -scale to scale."""
    intervals, reach = channel.prices.intervals, codes // 2
    lower_half = intervals.points // 2 + 1
    found = np.zeros((lower_half, codes))
    columns = zip(channel.prices.values, channel.weights, intervals.shapes, intervals.count, strict=True)
    for value, weight, shape, count in columns:
        for sign in (1, -1)[: int(count)]:
            place = min(max((sign * value / scale + 1) * reach, 0.0), 2.0 * reach)
            lower = min(int(place), codes - 2)
            column = weight * shape[::sign][:lower_half]
            found[:, lower] += (lower + 1 - place) * column
            found[:, lower + 1] += (place - lower) * column
    return found


def integer_table(weights: Floats, scale: float, level: Nats) -> LinearTable | None:
    """Whole weights with exact sums and mean codes; None where they do not keep epsilon.

    Args:
        weights: the probability of each code at the points from -1 to 0, shape (points, codes).
        scale: what the last code counts as.
        level: epsilon.
    """
    below, codes = len(weights) - 1, weights.shape[1]
    # A code for which there is no column is sent as often whatever the value is.
    rows = [[int(weight) + 1 for weight in row] for row in np.ldexp(weights, 64)]
    step = int(np.ldexp((codes - 1) / (2 * scale * below), 64))
    heavy = max(range(codes // 2), key=lambda code: min(min(row[code], row[codes - 1 - code]) for row in rows))
    for place, row in enumerate(rows):
        _complete(row, (codes - 1) * WORD // 2 + (place - below) * step, heavy)
    rows += [row[::-1] for row in rows[-2::-1]]
    kept = all(min(column) > 0 and max(column) <= most_weight(level, min(column)) for column in zip(*rows, strict=True))
    return LinearTable(rows) if kept else None


def _complete(row: list[int], moment: int, heavy: int) -> None:
    """Give a row the sum 2^64, and this sum of code times weight, by two heavy codes that mirror each other."""
    mirrored = len(row) - 1 - heavy
    rest = WORD - sum(row)
    missing = moment - sum(code * weight for code, weight in enumerate(row)) - rest * heavy
    more, odd = divmod(missing, mirrored - heavy)
    row[mirrored] += more
    row[heavy] += rest - more - odd
    row[heavy + 1] += odd
