"""How exact means will be where numbers may be missing, before anybody is asked.

The standard errors are those that estimates will show (`estimation.missing.number_and_share`), at the expected shares
of what is read, with the channel's exact variances.
"""

from collections.abc import Sequence

import numpy as np

from sordino.design.numbers.numbers_accuracy import NumbersAccuracy
from sordino.domain.ranges import Ranges
from sordino.errors import SordinoError
from sordino.estimation.mean_readings import MeanReadings
from sordino.estimation.missing.number_and_share import NumberAndShare
from sordino.query.query import Query
from sordino.query.sampled import Sampled


def expected_means_given(
    names: Sequence[str], queries: Sampled, ranges: Ranges, people: int, readings: MeanReadings
) -> NumbersAccuracy:
    """Expected standard errors of the means, then of the shares that are missing, with this many people.

    Args:
        names: of the numbers, in the queries' order.
        queries: one for each number, one of which is drawn for each person.
    """
    means: dict[int, float] = {}
    shares: dict[int, float] = {}
    total = sum(queries.weights)
    for query, weight in zip(queries.queries, queries.weights, strict=True):
        if not isinstance(query, Query):
            raise SordinoError("numbers that may be missing are asked one at a time", found="several together")
        statistic, (place,) = query.number, query.number.places
        asked = people * weight / total
        read = readings[statistic]
        codes = [query.mechanism.code_values(grid) for _, grid in statistic.counted_moments]
        told = np.array([read @ grid for _, grid in statistic.counted_moments])
        law = query.mechanism.forward(read)
        spread = np.array([[law @ (a * b) for b in codes] for a in codes]) - np.outer(told, told)
        if len(told) > 1:
            both = NumberAndShare.of(told, spread / asked)
            means[place], shares[place] = both.stderr, both.share_stderr
        else:
            means[place] = np.sqrt(spread[0, 0] / asked)
    places, half = sorted(shares), ranges.half
    labels = (*names, *(f"{names[j]} missing" for j in places))
    stderr = [*(half[j] * means[j] for j in range(len(names))), *(shares[j] for j in places)]
    return NumbersAccuracy(labels, tuple(map(float, stderr)), (*half.tolist(), *(0.5 for _ in places)))
