"""Histograms that are asked together, as tables, where one question a person would waste what a report can say.

A report about m attributes at once is a cell of their table: it keeps the same epsilon as a report about one of them,
and tells all m margins. Each of d histograms stands in equally many tables, so that as many people tell each: a
partition where m divides d, else the d shifts of one set of m places around a circle, whose pairs meet as evenly as can
be. The precision of a margin is the sum over its tables of the people asked over the exact variance of one report.

A histogram is joined only where it needs at least 5 % fewer people for the same error than asked by itself, and so does
each other one of its tables: nobody's question pays for another's.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import combinations
from math import comb, log, prod
from typing import NamedTuple

import numpy as np

from sordino.definition.bounded_dependence import FEWEST_TOGETHER, MOST_TOGETHER
from sordino.distinct import DistinctParts
from sordino.estimation.intervals.contrast import tells_covariance
from sordino.estimation.joint.table_cells import sums_over
from sordino.estimation.unbiased import Functionals
from sordino.exact.floats import Floats
from sordino.mechanism.base import Mechanism

LEAST_GAIN = 1.05
"""Of people: a table that saves fewer is not worth that a report is about several attributes."""

MOST_CELLS = 512
"""Of a table that is considered: even at epsilon 6 larger ones gain nothing."""

MOST_SETS = 500
"""Of places around a circle, up to which each is looked at."""

MOST_VALUES = 64
"""Of a histogram that is considered: to join two such takes an epsilon at which next to nothing is hidden."""


class CellsChannel(NamedTuple):
    """How cells are reported.

    Attributes:
        mechanism: over the cells.
        subtract_totals: whether estimates are shifted to the known total.
    """

    mechanism: Mechanism
    subtract_totals: bool


class JoinedQuestions(NamedTuple):
    """Tables in place of histograms.

    Attributes:
        tables: places of histograms, ascending, at least two in each; each place of some table in equally many.
        gains: people needed for the same error one at a time over those needed together, by place; 1 where a
            histogram is asked by itself.
    """

    tables: tuple[tuple[int, ...], ...]
    gains: tuple[float, ...]


class MarginsPart(NamedTuple):
    """All that the variances of a table's margins depend on.

    Attributes:
        shape: of the table, or of one histogram.
        shares: that are expected of each attribute, as the bytes of floats.
    """

    shape: tuple[int, ...]
    shares: tuple[bytes, ...]


def join_questions(shares: Sequence[Floats], channel: Callable[[int], CellsChannel]) -> JoinedQuestions | None:
    """The tables that save most people; None where no two histograms gain by it.

    Args:
        shares: that are expected of each histogram's values, shape (k,); alike where nothing is known.
        channel: the best one for a number of cells.
    """
    parts = DistinctParts()

    def variances(places: tuple[int, ...]) -> Floats:
        own = [shares[place] for place in places]
        part = MarginsPart(tuple(map(len, own)), tuple(one.tobytes() for one in own))
        return parts.of(part, lambda: margin_variances(own, channel(prod(part.shape))))

    best, most = None, 0.0
    for some in _nested_sets(shares):
        for found in _tables_of_each_size(some, shares, variances):
            gains = [found.gains[place] for place in some]
            saved = sum(map(log, gains))
            if min(gains) >= LEAST_GAIN and saved > most:
                best, most = found, saved
    return best


def margin_variances(shares: Sequence[Floats], channel: CellsChannel) -> Floats:
    """The mean variance of the shares of each attribute of a table, times n, shape (m,).

    Args:
        shares: of each attribute's values, independent of the others'.
        channel: over the cells, the last attribute's values running fastest.
    """
    shape = [len(own) for own in shares]
    if not tells_covariance(channel.mechanism):
        # Nothing is learned, or reports do not tell how cells go together: margins would have no intervals.
        return np.full(len(shape), np.inf)
    cells: Floats = reduce(np.multiply.outer, shares).reshape(-1)
    found = [margin_shares(channel, shape, axis).expected_variances(cells) for axis in range(len(shape))]
    return np.array([own.mean() for own in found])


def margin_shares(channel: CellsChannel, shape: Sequence[int], axis: int) -> Functionals:
    """The shares of one attribute of a table, as sums of its cells."""
    return Functionals(channel.mechanism, sums_over(shape, [axis]), channel.subtract_totals)


def balanced_tables(d: int, m: int) -> list[tuple[int, ...]]:
    """Tables of m of d places, each place in equally many of them: d tables at most.

    Example:
        >>> balanced_tables(4, 2), len(balanced_tables(7, 3))
        ([(0, 1), (2, 3)], 7)
    """
    if d % m == 0:
        return [tuple(range(first, first + m)) for first in range(0, d, m)]
    base = _even_places(d, m)
    # A set that a shift takes to itself has fewer shifts.
    return list(dict.fromkeys(tuple(sorted((place + shift) % d for place in base)) for shift in range(d)))


def _even_places(d: int, m: int) -> tuple[int, ...]:
    """Places around a circle of d whose distances repeat as little as can be; of many circles about as little."""

    def repeats(base: Sequence[int]) -> int:
        steps = Counter(min((one - other) % d, (other - one) % d) for one, other in combinations(base, 2))
        # Opposite places are half as many pairs, and meet in two shifts.
        return sum(count**2 * (2 if 2 * step == d else 1) for step, count in steps.items())

    if comb(d - 1, m - 1) <= MOST_SETS:
        return min(((0, *rest) for rest in combinations(range(1, d), m - 1)), key=repeats)
    base: tuple[int, ...] = (0,)
    while len(base) < m:
        base = min(((*base, place) for place in range(d) if place not in base), key=repeats)
    return base


def pair_counts(tables: Sequence[Sequence[int]]) -> Counter[tuple[int, int]]:
    """In how many tables each two places stand together, of those that do.

    Example:
        >>> sorted(pair_counts(balanced_tables(3, 2)).items())
        [((0, 1), 1), ((0, 2), 1), ((1, 2), 1)]
    """
    return Counter(pair for table in tables for pair in combinations(sorted(table), 2))


def _nested_sets(shares: Sequence[Floats]) -> Iterator[list[int]]:
    """The histograms of at most so many values, for each number: those of few values gain first; by size."""
    sizes = [len(own) for own in shares]
    for most in sorted({size for size in sizes if 1 < size <= MOST_VALUES}):
        some = sorted((place for place, size in enumerate(sizes) if 1 < size <= most), key=lambda place: sizes[place])
        if len(some) >= FEWEST_TOGETHER:
            yield some


def _tables_of_each_size(
    some: Sequence[int], shares: Sequence[Floats], variances: Callable[[tuple[int, ...]], Floats]
) -> Iterator[JoinedQuestions]:
    """Tables of two, of three and so on, until more attributes save fewer people."""
    before, alone = 0.0, {place: float(variances((place,))[0]) for place in some}
    if not all(np.isfinite(variance) and variance > 0 for variance in alone.values()):
        return
    for m in range(FEWEST_TOGETHER, min(len(some), MOST_TOGETHER) + 1):
        tables = [tuple(sorted(some[one] for one in table)) for table in balanced_tables(len(some), m)]
        if max(prod(len(shares[place]) for place in table) for table in tables) > MOST_CELLS:
            return
        precision = dict.fromkeys(some, 0.0)
        for table in tables:
            for place, variance in zip(table, variances(table).tolist(), strict=True):
                precision[place] += 1 / (len(tables) * variance)
        gains = {place: precision[place] * len(some) * alone[place] for place in some}
        saved = sum(map(log, gains.values()))
        yield JoinedQuestions(tuple(tables), tuple(gains.get(place, 1.0) for place in range(len(shares))))
        if m > FEWEST_TOGETHER and saved < before:
            return
        before = saved
