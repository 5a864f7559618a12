"""What queries about numbers read of some people: the mean distribution of each statistic's values.

It is all that expected estimates depend on: a query's report depends on a person through what is read alone.
"""

from collections.abc import Mapping
from typing import TypeAlias

from sordino.exact.arrays import Floats
from sordino.query.missing.complete import CompleteCase
from sordino.query.missing.optional import OptionalNumber
from sordino.query.number import NumberStatistic
from sordino.query.sampled import Sampled

MeanReadings: TypeAlias = Mapping[NumberStatistic, Floats]
"""For each statistic the probability that each of its values is read of somebody, shape (k,)."""


def mean_readings(
    asked: Sampled, records: Floats, complete: float | None = None, missing: Mapping[int, float] | None = None
) -> MeanReadings:
    """Of people who are like some records.

    Args:
        records: numbers in [-1, 1], shape (n, d), each as likely as any other; categories as `domain.coded` has them,
            NaN where a number is missing.
        complete: the share of complete cases; as among the records by default.
        missing: by their places, the share of people who lack a number; as among the records by default.
    """
    return {one: _mean_reading(one, records, complete, missing or {}) for one in asked.statistics_read}


def _mean_reading(
    statistic: NumberStatistic, records: Floats, complete: float | None, missing: Mapping[int, float]
) -> Floats:
    if isinstance(statistic, CompleteCase):
        return statistic.shares(records, complete)
    if isinstance(statistic, OptionalNumber):
        return statistic.shares(records[:, statistic.place], missing.get(statistic.place))
    return statistic.shares(records)
