"""The means of some numbers of which some may be missing: one number a person, drawn in proportion to its noise.

Each is asked at the largest level that the deltas of all attributes allow an answer of any kind (`LevelLimits.of_any`):
a reading that tells whether a number is missing is not linear in it, so that bounds on means alone do not serve it. One
that may be missing goes through `optional_channel`, any other through the best table, window or bit for its share.
Guarantee: as `sampled_mean`; the finished queries are proved by the plan's promise.

The channel of a number that may be missing: one for numbers, spliced with a value more.

A channel for the points of a number that keeps epsilon is given one more code, "missing", sent with probability a where
there is a number, and with b where there is none; whoever has none sends any other code in proportion to its least
probability, the sum of which is c. No two values differ by more than e^epsilon where

    b <= e^epsilon a    and    (1 - a) c <= 1 - b.

Both hold with equality at a = (1 - c) / (e^epsilon - c): of randomized response that makes randomized response of one
value more. A smaller a tells less of who is missing, and more of the numbers. Candidates: one bit and the best table of
points (`best_table`), each at some of these a. The one is taken that has the least exact variance, at the declared
share, of the mean among those whose number is given. At epsilon 1 and 4 and shares of .1 and .5 the best of all
channels of one bit is within 4 % of that of one bit spliced here, and the spliced table is better than both.
Guarantee: integer weights that keep epsilon exactly (`integer_channel`), certified again whenever they are used.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sordino.design.coarse import coarse, coarse_number, exponential
from sordino.design.integer_channel import integer_channel
from sordino.design.numbers.best_table import LARGEST_LEVEL, best_table
from sordino.design.numbers.drawn_answers import whole_shares
from sordino.design.numbers.level_limits import LevelLimits
from sordino.design.numbers.sampled_levels import better_mechanism, noise_of, with_table
from sordino.distinct import DistinctParts
from sordino.exact.floats import Floats
from sordino.exact.messages import checked
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel_table import ChannelTable
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.missing import OptionalNumber
from sordino.query.number import Number
from sordino.query.query import Query
from sordino.query.sampled import Sampled


class MeansDesign(NamedTuple):
    """All that the queries for means of numbers that may be missing depend on.

    Attributes:
        levels: at which each number may be asked in any way.
        singles: at which one bit may be asked about each.
        missing: the share of the people expected to lack each number; None where everybody has it.
    """

    levels: tuple[Nats, ...]
    singles: tuple[Nats, ...]
    missing: tuple[float | None, ...]

    def queries(self) -> Sampled:
        """One number a person."""
        queries, noise = [], []
        for place, (level, single, missing) in enumerate(zip(*self, strict=True)):
            if missing is not None:
                channel = optional_channel(level, missing)
                queries.append(Query(OptionalNumber(place, channel.k - 1), channel))
                noise.append(mean_variance(channel, missing))
            else:
                share = float(f"{1 / len(self.levels):.3g}")
                channel = with_table(better_mechanism(level, single, share), level, share)
                queries.append(Query(Number(place, channel.k), channel))
                noise.append(noise_of(channel))
        weights = whole_shares(coarse(np.sqrt(np.array(noise)))) if len(queries) > 1 else [1]
        return Sampled(tuple(queries), tuple(weights))


def optional_means(
    limits: LevelLimits, asked: Sequence[int], missing: Mapping[int, float], designs: DistinctParts | None = None
) -> Sampled:
    """The queries for the means of some numbers of a record of d attributes.

    Args:
        limits: the deltas of all d attributes, above 0 and at most epsilon.
        asked: the places of the numbers; the queries read these numbers, in this order.
        missing: for the places of those that may be missing, the share of the people that is expected to lack it.
        designs: what was designed for other questions of the survey.
    """
    singles = limits.of_statistics([(j,) for j in asked])
    design = MeansDesign(tuple(limits.coarse[j] for j in asked), singles, tuple(missing.get(j) for j in asked))
    return (designs or DistinctParts()).of(design, design.queries)


PARTS = (0.7, 0.85, 1.0)

LEAST_OF_TABLES = Nats.of("1/2")
"""Below, no table gains over a bit."""

EVEN = 257
"""Numbers that stand for all of [-1, 1]."""

ROOM = 2.0**-32
"""What e^epsilon is lowered by, relatively: whole weights need some room."""


@checked
def optional_channel(level: Nats, missing: float) -> Mechanism:
    """The channel for one number that a share of the people does not have.

    Args:
        level: the loss allowed, above 0.
        missing: the share expected, above 0 and below 1.

    Example:
        >>> channel = optional_channel(Nats.of(1), 0.1)
        >>> channel.k, channel.outputs
        (8, 14)
    """
    return _best(level, missing)


@lru_cache(maxsize=1 << 8)
def _best(level: Nats, missing: float) -> Mechanism:
    # In case of a tie the first and simplest one.
    return min(_candidates(level), key=lambda channel: coarse_number(mean_variance(channel, missing)))


def mean_variance(channel: Mechanism, missing: float) -> float:
    """The variance, times n, of the mean among those who have the number, for numbers that are spread evenly.

    Of y / s, with y the mean of the number, 0 where it is missing, and s the share that has one, it is to the first
    order E[(g - h y / s)^2] / s^2, g and h being what a report counts as in y and s. Averaged over means from -1 to 1
    that is (E[g^2] + E[h^2] / 3) / s^2.

    Args:
        channel: over the points of the number, and that it is missing.
        missing: the share of the people who do not have it.
    """
    statistic = OptionalNumber(0, channel.k - 1)
    shares = statistic.shares(np.linspace(-1, 1, EVEN), missing)
    (_, number), (_, there) = statistic.counted_moments
    squares = [shares @ channel.adjoint(channel.code_values(grid) ** 2) for grid in (number, (1 + there) / 2)]
    return float((squares[0] + squares[1] / 3) / (1 - missing) ** 2)


def _candidates(level: Nats) -> Iterator[Mechanism]:
    yield RandomizedResponse(3, level)
    most = min(level, LARGEST_LEVEL)
    table = best_table(most) if level >= LEAST_OF_TABLES else None
    for numbers, own in ((RandomizedResponse(2, level), level), *(() if table is None else ((table, most),))):
        for part in PARTS:
            rows = splice(numbers.probabilities(), own, part)
            yield ChannelTable(integer_channel(rows, [[level] * len(rows)] * len(rows)))


def splice(rows: Floats, level: Nats, part: float = 1.0) -> Floats:
    """The channel with one value and one code more, both the last ones, shape (k + 1, codes + 1).

    Args:
        rows: of a channel for numbers that keeps the level, shape (k, codes).
        part: of the largest probability of the last code where there is a number, in (0, 1].
    """
    growth = float(exponential(np.array([level.floor()]))[0]) * (1 - ROOM)
    least = rows.min(axis=0)
    common = float(least.sum()) * (1 + ROOM)
    given = part * (1 - common) / (growth - common)
    there = np.column_stack([(1 - given) * rows, np.full(len(rows), given)])
    return np.vstack([there, np.append((1 - growth * given) * least / float(least.sum()), growth * given)])
