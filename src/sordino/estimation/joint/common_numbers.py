"""How a number is distributed, by the reports of all questions that tell it: for weights, and for nothing else.

The most likely distribution on some points, by expectation maximization. The steps are few: where a report says
little, what was expected before is hardly changed, and the variance of a report hardly depends on it either.
Source: Dempster, Laird and Rubin 1977; Laird 1978.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.estimation.moment_estimator import MeanReadings, MomentEstimator
from sordino.exact.floats import Floats
from sordino.mechanism.channel import Aggregate
from sordino.query.sampled import Sampled

Distribution: TypeAlias = tuple[Floats, Floats]
"""Scaled numbers, and the share of each."""

POINTS, STEPS = 129, 200

MOST_ENTRIES = 1 << 22
"""Of codes times points that are read."""

MISTAKEN = 0.05
"""The part of the people who are taken to be alike spread, whatever is expected: nothing is impossible."""


def expected_numbers(known: Iterable[tuple[int, MeanReadings]], unknown: Floats) -> Distribution:
    """What the plan expects, by the question with most points; else numbers as forecasts take them.

    Args:
        known: of each question the place of the number in its records, and what is expected to be read of these.
        unknown: scaled numbers of people of whom nothing is known, each as likely as any other.
    """
    told = [
        (grid, shares)
        for place, readings in known
        for statistic, shares in readings.items()
        for name, grid in statistic.counted_moments
        if name == (place,) and _is_scale(grid)
    ]
    if told:
        return max(told, key=lambda one: len(one[0]))
    return unknown, np.full(len(unknown), 1 / len(unknown))


def common_numbers(tallies: Sequence[tuple[Sampled, Aggregate, int]], start: Distribution) -> Distribution:
    """The most likely distribution of a number, by all its reports.

    Args:
        tallies: queries that tell its mean, what was answered, and its place in their records.
    """
    read = [own for asked, aggregate, place in tallies for own in _read(asked, aggregate, place)]
    points = np.unique(np.concatenate([np.linspace(-1, 1, POINTS), start[0], *(grid for grid, _, _ in read)]))
    shares = np.full(len(points), MISTAKEN / len(points))
    np.add.at(shares, np.searchsorted(points, start[0]), (1 - MISTAKEN) * start[1])
    channel = np.hstack([np.zeros((len(points), 0)), *(_rounding(points, grid) @ codes for grid, codes, _ in read)])
    counts = np.concatenate([np.zeros(0), *(counts for _, _, counts in read)])
    if not counts.any():
        return points, shares / shares.sum()
    channel, law = channel[:, counts > 0], counts[counts > 0] / counts.sum()
    for _ in range(STEPS):
        shares *= channel @ (law / (shares @ channel))
    return points, shares / shares.sum()


def _read(asked: Sampled, aggregate: Aggregate, place: int) -> Iterable[tuple[Floats, Floats, NDArray[np.int64]]]:
    queries, first = [query for some in asked.drawn_parts for query in some], 0
    try:
        told = {part.query: part for part in MomentEstimator.of(asked, [(place,)]).query_moments}
    except SordinoError:
        # What depends on nothing has no part in a pooled mean, either.
        return
    for at, query in enumerate(queries):
        counts = aggregate.counts[first : first + query.outputs]
        first += query.outputs
        small = query.outputs * max(query.outputs, query.mechanism.k) <= MOST_ENTRIES
        if at in told and _is_scale(told[at].grid) and small:
            yield told[at].grid, query.mechanism.adjoint(np.eye(query.outputs)).T, counts


def _is_scale(grid: Floats) -> bool:
    return bool((np.diff(grid) > 0).all())


def _rounding(numbers: Floats, grid: Floats) -> Floats:
    """The probability that each number is read as each point of a grid, shape (numbers, points).

    A number in a bin is taken to be rounded between the middles beside it: as exact as the weights need.
    """
    above = np.clip(np.searchsorted(grid, numbers), 1, len(grid) - 1)
    part = np.clip((numbers - grid[above - 1]) / (grid[above] - grid[above - 1]), 0, 1)
    found, rows = np.zeros((len(numbers), len(grid))), np.arange(len(numbers))
    found[rows, above - 1], found[rows, above] = 1 - part, part
    return found
