"""The shares of numbers in order as columns."""

from collections.abc import Callable

import numpy as np

from sordino.blocks.charts import ColumnChart, Floats, Shares
from sordino.domain.attribute import Domain
from sordino.domain.partition import Partition
from sordino.domain.record import Record
from sordino.estimation.intervals.forged import Limits
from sordino.survey.estimates.surroundings import numbers_in_order

MOST_COLUMNS = 400
"""Values that are drawn one by one."""

RUNS = 100
"""Columns at most where each is a run of values: noise that neighbours share cancels within a run."""


def column_chart(
    name: str, domain: Domain | Record, shares: Shares, sums: Callable[[Partition], tuple[Floats, Limits]]
) -> ColumnChart:
    """The shares of all values, or of runs of values where these are too many.

    Args:
        name: of the attribute.
        domain: its values.
        shares: of all.
        sums: what the values of each block have together, with limits.
    """
    numbers = numbers_in_order(domain)
    at = np.arange(domain.k, dtype=np.float64) if numbers is None else numbers
    labels = [domain.label(value) for value in range(domain.k)]
    if domain.k <= MOST_COLUMNS:
        return ColumnChart(name, tuple(labels), shares, at)
    run = -(-domain.k // RUNS)
    runs = Partition.of(np.arange(domain.k) // run)
    value, limits = sums(runs)
    fitted, true = (None if column is None else runs.totals(column) for column in (shares.fitted, shares.truth))
    ends = [(block * run, min((block + 1) * run, domain.k) - 1) for block in range(runs.m)]
    return ColumnChart(
        f"{name}, in runs of {run:,} values",
        tuple(labels[first] if first == last else f"{labels[first]} to {labels[last]}" for first, last in ends),
        Shares(value, *limits, fitted, true),
        np.array([(at[first] + at[last]) / 2 for first, last in ends]),
    )
