"""Shares in the order of numbers: a column for each value, or for each run of values where they are too many."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.domain.partition import Partition
from sordino.mechanism.supported import SupportMechanism
from sordino.page.descriptions import columns_in_words
from sordino.page.figures.bars import Shares
from sordino.page.figures.histogram import MOST, columns
from sordino.page.page import Figure
from sordino.survey.results.questions.shares import HistogramResult
from sordino.survey.results.surroundings import numbers_in_order

FEWEST = 16
"""Values below which bars beside a table show all."""

RUNS = 100
"""Columns at most where each is a run of values: noise that neighbours share cancels within a run."""

MOST_CODES = 1 << 17
"""Of a mechanism whose sums are worked out for a page."""


@dataclass(frozen=True, eq=False)
class OrderedShares:
    """Shares of numbers or of runs of them, in their order.

    Attributes:
        shares: of each.
        at: where each stands.
        labels: of each.
        run: how many values each holds.
    """

    shares: Shares
    at: NDArray[np.float64]
    labels: list[str]
    run: int


def histogram_figures(result: HistogramResult, shares: Shares) -> tuple[Figure, ...]:
    """A histogram of values that are numbers in order; none of others, of few, and where sums are not known."""
    found = in_order(result, shares)
    if found is None:
        return ()
    name = result.question.name
    name += f", in runs of {found.run:,} values" if found.run > 1 else ""
    said = columns_in_words(name, found.shares, found.labels)
    return (Figure(columns(found.shares, name, found.at), said, wide=True),)


def in_order(result: HistogramResult, shares: Shares) -> OrderedShares | None:
    """The shares as a histogram shows them."""
    domain = result.question.domain
    numbers = numbers_in_order(domain)
    if numbers is None or domain.k < FEWEST:
        return None
    labels = [domain.label(value) for value in range(domain.k)]
    if domain.k <= MOST:
        return OrderedShares(shares, numbers, labels, 1)
    mechanism = result.question.mechanism
    # Where each code supports values of all kinds nothing cancels between neighbours, and sums take long.
    if isinstance(mechanism, SupportMechanism) or not mechanism.counts_codes or mechanism.outputs > MOST_CODES:
        return None
    run = -(-domain.k // RUNS)
    runs = Partition.of(np.arange(domain.k) // run)
    value, limits = result.sums(runs)
    fitted, truth = (None if column is None else runs.totals(column) for column in (shares.fitted, shares.truth))
    ends = [(block * run, min((block + 1) * run, domain.k) - 1) for block in range(runs.m)]
    return OrderedShares(
        Shares(value, *limits, fitted, truth),
        np.array([(numbers[first] + numbers[last]) / 2 for first, last in ends]),
        [labels[first] if first == last else f"{labels[first]} to {labels[last]}" for first, last in ends],
        run,
    )
